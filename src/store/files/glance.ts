import type { Stats } from "node:fs";
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { basename } from "node:path";
import { readBytes } from "./disk.ts";
import { parseTimestamp } from "../../time.ts";
import { keyOfStem } from "../../session/file-name.ts";
import { fileName } from "./log-view.ts";
import { parseJsonLine } from "../../session/parse-json-line.ts";

/** What the list of sessions tells of a log. */
export interface Glance {
  key: string;
  createdAt: string;
  updatedAt: string;
  cursor: number;
  messages: number;
  /** The bytes of what is not digested yet. */
  waitingBytes: number;
}

/** What a look at the end of a log brought. */
export interface Glanced {
  stamp: string;
  glance: Glance | undefined;
  /** Whether an answer that waits may tell of the prompt that it came of. */
  mayTellPrompts: boolean;
}

// What follows the tide mark most often fits into the first; what does not fit into the last is read by opening the log.
const TAIL_BYTES = [16 << 10, 256 << 10];
const METADATA_START = '{"_type":"metadata"';
// Thousands of logs are glanced at in a row: they are read into the same bytes.
let scratch: Buffer | undefined;

/**
 * What the list shows of a log, by its end alone: the tide mark says how much lies before it. Undefined where that is
 * not enough (a long stretch without a mark, damage): then the log must be opened. With the stamp of what was read.
 */
export function glanceAt(path: string, timezone: string): Glanced {
  const file = openSync(path, "r");
  try {
    const stat = fstatSync(file);
    for (const most of TAIL_BYTES) {
      const start = Math.max(0, stat.size - most);
      const text = readEnd(file, start, stat.size - start);
      const glance = readGlance(text, start, path, timezone);
      if (glance) return { stamp: stampOf(stat), glance, mayTellPrompts: text.includes('"prompt"') };
      if (start === 0) break;
    }
    return { stamp: stampOf(stat), glance: undefined, mayTellPrompts: true };
  } finally {
    closeSync(file);
  }
}

/** The bytes as text, a character each: what is sought in them is ASCII, and its place is then its offset. */
function readEnd(file: number, start: number, length: number): string {
  scratch ??= Buffer.allocUnsafe(TAIL_BYTES[0] ?? 0);
  if (length > scratch.length) return readBytes(file, start, length).toString("latin1");
  const read = readSync(file, scratch, 0, length, start);
  const bytes = read === length ? scratch.subarray(0, length) : readBytes(file, start, length);
  return bytes.toString("latin1");
}

function readGlance(text: string, start: number, path: string, timezone: string): Glance | undefined {
  const found = text.lastIndexOf(`\n${METADATA_START}`) + 1;
  const at = found > 0 || (start === 0 && text.startsWith(METADATA_START)) ? found : -1;
  const end = at < 0 ? -1 : text.indexOf("\n", at);
  // A piece without a newline is someone's write under way, or was torn by a crash.
  if (end < 0 || !text.endsWith("\n")) return undefined;
  const line = readMark(text.slice(at, end));
  if (line === undefined) return undefined;
  const { mark } = line;
  const hasMark =
    mark !== undefined &&
    mark.messages === line.cursor &&
    mark.offset > start &&
    mark.offset <= start + at &&
    text[mark.offset - start - 1] === "\n";
  // What a later line leaves out an earlier one may say.
  if (line.updatedAt === undefined && (start > 0 || text.indexOf(METADATA_START) < at)) return undefined;
  const stored = line.updatedAt ?? line.createdAt;
  const isWhole = start === 0 && line.cursor === 0;
  if ((!hasMark && !isWhole) || line.createdAt === undefined || stored === undefined) return undefined;
  const { offset, messages: cursor } = hasMark ? mark : { offset: 0, messages: 0 };
  const said = readSaid(text, Math.max(0, offset - start));
  if (said === undefined) return undefined;
  return {
    key: line.key ?? keyOfStem(basename(path, ".jsonl")),
    createdAt: line.createdAt,
    updatedAt: later(stored, said.newest, timezone),
    cursor,
    messages: cursor + said.count,
    waitingBytes: start + text.length - offset,
  };
}

/** The metadata line as its schema reads it, of which a glance takes a few fields: the schema would take half of the time. */
function readMark(latin: string) {
  const value = parseJsonLine(NOT_ASCII.test(latin) ? Buffer.from(latin, "latin1").toString("utf8") : latin);
  if (typeof value !== "object" || value === null) return undefined;
  const field = (name: string): unknown => (Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined);
  if (field("_type") !== "metadata") return undefined;
  return {
    key: textOr(field("key")),
    createdAt: textOr(field("created_at")),
    updatedAt: textOr(field("updated_at")),
    cursor: field("last_consolidated"),
    mark: readTideMark(field("tide_mark")),
  };
}

const NOT_ASCII = /[^\0-\x7f]/;

function textOr(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function readTideMark(value: unknown): { messages: number; offset: number } | undefined {
  if (typeof value !== "object" || value === null || !("messages" in value && "offset" in value)) return undefined;
  const { messages, offset } = value;
  return isCount(messages) && isCount(offset) ? { messages, offset } : undefined;
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

/** How many messages there are, and when the newest was said; undefined where a line is not plainly one of ours. */
function readSaid(text: string, from: number): { count: number; newest: unknown } | undefined {
  let count = 0;
  let newest: unknown;
  let newestAt = from;
  for (let at = from; at < text.length;) {
    PLAIN_LINE.lastIndex = at;
    const isPlain = PLAIN_LINE.test(text);
    const end = isPlain ? PLAIN_LINE.lastIndex - 1 : text.indexOf("\n", at);
    if (isPlain || (end > at && !text.startsWith(METADATA_START, at))) {
      newest = isPlain ? undefined : parseJsonLine(text.slice(at, end));
      if (!isPlain && !isMessage(newest)) return undefined;
      newestAt = at;
      count++;
    }
    at = end + 1;
  }
  newest ??= count > 0 ? parseJsonLine(text.slice(newestAt, text.indexOf("\n", newestAt))) : {};
  return isMessage(newest) && "timestamp" in newest
    ? { count, newest: newest.timestamp }
    : { count, newest: undefined };
}

const TEXT = String.raw`"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[^"\\\x00-\x1f]*)*"`;
// A message of nothing but texts, as most are. Whatever matches is whole, and need not be parsed to be counted.
const PLAIN_LINE = new RegExp(String.raw`\{"role":"[a-z]+"(?:,"(?:content|timestamp|id)":${TEXT})*\}\n`, "y");

function isMessage(value: unknown): value is object {
  const hasRole = typeof value === "object" && value !== null && "role" in value && !("_type" in value);
  return hasRole && typeof value.role === "string" && value.role !== "";
}

function later(stored: string, said: unknown, timezone: string): string {
  if (typeof said !== "string" || said === stored) return stored;
  const [saidAt, storedAt] = [parseTimestamp(said, timezone), parseTimestamp(stored, timezone)];
  if (saidAt === undefined) return stored;
  return storedAt === undefined || saidAt > storedAt ? said : stored;
}

/** Which file this is, and in which state: the same stamp, the same words. */
export function stampOf(stat: Stats): string {
  return `${fileName(stat)}:${stat.size}:${stat.mtimeMs}`;
}
