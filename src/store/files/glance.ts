import type { Stats } from "node:fs";
import { closeSync, fstatSync, openSync } from "node:fs";
import { basename } from "node:path";
import { readBytes } from "./disk.ts";
import { parseTimestamp } from "../../time.ts";
import { keyOfStem } from "../../session/file-name.ts";
import { fileName } from "./log-view.ts";
import { parseJsonLine } from "../../session/parse-json-line.ts";
import { parseLine } from "../../session/log-line.ts";

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

// What follows the tide mark most often fits into the first; what does not fit into the last is read by opening the log.
const TAIL_BYTES = [16 << 10, 256 << 10];
const METADATA_START = '{"_type":"metadata"';
const NEWLINE = 10;

/**
 * What the list shows of a log, by its end alone: the tide mark says how much lies before it. Undefined where that is
 * not enough (a long stretch without a mark, damage): then the log must be opened. With the stamp of what was read.
 */
export function glanceAt(path: string, timezone: string): { stamp: string; glance: Glance | undefined } {
  const file = openSync(path, "r");
  try {
    const stat = fstatSync(file);
    for (const bytes of TAIL_BYTES) {
      const start = Math.max(0, stat.size - bytes);
      const glance = readGlance(readBytes(file, start, stat.size - start), start, path, timezone);
      if (glance || start === 0) return { stamp: stampOf(stat), glance };
    }
    return { stamp: stampOf(stat), glance: undefined };
  } finally {
    closeSync(file);
  }
}

function readGlance(bytes: Buffer, start: number, path: string, timezone: string): Glance | undefined {
  const found = bytes.lastIndexOf(`\n${METADATA_START}`) + 1;
  const at = found > 0 || (start === 0 && bytes.indexOf(METADATA_START) === 0) ? found : -1;
  const end = at < 0 ? -1 : bytes.indexOf(NEWLINE, at);
  // A piece without a newline is someone's write under way, or was torn by a crash.
  if (end < 0 || bytes.at(-1) !== NEWLINE) return undefined;
  const line = parseLine(bytes.subarray(at, end), start + at);
  if (line?.kind !== "metadata") return undefined;
  const { key, created_at, updated_at, last_consolidated, tide_mark: mark } = line.metadata;
  const hasMark =
    mark !== undefined &&
    mark.messages === last_consolidated &&
    mark.offset > start &&
    mark.offset <= start + at &&
    bytes[mark.offset - start - 1] === NEWLINE;
  const stem = basename(path, ".jsonl");
  const stored = updated_at ?? created_at;
  const isWhole = start === 0 && last_consolidated === 0;
  if ((!hasMark && !isWhole) || created_at === undefined || stored === undefined) return undefined;
  const { offset, messages: cursor } = hasMark ? mark : { offset: 0, messages: 0 };
  const waiting = bytes.subarray(offset - start);
  const said = readSaid(waiting);
  if (said === undefined) return undefined;
  const updatedAt = later(stored, said.newest, timezone);
  return {
    key: key ?? keyOfStem(stem),
    createdAt: created_at,
    updatedAt,
    cursor,
    messages: cursor + said.count,
    waitingBytes: waiting.length,
  };
}

/** How many messages there are, and when the newest was said; undefined where a line is not plainly one of ours. */
function readSaid(bytes: Buffer): { count: number; newest: unknown } | undefined {
  const lines = bytes.toString("utf8").split("\n");
  const said = lines.filter((text) => text !== "" && !text.startsWith(METADATA_START));
  // One call for all of them costs least. Pieces of a torn line that happen to fit together are fewer than their lines.
  const parsed = parseJsonLine(`[${said.join(",")}]`);
  const values: readonly unknown[] = Array.isArray(parsed) ? parsed : [];
  if (values.length !== said.length || !values.every(isMessage)) return undefined;
  const newest = values.at(-1);
  return { count: values.length, newest: newest && "timestamp" in newest ? newest.timestamp : undefined };
}

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
