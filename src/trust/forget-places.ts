import { existsSync } from "node:fs";
import { readdir, readFile, rm, rmdir } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import type { Workspace } from "../workspace.ts";
import { removeIfThere } from "../disk.ts";
import { describeError, systemCode } from "../errors.ts";
import { EXPECTATIONS_FILE, HISTORY_FILE, MEMORY_FILE, ownPath } from "../layout.ts";
import { withLock } from "../lock.ts";
import { parseTimestamp } from "../time.ts";
import { eraseText } from "./erase-text.ts";
import type { ForgetMatch } from "./forget-match.ts";
import { replaceAndWipe, rewriteLog, wipeFile } from "./rewrite-log.ts";
import type { LogErasure } from "./rewrite-log.ts";

// Shorter things are said more than once, by others too.
const LONG_ENOUGH_TO_TELL = 40;
// What agents and memory tools write.
const MEMORY_TEXT = /\.(?:md|draft|ya?ml|txt|json|xml)$/i;

/** Something that goes, or that only says nearly the same; shown before anything is done, and never written down. */
export interface ForgetFind {
  path: string;
  text: string;
}

/** A session file, and whose it is. */
export interface Log {
  path: string;
  key: string;
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
}

/** What goes because of where it comes from. */
export interface Doomed {
  facts: Map<string, Set<string>>;
  entries: Set<string>;
  /** Entries of which a part went: their runs go on knowing them, by what they are now. */
  rewritten: Map<string, string>;
  /** Messages that facts which go were drawn from: `session\nid`. */
  sources: Set<string>;
  /** Runs that go with their session or their time. */
  runs: Set<string>;
  /** The memory that goes whole, with the only session that wrote to it. */
  scope: string | undefined;
}

/** Every scope that has a memory, or a record of one. */
export async function listScopes(workspace: Workspace): Promise<string[]> {
  const known = [...(await workspace.state.listScopes()), ...(await workspace.state.pendingScopes())];
  const folder = join(workspace.filesOfScope("").folder, "scopes");
  const folders = existsSync(folder) ? await readdir(folder) : [];
  return [...new Set(["", ...known, ...folders])];
}

