import { basename, join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { z } from "zod";
import { MemoryError } from "../errors.ts";
import { createFound, damaged, factsOf, skip, skipInstructions } from "./found.ts";
import type { Found } from "./found.ts";
import { hasTables, withCopy } from "./with-copy.ts";
import type { Database } from "./with-copy.ts";
import { findMarks, isFolder, kindOf, listNames, parseJson, readIfThere, readJsonLines } from "./read-source.ts";
import { readTree } from "./read-tree.ts";
import type { PlacedEntry } from "./read-tree.ts";
import type { OnRead, Source } from "./source.ts";
import { startTalk } from "./start-talk.ts";

const SessionMap = z.record(z.string(), z.looseObject({ sessionId: z.string() }));
const Window = z.looseObject({
  session_id: z.string(),
  session_key: z.string(),
  spawned_by: z.string().nullish().catch(undefined),
  parent_session_key: z.string().nullish().catch(undefined),
  /** Set where a mail or a web hook began it. */
  hook_external_content_source: z.string().nullish().catch(undefined),
});
const Event = z.object({ seq: z.number(), event_json: z.string().nullish(), event_zstd: z.unknown().optional() });
const DATABASE = "openclaw-agent.sqlite";
// One event is at most a message of a few megabytes; more than this is no transcript.
const LARGEST_EVENT = 64 * 1024 * 1024;

/** OpenClaw: ~/.openclaw with agents/ and workspace/, a workspace alone, or the database of one agent. */
export const openclaw: Source = {
  name: "openclaw",
  title: "OpenClaw",
  where: "~/.openclaw",
  addsText: true,
  async recognise(path) {
    if ((await kindOf(path)) === "file") return basename(path) === DATABASE;
    if ((await findMarks(path, /^openclaw\.json$/, 0)).length > 0) return true;
    const agents = /^agents\/[^/]+\/(?:agent\/openclaw-agent\.sqlite|sessions\/[^/]+\.jsonl)$/;
    if ((await findMarks(path, agents, 3)).length > 0) return true;
    // A workspace alone: its files have their place above memory/.
    return (await kindOf(join(path, "MEMORY.md"))) === "file" && (await kindOf(join(path, "SOUL.md"))) === "file";
  },
  read: readOpenclaw,
};

async function readOpenclaw(path: string, onRead: OnRead): Promise<Found> {
  const found = createFound();
  if ((await kindOf(path)) === "file") {
    await readDatabase(found, path, "main");
    return found;
  }
  const workspace = (await isFolder(join(path, "workspace"))) ? join(path, "workspace") : path;
  const hasMemory = await readWorkspace(found, workspace);
  const agents = await listNames(join(path, "agents"));
  for (const [index, agent] of agents.entries()) {
    onRead(index, agents.length);
    await readAgent(found, join(path, "agents", agent), agent);
  }
  if (!hasMemory && agents.length === 0)
    throw new MemoryError("NOT_FOUND", `There is neither MEMORY.md, nor memory/, nor agents/ in ${path}`);
  return found;
}

async function readWorkspace(found: Found, root: string): Promise<boolean> {
  let hasMemory = false;
  for (const name of ["MEMORY.md", "memory.md"]) {
    const text = await readIfThere(join(root, name));
    if (text === undefined || hasMemory) continue;
    hasMemory = true;
    found.facts.push(...factsOf(text, name, "Facts"));
  }
  for (const name of await listNames(join(root, "memory"), ".md")) {
    const text = (await readIfThere(join(root, "memory", name))) ?? "";
    hasMemory = true;
    if (text.trim() !== "") found.notes.push({ name, text });
  }
  for (const name of ["USER.md", "SOUL.md", "AGENTS.md", "TOOLS.md", "IDENTITY.md", "BOOTSTRAP.md", "HEARTBEAT.md"])
    if ((await kindOf(join(root, name))) === "file") skipInstructions(found, name);
  return hasMemory;
}

async function readAgent(found: Found, folder: string, agent: string): Promise<void> {
  const database = join(folder, "agent", DATABASE);
  if ((await kindOf(database)) === "file") await readDatabase(found, database, agent);
  const sessions = join(folder, "sessions");
  const map = SessionMap.safeParse(parseJson((await readIfThere(join(sessions, "sessions.json"))) ?? "{}")).data ?? {};
  const keys = new Map(Object.entries(map).map(([key, { sessionId }]) => [sessionId, key]));
  for (const name of await listNames(sessions)) {
    const place = `agents/${agent}/sessions/${name}`;
    if (name === "sessions.json") continue;
    if (!name.endsWith(".jsonl")) {
      skip(found, place, "file", "a session that OpenClaw has put aside");
      continue;
    }
    const id = basename(name, ".jsonl");
    // The map names only the newest transcript of each key; older ones keep their own.
    const key = keyOf(keys.get(id) ?? `agent:${agent}:${id}`);
    const entries: PlacedEntry[] = [];
    for await (const { number, value } of readJsonLines(join(sessions, name)))
      entries.push({ place: `${place}:${number}`, value });
    readTree(found, startTalk(found, key), entries, { file: place });
  }
}

function keyOf(sessionKey: string): string {
  return sessionKey.startsWith("agent:") ? sessionKey.replace(/^agent:/, "openclaw:") : `openclaw:${sessionKey}`;
}

/** From 2026.9 on: one conversation of a key after the other, its events as JSON or, where they are long, compressed. */
async function readDatabase(found: Found, path: string, agent: string): Promise<void> {
  const place = `agents/${agent}/agent/${DATABASE}`;
  await withCopy(path, (database) => {
    if (!hasTables(database, ["session_windows", "transcript_events"])) {
      damaged(found, place, "file", "there are no transcripts in it that can be read");
      return;
    }
    for (const row of database.prepare("SELECT * FROM session_windows ORDER BY created_at, session_id").all()) {
      const window = Window.safeParse(row).data;
      if (!window) {
        damaged(found, place, "conversation", "not a conversation that can be read");
        continue;
      }
      if (window.spawned_by ?? window.parent_session_key) {
        skip(found, place, "subagent's transcript", "what a subagent was told and did");
        continue;
      }
      const talk = startTalk(found, keyOf(window.session_key));
      const origin = window.hook_external_content_source ? "untrusted" : undefined;
      readTree(found, talk, [...eventsOf(database, window.session_id, place)], { file: place, origin });
    }
  });
}

function* eventsOf(database: Database, session: string, place: string): Generator<PlacedEntry> {
  const rows = database.prepare(
    "SELECT seq, event_json, event_zstd FROM transcript_events WHERE session_id = ? ORDER BY seq",
  );
  for (const row of rows.iterate(session)) {
    const event = Event.safeParse(row).data;
    yield { place: `${place}#${session}:${event?.seq ?? "?"}`, value: event && valueOf(event) };
  }
}

function valueOf({ event_json, event_zstd }: z.infer<typeof Event>): unknown {
  if (typeof event_json === "string") return parseJson(event_json);
  if (!(event_zstd instanceof Uint8Array)) return undefined;
  try {
    return parseJson(zstdDecompressSync(event_zstd, { maxOutputLength: LARGEST_EVENT }).toString("utf8"));
  } catch (error) {
    // What does not unpack is damaged, and named like any line that is.
    if (error instanceof Error && "code" in error) return undefined;
    throw error;
  }
}
