import { hash } from "node:crypto";
import { closeSync, fstatSync, openSync, readdirSync, readFileSync, statSync } from "node:fs";
import type { Dirent } from "node:fs";
import { basename, join, posix } from "node:path";
import { crc32 } from "node:zlib";
import { describeError, systemCode } from "../../errors.ts";
import { ARCHIVE_PATH, SESSIONS_FOLDER } from "../../layout.ts";
import { isSearched } from "../../search/source-path.ts";
import { keyOfStem } from "../../session/file-name.ts";
import { parseLine } from "../../session/log-line.ts";
import type {
  KnownSource,
  Listing,
  SaidMessage,
  SourceContent,
  SourceHead,
  Sources,
  SourcesOptions,
  WantedSource,
} from "../sources.ts";
import { readBytes } from "./disk.ts";
import type { FolderWatch } from "./watch-folders.ts";

const NEWLINE = 10;
const FINGERPRINT_BYTES = 1024;
const CHUNK_BYTES = 256 * 1024;
// A few milliseconds.
const READ_AGAIN_BYTES = 4 * 1024 * 1024;
// A file changed this shortly before it was read may change again with the same size and time on its label.
const UNSURE_MS = 50;
const LONGEST_SHOWN = 200;

/** The files of a folder that are searched. */
export function createFileSources(workspace: string, { sessions, isWatched }: SourcesOptions): Sources {
  let watched: FolderWatch | undefined;
  return {
    async look(seen) {
      // Loaded by a process that stays: a command that asks once need not wait for it.
      if (isWatched) watched ??= (await import("./watch-folders.ts")).watchFolders(workspace, sessions);
      if (seen !== undefined && (await watched?.isQuiet(seen))) return { seen, forgettings: "", listing: undefined };
      return { seen: watched?.reset(), forgettings: "", listing: listSources(workspace, sessions) };
    },
    read: async (wanted) => wanted.map((each) => readSource(workspace, each)),
    close: () => watched?.close(),
  };
}

/**
 * Everything that is searched, with its state on the disk at this moment, one after the other: this runs before every
 * search, and of nearly all files nothing is needed but that they have not changed.
 */
function listSources(workspace: string, sessions: boolean): Listing {
  const closed = new Map<string, string>();
  const notes: string[] = [];
  const place: Place = {
    workspace,
    onUnreadable(folder, code) {
      if (!closed.has(folder)) notes.push(describeClosed(folder, code));
      closed.set(folder, code);
    },
  };
  return {
    heads: { [Symbol.iterator]: () => listHeads(place, sessions) },
    notes,
    mayBeThere(path) {
      if (closed.size === 0) return false;
      for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1))
        if (closed.has(path.slice(0, end))) return true;
      return false;
    },
  };
}

interface Place {
  readonly workspace: string;
  /** Hears of a folder that cannot be looked into; everything else is listed all the same. */
  readonly onUnreadable: (folder: string, code: string) => void;
}

function describeClosed(folder: string, code: string): string {
  const shown = folder.length > LONGEST_SHOWN ? `${folder.slice(0, LONGEST_SHOWN)}…` : folder;
  return `Cannot look into ${shown}/ (${code}): what was indexed from there before is still found, what is new there is not`;
}

function* listHeads(place: Place, sessions: boolean): Generator<SourceHead> {
  for (const folder of ["memory", "docs"])
    for (const path of walk(place, folder, true)) if (isSearched(path)) yield* describe(place, path);
  for (const folder of sessions ? [SESSIONS_FOLDER, ARCHIVE_PATH] : [])
    for (const path of walk(place, folder, false)) if (path.endsWith(".jsonl")) yield* describe(place, path);
}

function describe(place: Place, path: string): SourceHead[] {
  // One call into the system a file. Deleted meanwhile is not there.
  const look = () => statSync(`${place.workspace}/${path}`, { throwIfNoEntry: false });
  const stat = readable(place, posix.dirname(path), look, undefined);
  if (!stat?.isFile()) return [];
  // The time of change cannot be set back, as that of writing can; most often they are the same, and one will do.
  const changed = stat.ctimeMs === stat.mtimeMs ? "" : stat.ctimeMs;
  return [{ path, stamp: `${stat.size}:${stat.mtimeMs}:${changed}:${stat.ino}`, size: stat.size }];
}

/** What a stamp says of a file. */
function readStamp(stamp: string): { size: number; modifiedMs: number; inode: number } {
  const [size = "", modifiedMs = "", , inode = ""] = stamp.split(":");
  return { size: Number(size), modifiedMs: Number(modifiedMs), inode: Number.parseInt(inode, 10) };
}

function* walk(place: Place, folder: string, isDeep: boolean): Generator<string> {
  for (const entry of readFolder(place, folder)) {
    const path = `${folder}/${entry.name}`;
    if (entry.name.startsWith(".")) continue;
    // Symbolic links are neither: they could lead out of the workspace.
    if (entry.isFile()) yield path;
    if (entry.isDirectory() && isDeep) yield* walk(place, path, true);
  }
}

function readFolder(place: Place, folder: string): Dirent[] {
  return readable(place, folder, () => readdirSync(join(place.workspace, folder), { withFileTypes: true }), []);
}

