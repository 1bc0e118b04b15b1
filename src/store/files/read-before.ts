import { readBytes } from "./disk.ts";
import type { StoredMessage } from "../../session/message.ts";
import { isLineStart, readLogLines } from "./read-log.ts";

const FIRST_STEP_BYTES = 64 << 10;
const SEARCH_BYTES = 4 << 20;

/**
 * The last `count` messages that lie before a byte of a session file, where `ordinal` messages do: read backwards, so
 * that the cost is theirs alone, however long the log is.
 */
export function readBefore(file: number, end: number, ordinal: number, count: number): StoredMessage[] {
  for (let step = FIRST_STEP_BYTES; ; step *= 4) {
    const start = nextLine(file, Math.max(0, end - step), end);
    const { lines } = readLogLines(file, start, end);
    const found = lines.flatMap((line) => (line.kind === "message" ? [line.message] : []));
    if (found.length < count && start > 0) continue;
    const first = ordinal - found.length;
    return found.map((message, index) => ({ ...message, id: message.id ?? `#${first + index}` })).slice(-count);
  }
}

/** Whether one of these byte strings stands before a byte of the file. */
export function holdsAny(file: number, end: number, needles: readonly Buffer[]): boolean {
  const overlap = Math.max(0, ...needles.map(({ length }) => length));
  for (let start = 0; start < end; start += SEARCH_BYTES) {
    const chunk = readBytes(file, start, Math.min(SEARCH_BYTES + overlap, end - start));
    if (needles.some((needle) => chunk.includes(needle))) return true;
  }
  return false;
}

/** Where the first line begins that does so at or behind this byte. */
function nextLine(file: number, from: number, end: number): number {
  if (isLineStart(file, from)) return from;
  const newline = readBytes(file, from, end - from).indexOf(10);
  return newline < 0 ? end : from + newline + 1;
}
