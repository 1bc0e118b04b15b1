import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import * as z from "zod";
import { MemoryError, describeError } from "../errors.ts";
import { createRowSum } from "./sum-rows.ts";
import type { RowSum } from "./sum-rows.ts";
import { createWordList } from "./word-list.ts";
import type { WordList } from "./word-list.ts";

/** One small vector for each word piece. */
export interface WordTable {
  readonly name: string;
  readonly dimensions: number;
  /** Where each piece stands in the rows. */
  readonly pieces: WordList;
  /** Adds the vectors of pieces, their weights included, to a sum. */
  addRows(sum: Float32Array, rows: readonly number[]): void;
  close(): void;
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

/**
 * Opens a table: magic, length of the header, header, vocabulary, one scale for each row, rows of half bytes (the lower
 * half first); all numbers little-endian. Of the rows, which are most of it, only those that are asked for are read.
 */
export function openWordTable(path: string): WordTable {
  let file: number | undefined;
  try {
    file = openSync(path, "r");
    return readWordTable(file);
  } catch (error) {
    if (file !== undefined) closeSync(file);
    throw new MemoryError("EMBEDDER_FAILED", `Cannot read the word table at ${path}: ${describeError(error)}`, {
      cause: error,
    });
  }
}

function readWordTable(file: number): WordTable {
  const headerStart = tableMagic.length + 4;
  const start = readBytes(file, 0, headerStart);
  if (!start.subarray(0, tableMagic.length).equals(tableMagic)) {
    throw new Error("it is not a word table, or one of another version");
  }
  const headerEnd = headerStart + start.readUInt32LE(tableMagic.length);
  const header = TableHeader.parse(JSON.parse(readBytes(file, headerStart, headerEnd - headerStart).toString("utf8")));
  const vocabularyEnd = headerEnd + header.vocabularyBytes;
  const scalesEnd = vocabularyEnd + header.pieces * 4;
  const rowBytes = header.dimensions / 2;
  const end = scalesEnd + header.pieces * rowBytes;
  const { size } = fstatSync(file);
  if (size !== end) {
    throw new Error(`it should be ${end} bytes long and is ${size}`);
  }
  const pieces = createWordList(readBytes(file, headerEnd, header.vocabularyBytes).toString("utf8"), header.pieces);
  if (pieces.size !== header.pieces) {
    throw new Error(`its vocabulary should have ${header.pieces} entries and has ${pieces.size}`);
  }
  const scales = new Float32Array(copyBytes(readBytes(file, vocabularyEnd, header.pieces * 4)));
  const rows = openRows(file, header, scalesEnd);
  const addRows: WordTable["addRows"] = (sum, wanted) => {
    for (const each of wanted) rows.add(each, scales[each] ?? 0);
    rows.moveTo(sum);
  };
  return { name: header.name, dimensions: header.dimensions, pieces, addRows, close: rows.close };
}

// A question asks for tens of rows; whoever asks for more than these will ask for all.
const fewRows = 400;

/** Reads rows one by one, and all of them once many were asked for. */
function openRows(file: number, { dimensions, pieces }: TableHeader, start: number) {
  const rowBytes = dimensions / 2;
  let asked = 0;
  let isOpen = true;
  let all: RowSum | undefined;
  const few = createRowSum(dimensions, rowBytes);
  const close = () => {
    if (isOpen) closeSync(file);
    isOpen = false;
  };
  const readAll = (): RowSum => {
    const whole = createRowSum(dimensions, pieces * rowBytes);
    fillBytes(file, start, whole.bytes);
    close();
    return whole;
  };
  return {
    add(row: number, factor: number) {
      if (!all && asked++ < fewRows) {
        few.bytes.set(readBytes(file, start + row * rowBytes, rowBytes));
        return few.add(0, factor);
      }
      all ??= readAll();
      all.add(row * rowBytes, factor);
    },
    moveTo(target: Float32Array) {
      few.moveTo(target);
      all?.moveTo(target);
    },
    close,
  };
}

function readBytes(file: number, position: number, length: number): Buffer {
  return fillBytes(file, position, Buffer.allocUnsafe(length));
}

function fillBytes<Bytes extends Uint8Array>(file: number, position: number, bytes: Bytes): Bytes {
  let filled = 0;
  while (filled < bytes.length) {
    const count = readSync(file, bytes, filled, bytes.length - filled, position + filled);
    if (count === 0) {
      throw new Error("it ends too early");
    }
    filled += count;
  }
  return bytes;
}

// Floats must be aligned to four bytes, which nothing about a buffer promises.
function copyBytes(bytes: Buffer): ArrayBuffer {
  const copy = new ArrayBuffer(bytes.length);
  new Uint8Array(copy).set(bytes);
  return copy;
}
