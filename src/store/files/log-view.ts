import type { Stats } from "node:fs";
import { appendFileSync, closeSync, existsSync, fstatSync, openSync, readFileSync, statSync } from "node:fs";
import { describeError, MemoryError, systemCode } from "../../errors.ts";
import type { StoredMessage } from "../../session/message.ts";
import { holdsAny, readBefore } from "./read-before.ts";
import { FIRST_LINE_BYTES, findLastMetadata, isLineStart, readFirstLine, readLogLines } from "./read-log.ts";
import { parseLine } from "../../session/log-line.ts";
import type { LogLine, MetadataLine } from "../../session/log-line.ts";

/** Where a session file lies, and who is told of damage in it. */
export interface Place {
  path: string;
  onDamage: (damage: Damage) => void;
  /** Nothing is written, also not a copy of what is damaged. */
  isReadOnly?: boolean | undefined;
}

/** Damaged bytes that loading met; they stay where they are, and a copy lies in `<file>.damaged`. */
export interface Damage {
  path: string;
  lines: number;
  reason: string;
}

/** What is known of a session file: its newest metadata, and the messages from `base` on. */
export interface View {
  /** Which file this is, as the disk names it; undefined while there is none. */
  file: string | undefined;
  size: number;
  identity: string;
  metadata: MetadataLine | undefined;
  cursor: number;
  /** Ordinal of the first message in `tail`. */
  base: number;
  /** The byte behind the messages before `base`. */
  baseOffset: number;
  tail: StoredMessage[];
  offsets: number[];
  needsNewline: boolean;
}

/** The view of a file that is not there, or not read yet. */
export function emptyView(file?: string, identity = ""): View {
  return {
    file,
    size: 0,
    identity,
    metadata: undefined,
    cursor: 0,
    base: 0,
    baseOffset: 0,
    tail: [],
    offsets: [],
    needsNewline: false,
  };
}

/** Brings the view up to date with the disk; `locked` means that no one else can be half-way through an append. */
export function refreshView(place: Place, view: View, locked: boolean): View {
  try {
    return refresh(place, view, locked);
  } catch (error) {
    // Moved away between two looks, as by /new: what lies here now is another log, or none.
    if (!(error instanceof MemoryError) || systemCode(error.cause) !== "ENOENT") throw error;
    return emptyView();
  }
}

/** Whether something follows the last newline that the view has seen. */
export function hasUnfinishedLine(place: Place, view: View): boolean {
  return (statSync(place.path, { throwIfNoEntry: false })?.size ?? 0) > view.size;
}

function refresh(place: Place, view: View, locked: boolean): View {
  const stat = statSync(place.path, { throwIfNoEntry: false });
  if (!stat) return emptyView();
  if (fileName(stat) !== view.file || stat.size < view.size) return load(place, locked);
  if (stat.size === view.size) return view;
  return withFile(place.path, (file, size) => {
    // An ancestor that shares the folder rewrites the whole file, which changes its first line.
    if (readFirstLine(file, size) !== view.identity) return loadWhole(place, locked);
    return extend(place, view, file, size, locked);
  });
}

function load(place: Place, locked: boolean): View {
  return withFile(place.path, (file, size, name) => {
    const last = findLastMetadata(file, size);
    const mark = last?.metadata.tide_mark;
    const isUsable =
      last !== undefined &&
      mark !== undefined &&
      mark.messages === last.metadata.last_consolidated &&
      mark.offset <= last.offset &&
      isLineStart(file, mark.offset);
    if (!isUsable) return loadWhole(place, locked);
    const start = emptyView(name, readFirstLine(file, size));
    Object.assign(start, {
      size: mark.offset,
      base: mark.messages,
      baseOffset: mark.offset,
      metadata: last.metadata,
    });
    return extend(place, start, file, size, locked);
  });
}

/** Reads the file from its beginning, past the cursor too. */
export function loadWhole(place: Place, locked: boolean): View {
  return withFile(place.path, (file, size, name) =>
    extend(place, emptyView(name, readFirstLine(file, size)), file, size, locked),
  );
}

/** Up to `count` messages before an ordinal, whether or not the view holds them. */
export function messagesBefore(place: Place, view: View, ordinal: number, count: number): StoredMessage[] {
  const from = Math.max(0, ordinal - count);
  const held = view.tail.slice(Math.max(0, from - view.base), Math.max(0, ordinal - view.base));
  const missing = Math.min(ordinal, view.base) - from;
  if (missing <= 0) return held;
  const earlier = withFile(place.path, (file) => readBefore(file, view.baseOffset, view.base, view.base - from));
  return [...earlier.slice(0, missing), ...held];
}

/** Whether no message before those that the view holds can have one of these ids; false when that is not certain. */
export function isNowhereBefore(place: Place, view: View, ids: readonly string[]): boolean {
  // Ids that ancestors left out are made of ordinals, and what is not ASCII can be written in several ways.
  if (!ids.every((id) => /^[\w.:@-]+$/.test(id))) return false;
  const needles = ids.map((id) => Buffer.from(`"${id}"`));
  return withFile(place.path, (file) => !holdsAny(file, view.baseOffset, needles));
}