/** Takes it out of memory files: facts, diary entries, sections of notes, whole notes. */
export async function forgetMemory(work: Work, doomed: Doomed): Promise<number> {
  const { workspace, match } = work;
  let count = 0;
  for (const scope of await listScopes(workspace)) {
    const files = workspace.filesOfScope(scope);
    const hints = {
      facts: doomed.facts.get(scope) ?? new Set<string>(),
      entries: doomed.entries,
      timezone: workspace.timezone,
    };
    const isOwn = scope === doomed.scope;
    // Who only looks waits for nobody.
    const exclusively = work.isTrial ? (look: () => Promise<void>) => look() : files.exclusively;
    await exclusively(async () => {
      const all = existsSync(files.folder) ? await readdir(files.folder, { recursive: true }) : [];
      // The scopes of others lie below everyone's memory, and have their turn.
      const names = all.filter((name) => scope !== "" || !/^scopes(?:[\\/]|$)/.test(name));
      const emptied = new Set(names.filter((name) => isNoteNamed(name, match)));
      for (const name of names) {
        const path = join(files.folder, name);
        const text = isOwn || MEMORY_TEXT.test(name) ? (await readIfFile(path))?.toString("utf8") : undefined;
        if (text === undefined) continue;
        const shown = relative(workspace.path, path);
        const isWhole = isOwn || isWholeNote(name, text, match, workspace.timezone);
        const mayHold = hints.facts.size > 0 || doomed.entries.size > 0 || match.mayCarry(text);
        const erased = isWhole
          ? { text: "", gone: [text.trim()], rewritten: new Map<string, string>() }
          : mayHold
            ? eraseText(text, match, { ...hints, day: /^\d{4}-\d{2}-\d{2}/.exec(basename(name))?.[0] })
            : { text, gone: [], rewritten: new Map<string, string>() };
        for (const gone of erased.gone) noteGone(work, shown, gone);
        for (const [was, is] of erased.rewritten) doomed.rewritten.set(was, is);
        for (const line of erased.text.split("\n"))
          if (match.isNear(line)) work.near.push({ path: shown, text: line.trim() });
        count += erased.gone.length;
        if (work.isTrial || erased.gone.length === 0) continue;
        const isLeft = erased.text.trim() !== "" || name === MEMORY_FILE || name === HISTORY_FILE;
        if (isLeft && !isWhole && !name.endsWith(".draft")) await replaceAndWipe(path, erased.text);
        else {
          await wipeFile(path, removeIfThere);
          for (let above = dirname(name); above !== "."; above = dirname(above)) emptied.add(above);
        }
      }
      if (work.isTrial) return;
      for (const name of [...emptied].toSorted((a, b) => b.length - a.length))
        await removeIfEmpty(join(files.folder, name));
      if (isOwn) await rm(files.folder, { recursive: true, force: true });
    });
  }
  return count;
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
export async function forgetTranscripts(work: Work, logs: readonly Log[], doomed: Doomed): Promise<number> {
  const { workspace, match, isTrial } = work;
  let count = 0;
  for (const { path, key: session } of logs) {
    const lockPath = join(workspace.sessions.lockFolder, `${basename(path, ".jsonl")}.append`);
    const sources = [...doomed.sources].flatMap((source) => {
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
        match.isMessage(message, session) || doomed.sources.has(`${session}\n${message.id ?? ""}`),
    };
    const rewritten = await rewriteIfReadable(work, path, () =>
      rewriteLog(path, lockPath, erasure, isTrial || match.isSession(session)),
    );
    if (rewritten === undefined) continue;
    for (const said of rewritten.messages) noteGone(work, relative(workspace.path, path), said);
    work.said.push(...rewritten.messages);
    for (const name of rewritten.named) work.named.add(name);
    for (const name of rewritten.kept) work.kept.add(name);
    count += rewritten.lines;
    if (match.isSession(session) && !isTrial) await withLock(lockPath, () => wipeFile(path, removeIfThere));
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
    // Moved away by /new since it was listed: it is listed again.
    if (systemCode(error) === undefined) throw error;
    if (systemCode(error) !== "ENOENT")
      workspace.emit({ type: "notice", text: `${path} cannot be read and may still hold it: ${describeError(error)}` });
    return undefined;
  }
}

/** Takes it out of what lies beside the sessions (whole results, pictures, damaged lines, drafts), and of replays. */
export async function forgetFiles(work: Work, logs: readonly Log[]): Promise<number> {
  const { workspace, match, isTrial } = work;
  const folder = workspace.sessions.path;
  const names = existsSync(folder) ? await readdir(folder, { recursive: true }) : [];
  const own = new Set(logs.filter(({ key }) => match.isSession(key)).map(({ path }) => basename(path, ".jsonl")));
  let count = 0;
  for (const name of names.filter((each) => !each.endsWith(".jsonl"))) {
    const path = join(folder, name);
    const bytes = await readIfFile(path);
    if (bytes === undefined) continue;
    const stem = name.startsWith("files/") ? (name.split("/")[1] ?? "") : basename(name).replace(/\.jsonl.*$/, "");
    const isOwn = own.has(stem);
    // Named by content: two messages may share a file.
    const isNamed = work.named.has(name) && !work.kept.has(name);
    const isWhole = isOwn || isNamed;
    if (!isWhole && !match.hits(bytes.toString("utf8")) && !match.hits(bytes.toString("latin1"))) continue;
    count++;
    work.finds.push({ path: relative(workspace.path, path), text: "(the whole file)" });
    if (isTrial) continue;
    if (isWhole || !name.endsWith(".damaged")) await wipeFile(path, removeIfThere);
    else await replaceAndWipe(path, linesWithout(bytes, match));
  }
  count += await forgetTypedLines(work);
  if (!isTrial) {
    for (const stem of own) await rm(join(folder, "files", stem), { recursive: true, force: true });
    await rm(ownPath(workspace.path, "replay"), { recursive: true, force: true });
  }
  return count;
}

/** The lines typed at the terminal, kept for its arrow keys. They name no session and no time: then all of them go. */
async function forgetTypedLines({ workspace, match, isTrial, finds }: Work): Promise<number> {
  const path = ownPath(workspace.path, "chat-history");
  const bytes = await readIfFile(path);
  if (bytes === undefined || bytes.length === 0) return 0;
  const isNamed = match.kind === "text" || match.kind === "person";
  if (isNamed && !match.hits(bytes.toString("utf8"))) return 0;
  finds.push({ path: relative(workspace.path, path), text: isNamed ? "(lines that hold it)" : "(the whole file)" });
  if (isTrial) return 1;
  if (isNamed) await replaceAndWipe(path, linesWithout(bytes, match));
  else await wipeFile(path, removeIfThere);
  return 1;
}

/** Damaged bytes may be of any encoding: they are read as bytes, and come back as they were. */
function linesWithout(bytes: Buffer, match: ForgetMatch): Buffer {
  const lines = bytes.toString("latin1").split("\n");
  const kept = lines.filter((line) => !match.hits(Buffer.from(line, "latin1").toString("utf8")) && !match.hits(line));
  return Buffer.from(kept.join("\n"), "latin1");
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

async function removeIfEmpty(folder: string): Promise<void> {
  try {
    await rmdir(folder);
  } catch (error) {
    if (!["ENOTEMPTY", "EEXIST", "ENOENT", "ENOTDIR"].includes(systemCode(error) ?? "")) throw error;
  }
}

async function readIfFile(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if (["EISDIR", "ENOENT"].includes(systemCode(error) ?? "")) return undefined;
    throw error;
  }
}