/** What is there; nothing where it is gone, or where the folder may not be looked into. */
function readable<T>({ onUnreadable }: Place, folder: string, look: () => T, nothing: T): T {
  try {
    return look();
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    if (code !== "ENOENT" && code !== "ENOTDIR") onUnreadable(folder, code);
    return nothing;
  }
}

function readSource(workspace: string, { head, known }: WantedSource): SourceContent {
  try {
    const path = join(workspace, head.path);
    const isLog = head.path.startsWith(`${SESSIONS_FOLDER}/`);
    const content = isLog ? readLog(path, head, known) : readDocument(path, known);
    const now = performance.timeOrigin + performance.now();
    const isUnsure = now - readStamp(head.stamp).modifiedMs < UNSURE_MS;
    return { ...content, stamp: isUnsure ? `${head.stamp}?` : head.stamp };
  } catch (error) {
    // Deleted between the listing and the reading: the next listing will not show it.
    if (systemCode(error) === "ENOENT") return { kind: "gone" };
    if (systemCode(error) === undefined) throw error;
    return { kind: "unreadable", reason: `Cannot read ${head.path}: ${describeError(error)}` };
  }
}

type Unstamped<Content> = Content extends { stamp: string } ? Omit<Content, "stamp"> : never;

function readDocument(path: string, known: KnownSource | undefined): Unstamped<SourceContent> {
  const bytes = readFileSync(path);
  const mark = digest(bytes);
  return mark === known?.mark ? { kind: "same" } : { kind: "document", mark, bytes };
}

/** How far a log was read, and by what that part is known again. */
interface LogMark {
  readonly bytes: number;
  readonly lines: number;
  readonly messages: number;
  readonly checksum: number;
  /** Of the beginning, and of what stands before the end of that part. */
  readonly ends: string;
}

function writeMark({ bytes, lines, messages, checksum, ends }: LogMark): string {
  return [bytes, lines, messages, checksum, ends].join(" ");
}

function readMark(mark: string): LogMark {
  const [bytes, lines, messages, checksum, ends = ""] = mark.split(" ");
  return {
    bytes: Number(bytes),
    lines: Number(lines),
    messages: Number(messages),
    checksum: Number(checksum),
    ends,
  };
}

function readLog(path: string, head: SourceHead, known: KnownSource | undefined): Unstamped<SourceContent> {
  const file = openSync(path, "r");
  try {
    const { size } = fstatSync(file);
    const before = known ? { ...readMark(known.mark), session: known.session, stamp: known.stamp } : NOTHING_READ;
    const isLonger = before.bytes > 0 && size >= before.bytes && isUnchanged(file, before, head);
    return readLines(file, size, isLonger ? before : NOTHING_READ, head.path);
  } finally {
    closeSync(file);
  }
}

/** A log as it was when it was last read. */
interface LogBefore extends LogMark {
  readonly session: string;
  readonly stamp: string;
}

const NOTHING_READ: LogBefore = { bytes: 0, lines: 0, messages: 0, checksum: 0, ends: "", session: "", stamp: "" };

function readLines(file: number, size: number, known: LogBefore, path: string): Unstamped<SourceContent> {
  const from = known.bytes;
  const bytes = readBytes(file, from, size - from);
  const said: SaidMessage[] = [];
  let { session, lines, messages } = known;
  let begin = 0;
  for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, begin)) {
    lines++;
    const line = parseLine(bytes.subarray(begin, end), from + begin);
    if (line?.kind === "metadata") session = line.metadata.key ?? session;
    if (line?.kind === "message") said.push({ message: line.message, ordinal: messages++, line: lines });
    begin = end + 1;
  }
  const read = from + begin;
  const checksum = crc32(bytes.subarray(0, begin), known.checksum);
  return {
    kind: "log",
    mark: writeMark({ bytes: read, lines, messages, checksum, ends: digestEnds(file, read) }),
    session: session === "" ? keyOfStem(basename(path, ".jsonl")) : session,
    isLonger: from > 0,
    messages: said,
  };
}

/**
 * Whether what is known still stands there. Of a large file that grew only its beginning and what stood before the known
 * end are looked at, so that each message does not cost a reading of all before it; when it has not grown, or is another
 * file by that name, something else happened to it.
 */
function isUnchanged(file: number, { bytes, checksum, ends, stamp }: LogBefore, head: SourceHead): boolean {
  if (digestEnds(file, bytes) !== ends) return false;
  const [then, now] = [readStamp(stamp), readStamp(head.stamp)];
  const onlyGrew = then.size < now.size && then.inode === now.inode;
  return (onlyGrew && bytes > READ_AGAIN_BYTES) || checksumOf(file, bytes) === checksum;
}

function digestEnds(file: number, bytes: number): string {
  const head = readBytes(file, 0, Math.min(bytes, FINGERPRINT_BYTES));
  const tail = readBytes(file, Math.max(0, bytes - FINGERPRINT_BYTES), Math.min(bytes, FINGERPRINT_BYTES));
  return digest(Buffer.concat([head, tail]));
}

/** One that goes on where it stopped: what is added to a file is added to its checksum. */
function checksumOf(file: number, bytes: number): number {
  let sum = 0;
  for (let from = 0; from < bytes; from += CHUNK_BYTES)
    sum = crc32(readBytes(file, from, Math.min(CHUNK_BYTES, bytes - from)), sum);
  return sum;
}

function digest(content: Uint8Array): string {
  return hash("sha256", content, "base64url").slice(0, 11);
}