function extend(place: Place, view: View, file: number, size: number, locked: boolean): View {
  const { lines, rest } = readLogLines(file, view.size, size);
  const restStart = size - rest.length;
  const unfinished = locked ? parseLine(rest, restStart) : undefined;
  if (unfinished) lines.push(unfinished);
  view.needsNewline = locked ? rest.length > 0 : view.needsNewline && restStart === view.size;
  // Without the lock the piece after the last newline may be someone's append under way: it is read next time.
  view.size = locked ? size : restStart;
  addLines(view, lines);
  keepDamaged(place, lines);
  return view;
}

/** What tells a log from others of its key, without opening it. */
export function readLogIdentity(path: string): string {
  return withFile(path, (file, size) => readFirstLine(file, size));
}

/** The newest metadata line of the kind that we write, if there is one. */
export function readLastMetadata(path: string): MetadataLine | undefined {
  return withFile(path, (file, size) => findLastMetadata(file, size)?.metadata);
}

function addLines(view: View, lines: readonly LogLine[]): void {
  for (const line of lines) addLine(view, line);
  view.cursor = validCursor(view);
}

function addLine(view: View, line: LogLine): void {
  if (line.kind === "metadata") view.metadata = mergeMetadata(view.metadata, line.metadata);
  if (line.kind !== "message") return;
  const { message } = line;
  // Ancestors give no ids; the ordinal is as lasting as the log, which never changes.
  view.tail.push({ ...message, id: message.id ?? `#${view.base + view.tail.length}` });
  view.offsets.push(line.offset);
}

function validCursor(view: View): number {
  const cursor = view.metadata?.last_consolidated;
  const isInRange = typeof cursor === "number" && Number.isInteger(cursor) && cursor >= 0;
  return isInRange && cursor <= view.base + view.tail.length ? cursor : 0;
}

/** The view after these lines were written: what a reader of the file would see, without reading it. */
export function withAppended(view: View, lines: readonly string[], file: string): View {
  if (view.size === 0)
    view.identity = Buffer.from(lines[0] ?? "")
      .subarray(0, FIRST_LINE_BYTES)
      .toString("utf8");
  let offset = view.size + (view.needsNewline ? 1 : 0);
  const parsed: LogLine[] = [];
  for (const line of lines) {
    const bytes = Buffer.from(line);
    const entry = parseLine(bytes, offset);
    if (entry) parsed.push(entry);
    offset += bytes.length + 1;
  }
  Object.assign(view, { file, size: offset, needsNewline: false });
  addLines(view, parsed);
  return view;
}

/** Copies newly met damage beside the file, once, and says so. */
function keepDamaged(place: Place, lines: readonly LogLine[]): void {
  const damaged = lines.filter((line) => line.kind === "damaged").map((line) => line.bytes);
  if (damaged.length === 0) return;
  const copy = `${place.path}.damaged`;
  const kept = new Set(existsSync(copy) ? readFileSync(copy, "latin1").split("\n") : []);
  const missing = damaged.filter((bytes) => !kept.has(bytes.toString("latin1")));
  if (missing.length === 0) return;
  if (place.isReadOnly) {
    const reason = `Skipped ${missing.length} damaged line${missing.length === 1 ? "" : "s"} in ${place.path}`;
    place.onDamage({ path: place.path, lines: missing.length, reason });
    return;
  }
  appendFileSync(copy, Buffer.concat(missing.flatMap((bytes) => [bytes, Buffer.from("\n")])), { mode: 0o600 });
  place.onDamage({
    path: place.path,
    lines: missing.length,
    reason: `Skipped ${missing.length} damaged line${missing.length === 1 ? "" : "s"} in ${place.path}; a copy is in ${copy}`,
  });
}

function withFile<T>(path: string, work: (file: number, size: number, name: string) => T): T {
  try {
    const file = openSync(path, "r");
    try {
      const stat = fstatSync(file);
      return work(file, stat.size, fileName(stat));
    } finally {
      closeSync(file);
    }
  } catch (error) {
    const code = systemCode(error);
    if (error instanceof MemoryError || code === undefined) throw error;
    const hint = code === "EACCES" ? "; check its permissions" : "";
    throw new MemoryError("SESSION_UNREADABLE", `Cannot read the session ${path}: ${describeError(error)}${hint}`, {
      cause: error,
    });
  }
}

/** Tells one file on the disk from another. */
export function fileName(stat: Stats): string {
  // Inode numbers are used again after a delete; the time of birth tells the two apart.
  return `${stat.dev}:${stat.ino}:${stat.birthtimeMs}`;
}

function mergeMetadata(before: MetadataLine | undefined, after: MetadataLine): MetadataLine {
  const merged = { ...before, ...after };
  merged.created_at ??= before?.created_at;
  merged.updated_at ??= before?.updated_at;
  return merged;
}
