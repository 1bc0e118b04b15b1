import { join } from "node:path";
import { z } from "zod";
import { createFound, damaged, skip } from "./found.ts";
import type { Found } from "./found.ts";
import { hasTables, withCopy } from "./with-copy.ts";
import type { Database } from "./with-copy.ts";
import { findFiles, findMarks, kindOf, parseJson, placeOf, readHead, readIfThere } from "./read-source.ts";
import type { OnRead, Source } from "./source.ts";
import { resultText, startTalk, toolCall } from "./start-talk.ts";

const Session = z.looseObject({
  id: z.string(),
  title: z.string().nullish().catch(undefined),
  parent_id: z.string().nullish().catch(undefined),
  parentID: z.string().nullish().catch(undefined),
});
const Message = z.looseObject({
  role: z.string(),
  time: z.looseObject({ created: z.number() }).optional().catch(undefined),
  /** Only a true one marks what sums up a conversation that was cut. */
  summary: z.unknown().optional(),
});
const Part = z.looseObject({
  type: z.string(),
  text: z.string().optional().catch(undefined),
  synthetic: z.boolean().optional().catch(undefined),
  tool: z.string().optional().catch(undefined),
  callID: z.string().optional().catch(undefined),
  state: z
    .looseObject({ input: z.unknown().optional(), output: z.unknown().optional(), error: z.unknown().optional() })
    .optional()
    .catch(undefined),
  filename: z.string().optional().catch(undefined),
  url: z.string().optional().catch(undefined),
});
/** A conversation as both its database and its older files hold it. */
interface Stored {
  session: z.infer<typeof Session>;
  messages: { id: string; value: unknown; parts: unknown[] }[];
}
const TABLES = ["session", "message", "part"];
const DATABASE = /(?:^|\/)opencode[\w.-]*\.db$/;
const OLD_SESSION = /(?:^|\/)storage\/session\/[^/]+\/[^/]+\.json$/;

/** opencode: ~/.local/share/opencode with opencode.db, or storage/ of its older versions. */
export const opencode: Source = {
  name: "opencode",
  title: "opencode",
  where: "~/.local/share/opencode",
  addsText: true,
  async recognise(path) {
    if ((await kindOf(path)) !== "file") return (await findMarks(path, either, 4)).length > 0;
    if (!(await readHead(path)).startsWith("SQLite format 3")) return false;
    return withCopy(path, (database) => hasTables(database, TABLES));
  },
  read: readOpencode,
};
const either = new RegExp(`${DATABASE.source}|${OLD_SESSION.source}`);

async function readOpencode(path: string, onRead: OnRead): Promise<Found> {
  const found = createFound();
  const databases = (await kindOf(path)) === "file" ? [path] : await findFiles(path, DATABASE, 4);
  for (const file of databases) {
    for (const stored of await withCopy(file, (database) => [...storedIn(database)]))
      readStored(found, stored, placeOf(path, file));
  }
  // What an update moved into the database may still lie in the older files: both have the same ids.
  const old = await findFiles(path, OLD_SESSION, 5);
  for (const [index, file] of old.entries()) {
    onRead(index, old.length);
    const stored = await readOldSession(found, file, placeOf(path, file));
    if (stored && !found.talks.has(keyOf(stored))) readStored(found, stored, placeOf(path, file));
  }
  return found;
}

function keyOf({ session }: Stored): string {
  return `opencode:${session.id}`;
}

function* storedIn(database: Database): Generator<Stored> {
  if (!hasTables(database, TABLES)) return;
  const messages = database.prepare("SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id");
  const parts = database.prepare("SELECT data FROM part WHERE message_id = ? ORDER BY id");
  for (const row of database.prepare("SELECT id, title, parent_id FROM session ORDER BY time_created, id").all()) {
    const session = Session.parse(row);
    yield {
      session,
      messages: messages.all(session.id).map(({ id, data }) => ({
        id: String(id),
        value: parseJson(String(data)),
        parts: parts.all(String(id)).map((part) => parseJson(String(part["data"]))),
      })),
    };
  }
}

/** storage/session/<project>/<id>.json, message/<session>/<id>.json, part/<message>/<id>.json. */
async function readOldSession(found: Found, file: string, place: string): Promise<Stored | undefined> {
  const session = Session.safeParse(parseJson((await readIfThere(file)) ?? "")).data;
  if (!session) {
    damaged(found, place, "file", "not a session of opencode");
    return undefined;
  }
  const storage = join(file, "../../..");
  const messages: Stored["messages"] = [];
  for (const path of await findFiles(join(storage, "message", session.id), /^[^/]+\.json$/, 0)) {
    const value = parseJson((await readIfThere(path)) ?? "");
    const id = z.looseObject({ id: z.string() }).safeParse(value).data?.id;
    if (id === undefined) {
      damaged(found, placeOf(storage, path), "message", "not valid JSON");
      continue;
    }
    const parts: unknown[] = [];
    for (const part of await findFiles(join(storage, "part", id), /^[^/]+\.json$/, 0))
      parts.push(parseJson((await readIfThere(part)) ?? ""));
    messages.push({ id, value, parts });
  }
  return { session, messages };
}

function readStored(found: Found, stored: Stored, place: string): void {
  const { session } = stored;
  if (session.parent_id ?? session.parentID)
    return skip(found, place, "subagent's transcript", "what a subagent was told and did");
  const talk = startTalk(found, keyOf(stored));
  for (const { id, value, parts } of stored.messages) {
    const message = Message.safeParse(value).data;
    if (!message) {
      damaged(found, `${place}#${id}`, "message", "not valid JSON");
      continue;
    }
    if (message.summary === true) {
      skip(found, place, "message", "it sums up messages that are here themselves");
      continue;
    }
    const read = parts.map((part) => Part.safeParse(part).data);
    const text = read
      .filter((part) => part?.type === "text" && !part.synthetic)
      .map((part) => part?.text ?? "")
      .join("\n");
    const stamp = { id, timestamp: message.time?.created };
    if (message.role === "user") {
      const files = read.flatMap((part) => (part?.type === "file" ? [shownFile(part)] : []));
      if (text.trim() !== "" || files.length > 0)
        talk.user(files.length === 0 ? text : [{ type: "text", text }, ...files], stamp);
      continue;
    }
    const tools = read.filter((part) => part?.type === "tool" && part.callID !== undefined);
    talk.answer(
      text,
      tools.map((part) => toolCall(part?.callID ?? "", part?.tool ?? "?", part?.state?.input)),
      stamp,
    );
    for (const part of tools) {
      const { output, error } = part?.state ?? {};
      // Still at work, or stopped: there is no result.
      if (output === undefined && error === undefined) continue;
      const call = part?.callID ?? "";
      talk.result(call, resultText(output ?? error), { id: `${id}-${call}`, timestamp: message.time?.created });
    }
  }
  if (session.title && !session.title.startsWith("New session - ")) found.titles.set(keyOf(stored), session.title);
}

function shownFile({ filename, url }: z.infer<typeof Part>): unknown {
  if (url?.startsWith("data:")) return { type: "image", image: url };
  return { type: "text", text: `[file: ${filename ?? url ?? "?"}]` };
}
