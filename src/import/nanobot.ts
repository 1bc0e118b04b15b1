import { basename, join } from "node:path";
import { z } from "zod";
import { MemoryError } from "../errors.ts";
import { HISTORY_FILE, MEMORY_FILE } from "../layout.ts";
import { decodeAncestor } from "../session/file-name.ts";
import { Message } from "../session/message.ts";
import type { MessageInput } from "../session/message.ts";
import { createFound, damaged, factsOf, skip, skipInstructions } from "./found.ts";
import type { Found } from "./found.ts";
import { hasTables, withCopy } from "./with-copy.ts";
import {
  findFiles,
  findMarks,
  isFolder,
  kindOf,
  listNames,
  parseJson,
  placeOf,
  readFirstLine,
  readIfThere,
  readJsonLines,
} from "./read-source.ts";
import type { OnRead, Source } from "./source.ts";
import { startTalk } from "./start-talk.ts";

const Metadata = z.looseObject({
  _type: z.literal("metadata"),
  key: z.string().optional().catch(undefined),
  last_consolidated: z.int().min(0).catch(0),
  last_archived: z.int().min(0).optional().catch(undefined),
  metadata: z.looseObject({ title: z.string() }).optional().catch(undefined),
});
const Row = z.looseObject({ key: z.string(), last_archived: z.number().catch(0), title: z.string().catch("") });
const Entry = z.looseObject({ timestamp: z.string().optional().catch(undefined), content: z.string() });
const Role = z.enum(["user", "assistant", "tool", "system"]);
const PROMPT_FILES = ["USER.md", "SOUL.md", "AGENTS.md", "TOOLS.md", "HEARTBEAT.md"];
/** In the workspace, or (since 0.3) in sessions/<id of the workspace>/ of ~/.nanobot. */
const SESSION = /^(?:workspace\/)?sessions\/(?:[0-9a-f]{32}\/)?[^/]+\.jsonl$/;
const DATABASE = /^(?:workspace\/)?sessions\/(?:[0-9a-f]{32}\/)?sessions\.sqlite3$/;
const MEMORY = /^(?:workspace\/)?memory\/(?:MEMORY\.md|HISTORY\.md|history\.jsonl)$/;

/** nanobot: ~/.nanobot, or its workspace. */
export const nanobot: Source = {
  name: "nanobot",
  title: "nanobot",
  where: "~/.nanobot",
  addsText: false,
  recognise: looksLikeNanobot,
  read: readNanobot,
};

/** autobot has the same form. */
export const autobot: Source = { ...nanobot, name: "autobot", title: "autobot", where: "~/.autobot" };

async function looksLikeNanobot(path: string): Promise<boolean> {
  if ((await kindOf(path)) === "file") return Metadata.safeParse(await readFirstLine(path)).success;
  if ((await findMarks(path, MEMORY, 2)).length > 0 || (await findMarks(path, DATABASE, 3)).length > 0) return true;
  for (const file of await findMarks(path, SESSION, 3))
    if (Metadata.safeParse(await readFirstLine(file)).success) return true;
  return false;
}

async function readNanobot(path: string, onRead: OnRead): Promise<Found> {
  const found = createFound();
  if ((await kindOf(path)) === "file") {
    await readSession(found, path, basename(path));
    return found;
  }
  let hasAnything = false;
  for (const root of [path, join(path, "workspace")]) {
    if (await isFolder(join(root, "memory"))) hasAnything = true;
    await readMemoryFolder(found, root);
  }
  for (const file of await findFiles(path, DATABASE, 3)) {
    hasAnything = true;
    await readDatabase(found, file, placeOf(path, file));
  }
  const inDatabase = new Set(found.talks.keys());
  const files = await findFiles(path, SESSION, 3);
  for (const [index, file] of files.entries()) {
    hasAnything = true;
    onRead(index, files.length);
    await readSession(found, file, placeOf(path, file), inDatabase);
  }
  if (!hasAnything) throw new MemoryError("NOT_FOUND", `There is neither memory/ nor sessions/ in ${path}`);
  return found;
}

