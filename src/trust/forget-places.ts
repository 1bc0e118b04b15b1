import { isUtf8 } from "node:buffer";
import { basename, dirname } from "node:path";
import { appendRecord, finishTail } from "../change/carry-out.ts";
import { describeSave, settleOutsideEdits } from "../change/outside-edits.ts";
import type { MemoryFiles } from "../files/memory-files.ts";
import type { Workspace } from "../workspace.ts";
import { describeError, systemCode } from "../errors.ts";
import { EXPECTATIONS_FILE, HISTORY_FILE, MEMORY_FILE, OWN_FOLDER, SESSIONS_FOLDER } from "../layout.ts";
import { parseTimestamp } from "../time.ts";
import { readDiaryLine } from "../search/diary-passages.ts";
import { eraseText } from "./erase-text.ts";
import { forgetHookCalls } from "./forget-hook-calls.ts";
import { forgetPipedLines } from "./forget-piped-lines.ts";
import { linesWithout } from "./lines-without.ts";
import { readMixedText } from "./mixed-text.ts";
import type { Erased } from "./erase-text.ts";
import type { ErasedOrigins } from "./find-origins.ts";
import type { ForgetMatch } from "./forget-match.ts";
import type { LogErasure } from "../store/forgetting.ts";
import type { LogHead } from "../store/session-logs.ts";

// Shorter things are said more than once, by others too.
const LONG_ENOUGH_TO_TELL = 40;
// What agents and memory tools write.
const HELD_COPY = /\.(?:was|late|gone)\.draft$/;
const MEMORY_TEXT = /\.(?:md|draft|ya?ml|txt|jsonl?|xml)$/i;

/** Something that goes, or that only says nearly the same; shown before anything is done, and never written down. */
export interface ForgetFind {
  path: string;
  text: string;
}

/** A forgetting under way. */
export interface Work {
  workspace: Workspace;
  match: ForgetMatch;
  isTrial: boolean;
  finds: ForgetFind[];
  near: ForgetFind[];
  /** What the scan looks for. */
  needles: Set<string>;
  /** Files beside the sessions, named by messages that go, and by messages that stay. */
  named: Set<string>;
  kept: Set<string>;
  /** The messages that go, word for word. */
  said: string[];
  /** Hears of each session that was gone through. */
  onLog: () => void;
}

/** Every scope that has a memory, or a record of one. */
export async function listScopes(workspace: Workspace): Promise<string[]> {
  const known = await workspace.history.scopes();
  const folders = await workspace.documents.listFolders(`${workspace.filesOfScope("").folder}/scopes`);
  return [...new Set(["", ...known, ...folders])];
}

