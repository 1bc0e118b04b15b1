import { readFile } from "node:fs/promises";
import * as z from "zod";
import { MemoryError, describeError } from "../errors.ts";

/** One small vector for each word piece, stored as signed bytes times a scale. */
export interface WordTable {
  readonly name: string;
  readonly dimensions: number;
  /** Where each piece stands in the rows. */
  readonly pieces: ReadonlyMap<string, number>;
  /** What the bytes of each row are multiplied with; the weight of the piece is in it. */
  readonly scales: Float32Array;
  readonly rows: Int8Array;
}

/** The description that stands at the head of a table file. */
export const TableHeader = z.object({
  name: z.string().min(1),
  dimensions: z.int().positive(),
  pieces: z.int().positive(),
  vocabularyBytes: z.int().positive(),
  teacher: z.string(),
});
export type TableHeader = z.infer<typeof TableHeader>;

/** The first bytes of every table file; the last one is the version of the layout. */
export const tableMagic = Buffer.from("TIDETBL1", "latin1");

/** Reads a table: magic, length of the header, header, vocabulary, scales, rows; all numbers little-endian. */
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
    throw new Error("it is no table, or one of another version");
  }
  const headerStart = tableMagic.length + 4;
  const headerEnd = headerStart + file.readUInt32LE(tableMagic.length);
  const header = TableHeader.parse(JSON.parse(file.toString("utf8", headerStart, headerEnd)));
  const vocabularyEnd = headerEnd + header.vocabularyBytes;
  const scalesEnd = vocabularyEnd + header.pieces * 4;
  const end = scalesEnd + header.pieces * header.dimensions;
  if (file.length !== end) {
    throw new Error(`it should be ${end} bytes long and is ${file.length}`);
  }
  const words = file.toString("utf8", headerEnd, vocabularyEnd).split("\n");
  const pieces = new Map(words.map((word, index) => [word, index]));
  if (words.length !== header.pieces || pieces.size !== header.pieces) {
    throw new Error(`its vocabulary should have ${header.pieces} entries and has ${pieces.size}`);
  }
  return {
    name: header.name,
    dimensions: header.dimensions,
    pieces,
    scales: new Float32Array(copyBytes(file, vocabularyEnd, scalesEnd)),
    rows: new Int8Array(file.buffer, file.byteOffset + scalesEnd, header.pieces * header.dimensions),
  };
}

// Floats must be aligned to four bytes, which nothing in the file promises.
function copyBytes(file: Buffer, start: number, end: number): ArrayBuffer {
  const copy = new ArrayBuffer(end - start);
  new Uint8Array(copy).set(file.subarray(start, end));
  return copy;
}