/** MEMORY.md becomes facts, every other Markdown file and the diary a note. */
async function readMemoryFolder(found: Found, root: string): Promise<void> {
  const folder = join(root, "memory");
  for (const name of await listNames(folder, ".md")) {
    const text = (await readIfThere(join(folder, name))) ?? "";
    if (name === MEMORY_FILE) found.facts.push(...factsOf(text, `memory/${name}`, "Facts"));
    else if (text.trim() !== "") found.notes.push({ name, text });
  }
  const diary: string[] = [];
  if ((await kindOf(join(folder, "history.jsonl"))) === "file") {
    for await (const { number, value } of readJsonLines(join(folder, "history.jsonl"))) {
      const entry = Entry.safeParse(value).data;
      if (entry) diary.push(withTime(entry));
      else damaged(found, `memory/history.jsonl:${number}`, "line", "not an entry of the diary");
    }
  }
  // Beside a HISTORY.md of an older version, which stays what it is.
  const name = found.notes.some((note) => note.name === HISTORY_FILE) ? "HISTORY-new.md" : HISTORY_FILE;
  if (diary.length > 0) found.notes.push({ name, text: `${diary.join("\n\n")}\n` });
  for (const file of PROMPT_FILES) if ((await kindOf(join(root, file))) === "file") skipInstructions(found, file);
}

function withTime({ timestamp, content }: z.infer<typeof Entry>): string {
  const text = content.trim();
  return timestamp === undefined || /^\[\d{4}-\d{2}-\d{2}/.test(text)
    ? text
    : `[${timestamp.replace("T", " ").slice(0, 16)}] ${text}`;
}

async function readDatabase(found: Found, file: string, place: string): Promise<void> {
  await withCopy(file, (database) => {
    if (!hasTables(database, ["sessions", "messages"])) {
      damaged(found, place, "file", "there are no sessions in it that can be read");
      return;
    }
    const records = database.prepare("SELECT position, record FROM messages WHERE session_key = ? ORDER BY position");
    for (const row of database.prepare("SELECT * FROM sessions ORDER BY created_at, key").all()) {
      const { key, last_archived, title } = Row.parse(row);
      const said = records.all(key).map((each) => ({
        place: `${place}#${key}:${String(each["position"])}`,
        value: parseJson(String(each["record"])),
      }));
      readMessages(found, key, said, last_archived);
      if (title !== "" && found.talks.has(key)) found.titles.set(key, title);
    }
  });
}

async function readSession(found: Found, file: string, place: string, known = new Set<string>()): Promise<void> {
  const stem = basename(file, ".jsonl");
  // 0.3 writes the key in base64url, older versions with `_` for `:`.
  let key = decodeAncestor(stem) ?? stem.replace("_", ":");
  let digested = 0;
  let title: string | undefined;
  const said: { place: string; value: unknown }[] = [];
  for await (const { number, value } of readJsonLines(file)) {
    const metadata = Metadata.safeParse(value).data;
    if (metadata) {
      key = metadata.key ?? key;
      digested = metadata.last_archived ?? metadata.last_consolidated;
      title = metadata.metadata?.title ?? title;
    } else if (!z.looseObject({ _type: z.string() }).safeParse(value).success)
      said.push({ place: `${place}:${number}`, value });
  }
  if (known.has(key)) return skip(found, place, "file", "its session is in the database as well");
  readMessages(found, key, said, digested);
  if (title && found.talks.has(key)) found.titles.set(key, title);
}

function readMessages(
  found: Found,
  key: string,
  said: readonly { place: string; value: unknown }[],
  digested: number,
): void {
  const talk = startTalk(found, key);
  let before = 0;
  for (const [index, { place, value }] of said.entries()) {
    const message = toMessage(value);
    if (!message) damaged(found, place, "line", value === undefined ? "not valid JSON" : "not a message");
    else talk.say(message);
    // What was digested there is in the memory files that came along; lines that did not come do not count.
    if (index < digested) before = found.talks.get(key)?.length ?? 0;
  }
  if (digested <= said.length && before > 0) found.digested.set(key, before);
}

function toMessage(value: unknown): MessageInput | undefined {
  const parsed = Message.safeParse(value).data;
  const role = Role.safeParse(parsed?.role).data;
  if (parsed === undefined || role === undefined) return undefined;
  const { content, id, timestamp, ...rest } = parsed;
  return {
    ...rest,
    role,
    content: content ?? null,
    ...(id === undefined ? {} : { id }),
    ...(typeof timestamp === "string" || typeof timestamp === "number" ? { timestamp } : {}),
  };
}