/** Takes it out of memory files: facts, diary entries, sections of notes, whole notes. `isAlone`: nobody changes any. */
export async function forgetMemory(work: Work, origins: ErasedOrigins, { isAlone = false } = {}): Promise<number> {
  const { workspace, match } = work;
  const { forgetting } = workspace.store;
  let count = 0;
  for (const scope of await listScopes(workspace)) {
    const files = workspace.filesOfScope(scope);
    const isOwn = scope === origins.scope;
    const listNames = async () => {
      const names = (await forgetting.list(files.folder)).map((path) => path.slice(files.folder.length + 1));
      // The scopes of others lie below everyone's memory, and have their turn.
      return names.filter((name) => scope !== "" || !/^scopes(?:\/|$)/.test(name));
    };
    const exclusively = (erase: () => Promise<void>): Promise<void> => {
      // Who only looks waits for nobody.
      if (work.isTrial) return erase();
      const settle = async () => {
        // A change that was killed half-way carries what the file said; finished later, it would bring it back.
        await finishTail(workspace, files);
        await settleOutsideEdits(workspace, files);
        await erase();
        // What went is not left out by a person's save; this goes with what it names when the log is erased.
        const gone = await describeSave(workspace, scope, await files.read(MEMORY_FILE));
        if (gone) await appendRecord(workspace, { ...gone, cause: "forget", held: null });
      };
      return isAlone ? settle() : files.exclusively(settle);
    };
    const forgetCopies = async () => {
      for (const name of (await listNames()).filter((each) => HELD_COPY.test(each)))
        await forgetCopy(work, origins, files, name);
    };
    await exclusively(async () => {
      // Erasing MEMORY.md takes single lines out of its copies: without its headings nobody knows whose the others are.
      if (!work.isTrial) await forgetCopies();
      const names = (await listNames()).filter((name) => !HELD_COPY.test(name));
      const emptied = new Set(names.filter((name) => isNoteNamed(name, match)));
      for (const name of names) {
        const erased = await forgetFile(work, origins, files, name);
        for (const [was, is] of erased.rewritten) origins.rewritten.set(was, is);
        count += erased.gone.length;
        if (!erased.isRemoved) continue;
        for (let above = dirname(name); above !== "."; above = dirname(above)) emptied.add(above);
      }
      if (work.isTrial) return;
      await forgetCopies();
      for (const name of [...emptied].toSorted((a, b) => b.length - a.length))
        await forgetting.removeIfEmpty(`${files.folder}/${name}`);
      if (isOwn) await forgetting.removeFolder(files.folder);
    });
  }
  return count;
}

async function forgetFile(work: Work, origins: ErasedOrigins, files: MemoryFiles, name: string) {
  const { forgetting } = work.workspace.store;
  const path = `${files.folder}/${name}`;
  for (;;) {
    const bytes = await readMemoryBytes(work, origins, files, name);
    const { text, toBytes } = readMixedText(bytes);
    const isWhole = files.scope === origins.scope || isWholeNote(name, text, work.match, work.workspace.timezone);
    const whole = { text: "", gone: text.trim() === "" ? [] : [text.trim()], rewritten: new Map<string, string>() };
    const erased = isWhole ? whole : eraseMemoryText(work, origins, files.scope, name, text);
    const isLeft = erased.text.trim() !== "" || name === MEMORY_FILE || name === HISTORY_FILE;
    const isRemoved = isWhole || !isLeft || name.endsWith(".draft");
    if (!work.isTrial && erased.gone.length > 0) {
      const erase = () => {
        if (isRemoved) return forgetting.remove(path, isWhole ? undefined : bytes);
        // Who has the diary or a note open may save it later, as with MEMORY.md.
        if (!name.includes("/") && isUtf8(bytes)) return files.erase(name, text, erased.text);
        return forgetting.replace(path, toBytes(erased.text), bytes);
      };
      // Someone saved it just now: it is read again.
      if (!(await erase())) continue;
    }
    for (const gone of erased.gone) noteGone(work, path, gone);
    for (const line of erased.text.split("\n"))
      if (work.match.isNear(line)) work.near.push({ path, text: line.trim() });
    return { ...erased, isRemoved: isRemoved && erased.gone.length > 0 && !work.isTrial };
  }
}

/** What was replaced of late is held on to for whoever has it open; it says the same, and stays without it. */
async function forgetCopy(work: Work, origins: ErasedOrigins, { folder, scope }: MemoryFiles, name: string) {
  const { forgetting } = work.workspace.store;
  const path = `${folder}/${name}`;
  for (;;) {
    const bytes = (await forgetting.read(path)) ?? Buffer.alloc(0);
    const { text, gone } = eraseMemoryText(work, origins, scope, name, bytes.toString());
    if (gone.length === 0 || (await forgetting.overwrite(path, bytes, text))) return;
  }
}

async function readMemoryBytes(
  work: Work,
  origins: ErasedOrigins,
  { folder, scope }: MemoryFiles,
  name: string,
): Promise<Buffer> {
  const isText = scope === origins.scope || MEMORY_TEXT.test(name);
  const bytes = isText ? await work.workspace.store.forgetting.read(`${folder}/${name}`) : undefined;
  return bytes ?? Buffer.alloc(0);
}

