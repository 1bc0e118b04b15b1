import { createReadStream } from "node:fs";
import { describeError, MemoryError } from "../errors.ts";

/** A line of a text file and its number, counted from 1. */
export interface NumberedLine {
  number: number;
  text: string;
}

const NEWLINE = 10;

/**
 * Reads a UTF-8 file line by line; blank lines are passed over, bytes that are no UTF-8 are an error, or (`isLenient`)
 * replaced. Only a newline ends a line: U+2028, at which readline would split as well, may stand in JSON.
 */
export async function* readLines(path: string, name: string, { isLenient = false } = {}): AsyncGenerator<NumberedLine> {
  const decoder = new TextDecoder("utf-8", { fatal: !isLenient });
  let number = 0;
  let carried: Buffer[] = [];
  const decode = (bytes: Uint8Array): NumberedLine => {
    number += 1;
    try {
      return { number, text: decoder.decode(bytes).trim() };
    } catch (error) {
      throw new MemoryError("IMPORT_INVALID", `${name}:${number} is not UTF-8`, { cause: error });
    }
  };
  for await (const chunk of readChunks(path, name)) {
    let begin = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, begin)) {
      const line = decode(Buffer.concat([...carried, chunk.subarray(begin, end)]));
      carried = [];
      begin = end + 1;
      if (line.text !== "") yield line;
    }
    if (begin < chunk.length) carried.push(chunk.subarray(begin));
  }
  const last = decode(Buffer.concat(carried));
  if (last.text !== "") yield last;
}

async function* readChunks(path: string, name: string): AsyncGenerator<Buffer> {
  const stream: AsyncIterable<Buffer> = createReadStream(path, { highWaterMark: 1 << 20 });
  try {
    yield* stream;
  } catch (error) {
    throw new MemoryError("FILE_UNREADABLE", `Cannot read ${name}: ${describeError(error)}`, { cause: error });
  }
}
