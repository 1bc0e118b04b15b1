import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { tableMagic } from "../../src/model/word-table.ts";
import type { TableHeader } from "../../src/model/word-table.ts";

/** A table before it is rounded to bytes. */
export interface FloatTable {
  readonly words: readonly string[];
  readonly vectors: readonly Float32Array[];
}

/** Rounds each row to signed bytes with a scale of its own, and writes the file that the embedder loads. */
export async function writeTableFile(
  path: string,
  table: FloatTable,
  about: { name: string; teacher: string },
): Promise<string> {
  const dimensions = table.vectors[0]?.length ?? 0;
  const scales = new Float32Array(table.vectors.length);
  const rows = new Int8Array(table.vectors.length * dimensions);
  for (const [row, vector] of table.vectors.entries()) {
    const largest = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    const scale = largest / 127;
    scales[row] = scale;
    for (const [index, value] of vector.entries()) {
      rows[row * dimensions + index] = scale > 0 ? Math.round(value / scale) : 0;
    }
  }
  const vocabulary = Buffer.from(table.words.join("\n"));
  const body = Buffer.concat([vocabulary, Buffer.from(scales.buffer), Buffer.from(rows.buffer)]);
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