function eraseMemoryText(
  { match, workspace }: Work,
  origins: ErasedOrigins,
  scope: string,
  name: string,
  text: string,
): Erased {
  const facts = origins.facts.get(scope) ?? new Map<string, []>();
  if (facts.size === 0 && origins.entries.size === 0 && !match.mayCarry(text))
    return { text, gone: [], rewritten: new Map() };
  if (name.endsWith(".jsonl")) return eraseLines(text, match);
  const day = /^\d{4}-\d{2}-\d{2}/.exec(basename(name))?.[0];
  const kind = name === HISTORY_FILE ? "diary" : isMemory(name) ? "memory" : "note";
  return eraseText(text, match, { facts, entries: origins.entries, timezone: workspace.timezone, day, kind });
}

/** MEMORY.md, and what is left of it in drafts and copies. */
function isMemory(name: string): boolean {
  return name === MEMORY_FILE || (name.startsWith(`.${MEMORY_FILE}.`) && name.endsWith(".draft"));
}

/** A diary with an entry a line: lines that say it go whole. */
function eraseLines(text: string, match: ForgetMatch): Erased {
  const lines = text.split("\n");
  const isGone = (line: string): boolean => match.hits(readDiaryLine(line) ?? line);
  const gone = lines.filter((line) => line.trim() !== "" && isGone(line));
  return { text: lines.filter((line) => !gone.includes(line)).join("\n"), gone, rewritten: new Map() };
}

/** Whether the name of a note carries it, or that of a folder above; sessions are told by the note's own name alone. */
export function isNoteNamed(name: string, match: ForgetMatch): boolean {
  if ([MEMORY_FILE, HISTORY_FILE, EXPECTATIONS_FILE].includes(name)) return false;
  const names = match.kind === "session" ? [basename(name)] : [basename(name), name];
  return names.some((each) => match.hits(each) || match.hits(each.replaceAll(/[-_/\\]|\.[a-z]+$/gi, " ")));
}

