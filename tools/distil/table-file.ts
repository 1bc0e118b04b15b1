import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { nibbleOffset } from "../../src/model/sum-rows.ts";
import { tableMagic } from "../../src/model/word-table.ts";
import type { TableHeader } from "../../src/model/word-table.ts";

/** A table before it is rounded. */
export interface FloatTable {
  readonly words: readonly string[];
  readonly vectors: readonly Float32Array[];
}

// Half a byte without its lowest value, so that the numbers are the same on both sides of nought.
const largestNumber = 7;
// A row's largest number is often an outlier: cutting it may leave the rest more exact.
const cuts = [0.6, 0.7, 0.8, 0.9, 1];

/** Rounds each row to half bytes with a scale of its own, and writes the file that the embedder loads. */
export async function writeTableFile(
  path: string,
  table: FloatTable,
  about: { name: string; teacher: string },
): Promise<string> {
  const dimensions = table.vectors[0]?.length ?? 0;
  const unit = 1 / medianLength(table.vectors);
  const rounded = table.vectors.map((vector) => roundRow(vector.map((value) => value * unit)));
  const vocabulary = Buffer.from(table.words.join("\n"));
  const scales = Float32Array.from(rounded, (row) => row.scale);
  const rows = Buffer.concat(rounded.map((row) => packRow(row.numbers)));
  const body = Buffer.concat([vocabulary, Buffer.from(scales.buffer), rows]);
  const header: TableHeader = {
    name: `${about.name}-${createHash("sha256").update(body).digest("hex").slice(0, 8)}`,
    dimensions,
    pieces: table.words.length,
    vocabularyBytes: vocabulary.length,
    teacher: about.teacher,
  };
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  await writeFile(path, Buffer.concat([tableMagic, length, text, body]));
  return header.name;
}

// The embedder gives words that it cannot spell the length 1, which should be that of an ordinary word.
function medianLength(vectors: readonly Float32Array[]): number {
  const lengths = vectors.map((vector) => Math.hypot(...vector)).toSorted((a, b) => a - b);
  return lengths[Math.floor(lengths.length / 2)] ?? 1;
}

function roundRow(vector: Float32Array): { scale: number; numbers: Float32Array } {
  const largest = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-12);
  const choices = cuts.map((cut) => {
    const scale = (largest * cut) / largestNumber;
    const numbers = vector.map((value) => Math.max(-largestNumber, Math.min(largestNumber, Math.round(value / scale))));
    const error = numbers.reduce((sum, number, index) => sum + (number * scale - (vector[index] ?? 0)) ** 2, 0);
    return { scale, numbers, error };
  });
  return choices.reduce((best, choice) => (choice.error < best.error ? choice : best));
}

function packRow(numbers: Float32Array): Buffer {
  const bytes = Buffer.alloc(numbers.length / 2);
  for (let index = 0; index < bytes.length; index++) {
    const low = (numbers[index * 2] ?? 0) + nibbleOffset;
    const high = (numbers[index * 2 + 1] ?? 0) + nibbleOffset;
    bytes[index] = low | (high << 4);
  }
  return bytes;
}
