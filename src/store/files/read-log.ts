import { parseLine } from "../../session/log-line.ts";
import type { LogLine, MetadataLine } from "../../session/log-line.ts";
import { readBytes } from "./disk.ts";

const NEWLINE = 10;
/** As much of a first line as identity looks at. */
export const FIRST_LINE_BYTES = 4096;
const CHUNK_BYTES = 1 << 20;
const METADATA_START = Buffer.from('{"_type":"metadata"');

/** Reads the complete lines in `[from, to)`; `rest` is what follows the last newline. */
export function readLogLines(file: number, from: number, to: number): { lines: LogLine[]; rest: Buffer } {
  const lines: LogLine[] = [];
  let carried: Buffer[] = [];
  let lineStart = from;
  for (let position = from; position < to;) {
    const chunk = readBytes(file, position, Math.min(CHUNK_BYTES, to - position));
    if (chunk.length === 0) break;
    let begin = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, begin)) {
      const line = Buffer.concat([...carried, chunk.subarray(begin, end)]);
      carried = [];
      const parsed = parseLine(line, lineStart);
      if (parsed) lines.push(parsed);
      begin = end + 1;
      lineStart = position + begin;
    }
    if (begin < chunk.length) carried.push(chunk.subarray(begin));
    position += chunk.length;
  }
  return { lines, rest: Buffer.concat(carried) };
}

/** The last metadata line of the kind that we write, found from the end without parsing what lies before. */
export function findLastMetadata(file: number, size: number): { metadata: MetadataLine; offset: number } | undefined {
  for (let end = size; end > 0;) {
    const start = Math.max(0, end - CHUNK_BYTES);
    // A little overlap: the marker may lie across two chunks.
    const chunk = readBytes(file, start, Math.min(size - start, end - start + METADATA_START.length));
    for (
      let at = chunk.lastIndexOf(METADATA_START);
      at >= 0;
      at = at === 0 ? -1 : chunk.lastIndexOf(METADATA_START, at - 1)
    ) {
      const found = metadataAt(file, start + at, size);
      if (found) return { metadata: found, offset: start + at };
    }
    end = start;
  }
  return undefined;
}

/** The first line of the file; it tells one log of a key from the next. */
export function readFirstLine(file: number, size: number): string {
  const head = readBytes(file, 0, Math.min(size, FIRST_LINE_BYTES));
  const end = head.indexOf(NEWLINE);
  return head.subarray(0, end < 0 ? head.length : end).toString("utf8");
}

/** Whether a line begins at this offset. */
export function isLineStart(file: number, offset: number): boolean {
  return offset === 0 || readBytes(file, offset - 1, 1)[0] === NEWLINE;
}

function metadataAt(file: number, offset: number, size: number): MetadataLine | undefined {
  if (!isLineStart(file, offset)) return undefined;
  const bytes = readBytes(file, offset, Math.min(size - offset, CHUNK_BYTES));
  const end = bytes.indexOf(NEWLINE);
  const line = end < 0 ? undefined : parseLine(bytes.subarray(0, end), offset);
  return line?.kind === "metadata" ? line.metadata : undefined;
}
