import { readFile } from "node:fs/promises";
import * as z from "zod";
import { MemoryError, describeError } from "../errors.ts";

/** One small vector for each word piece. */
export interface WordTable {
  readonly name: string;
  readonly dimensions: number;
  /** Where each piece stands in the rows. */
  readonly pieces: ReadonlyMap<string, number>;
  /** Adds the vector of a piece, its weight included, to a sum. */
  addRow(sum: Float32Array, row: number): void;
}

/** The description that stands at the head of a table file. */
const TableHeader = z.object({
  name: z.string().min(1),
  dimensions: z.int().positive().multipleOf(2),
  pieces: z.int().positive(),
  vocabularyBytes: z.int().positive(),
  teacher: z.string(),
});
export type TableHeader = z.infer<typeof TableHeader>;

/** The first bytes of every table file; the last one is the version of the layout. */
export const tableMagic = Buffer.from("TIDETBL2", "latin1");

/** What is added to each number so that half a byte, which knows no sign, can hold it. */
export const nibbleOffset = 8;

/**
 * Reads a table: magic, length of the header, header, vocabulary, one scale for each row, rows of half bytes (the lower
 * half first); all numbers little-endian.
 */
export async function loadWordTable(path: string): Promise<WordTable> {
  try {
    return parseWordTable(await readFile(path));
  } catch (error) {
    throw new MemoryError("EMBEDDER_FAILED", `Cannot read the word table at ${path}: ${describeError(error)}`, {
      cause: error,
    });
  }
}

function parseWordTable(file: Buffer): WordTable {
  if (!file.subarray(0, tableMagic.length).equals(tableMagic)) {
    throw new Error("it is not a word table, or one of another version");
  }
  const headerStart = tableMagic.length + 4;
  const headerEnd = headerStart + file.readUInt32LE(tableMagic.length);
  const header = TableHeader.parse(JSON.parse(file.toString("utf8", headerStart, headerEnd)));
  const vocabularyEnd = headerEnd + header.vocabularyBytes;
  const scalesEnd = vocabularyEnd + header.pieces * 4;
  const end = scalesEnd + (header.pieces * header.dimensions) / 2;
  if (file.length !== end) {
    throw new Error(`it should be ${end} bytes long and is ${file.length}`);
  }
  const words = file.toString("utf8", headerEnd, vocabularyEnd).split("\n");
  const pieces = new Map<string, number>();
  let row = 0;
  for (const word of words) {
    pieces.set(word, row++);
  }
  if (words.length !== header.pieces || pieces.size !== header.pieces) {
    throw new Error(`its vocabulary should have ${header.pieces} entries and has ${pieces.size}`);
  }
  const scales = new Float32Array(copyBytes(file, vocabularyEnd, scalesEnd));
  const addRow = createAddRow(file.subarray(scalesEnd), scales, header.dimensions / 2);
  return { name: header.name, dimensions: header.dimensions, pieces, addRow };
}

// Floats must be aligned to four bytes, which nothing in the file promises.
function copyBytes(file: Buffer, start: number, end: number): ArrayBuffer {
  const copy = new ArrayBuffer(end - start);
  new Uint8Array(copy).set(file.subarray(start, end));
  return copy;
}

function createAddRow(rows: Uint8Array, scales: Float32Array, rowBytes: number): WordTable["addRow"] {
  return (sum, row) => {
    const scale = scales[row] ?? 0;
    const start = row * rowBytes;
    for (let index = 0; index < rowBytes; index++) {
      const pair = rows[start + index] ?? 0;
      const place = index * 2;
      sum[place] = (sum[place] ?? 0) + scale * ((pair & 15) - nibbleOffset);
      sum[place + 1] = (sum[place + 1] ?? 0) + scale * ((pair >> 4) - nibbleOffset);
    }
  };
}