/** A note goes whole when its name carries it, when it is that session's, or when its day is meant. */
function isWholeNote(name: string, text: string, match: ForgetMatch, timezone: string): boolean {
  if (isNoteNamed(name, match)) return true;
  const dated = /^(\d{4}-\d{2}-\d{2})(-.+)?\.md$/.exec(basename(name));
  if (!dated) return false;
  if (match.isTime(parseTimestamp(dated[1], timezone))) return true;
  const session = /^(?:[-*]\s*)?\**session(?: key)?:?\**:?\s*`?([^`\n]+?)`?\s*$/im.exec(text)?.[1];
  return dated[2] !== undefined && session !== undefined && match.isSession(session);
}

/** Takes it out of what was said; an ended session that is meant goes whole. */
export async function forgetTranscripts(work: Work, logs: readonly LogHead[], origins: ErasedOrigins): Promise<number> {
  const { workspace, match, isTrial } = work;
  const { forgetting } = workspace.store;
  let count = 0;
  for (const log of logs) {
    const { path, key: session } = log;
    const sources = [...origins.sources].flatMap((source) => {
      const [key, id = ""] = source.split("\n");
      return key === session ? [id] : [];
    });
    const erasure: LogErasure = {
      hits: match.hits,
      // Messages of ancestors have no ids: theirs are known by their place alone.
      mayTouch: (line) =>
        match.isSession(session) ||
        match.mayCarry(line) ||
        sources.some((id) => id.startsWith("#") || line.includes(id)),
      isTime: (at) => match.isTime(parseTimestamp(at, workspace.timezone)),
      isMessage: (message) =>
        match.isMessage(message, session) || origins.sources.has(`${session}\n${message.id ?? ""}`),
    };
    const rewritten = await rewriteIfReadable(work, path, () =>
      forgetting.eraseLog(log, erasure, isTrial || match.isSession(session)),
    );
    work.onLog();
    if (rewritten === undefined) continue;
    for (const said of rewritten.messages) {
      noteGone(work, path, said);
      work.said.push(said);
    }
    for (const name of rewritten.named) work.named.add(name);
    for (const name of rewritten.kept) work.kept.add(name);
    count += rewritten.lines;
    if (match.isSession(session) && !isTrial) await forgetting.removeLog(log);
  }
  return count;
}

/** One session that cannot be read does not keep the others; that it may still hold it is said. */
async function rewriteIfReadable<T>(
  { workspace }: Work,
  path: string,
  rewrite: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await rewrite();
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    workspace.emit({ type: "notice", text: `${path} cannot be read and may still hold it: ${describeError(error)}` });
    return undefined;
  }
}

/** Takes it out of what lies beside the sessions (whole results, pictures, damaged lines, drafts), and of replays. */
export async function forgetFiles(work: Work, logs: readonly LogHead[]): Promise<number> {
  const { workspace, match, isTrial } = work;
  const { forgetting } = workspace.store;
  const names = (await forgetting.list(SESSIONS_FOLDER)).map((path) => path.slice(SESSIONS_FOLDER.length + 1));
  const own = new Set(logs.filter(({ key }) => match.isSession(key)).map(({ path }) => basename(path, ".jsonl")));
  let count = 0;
  for (const name of names.filter((each) => !each.endsWith(".jsonl"))) {
    const path = `${SESSIONS_FOLDER}/${name}`;
    const bytes = await forgetting.read(path);
    if (bytes === undefined) continue;
    const stem = name.startsWith("files/") ? (name.split("/")[1] ?? "") : basename(name).replace(/\.jsonl.*$/, "");
    const isOwn = own.has(stem);
    // Named by content: two messages may share a file.
    const isNamed = work.named.has(name) && !work.kept.has(name);
    const isWhole = isOwn || isNamed;
    if (!isWhole && !match.hits(bytes.toString("utf8")) && !match.hits(bytes.toString("latin1"))) continue;
    count++;
    work.finds.push({ path, text: "(the whole file)" });
    if (isTrial) continue;
    if (isWhole || !name.endsWith(".damaged")) await forgetting.remove(path);
    else await forgetting.replace(path, linesWithout(bytes, match));
  }
  count += (await forgetTypedLines(work)) + (await forgetPipedLines(work)) + (await forgetHookCalls(work));
  if (!isTrial) {
    for (const stem of own) await forgetting.removeFolder(`${SESSIONS_FOLDER}/files/${stem}`);
    await forgetting.removeFolder(`${OWN_FOLDER}/replay`);
  }
  return count;
}

/** The lines typed at the terminal, kept for its arrow keys. They name no session and no time: then all of them go. */
async function forgetTypedLines({ workspace, match, isTrial, finds }: Work): Promise<number> {
  const { forgetting } = workspace.store;
  const path = `${OWN_FOLDER}/chat-history`;
  const bytes = await forgetting.read(path);
  if (bytes === undefined || bytes.length === 0) return 0;
  const isNamed = match.kind === "text" || match.kind === "person";
  if (isNamed && !match.hits(bytes.toString("utf8"))) return 0;
  finds.push({ path, text: isNamed ? "(lines that contain it)" : "(the whole file)" });
  if (isTrial) return 1;
  if (isNamed) await forgetting.replace(path, linesWithout(bytes, match));
  else await forgetting.remove(path);
  return 1;
}

function noteGone(work: Work, path: string, text: string): void {
  work.finds.push({ path, text });
  // Whatever carries the needle itself needs no other; sessions and times are known by what was said in them.
  const isTelling = work.match.kind === "session" || work.match.kind === "since";
  const line = text
    .split("\n")
    .map((each) => each.trim())
    .find((each) => each.length >= LONG_ENOUGH_TO_TELL);
  if (isTelling && line !== undefined) work.needles.add(line.slice(0, 200));
}
