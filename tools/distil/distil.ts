import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { principalAxes, project } from "./principal-axes.ts";
import { writeTableFile } from "./table-file.ts";
import { openTeacher, readVocabulary } from "./teacher.ts";

// Distils the plain table: every word piece through the teacher alone, then the strongest directions, then weights.
const { values } = parseArgs({
  options: { out: { type: "string" }, dimensions: { type: "string", default: "256" } },
});
const out = values.out ?? join(import.meta.dirname, "build/plain/word-table.bin");
await mkdir(dirname(out), { recursive: true });

// SIF: frequent pieces say little. The vocabulary is ordered by frequency, so that Zipf's law stands in for counts.
const sif = 1e-4;
// The first two thousand entries are marks and letters; words begin after them.
const firstWord = 1996;

const words = await readVocabulary("bge-small-en-v1.5");
const teacher = await openTeacher("bge-small-en-v1.5");
const start = words.indexOf("[CLS]");
const end = words.indexOf("[SEP]");
const vectors: Float32Array[] = [];
for (let from = 0; from < words.length; from += 2048) {
  const batch = words.slice(from, from + 2048).map((_, offset) => [start, from + offset, end]);
  vectors.push(...(await teacher.embedTokens(batch)));
  process.stderr.write(`\r${vectors.length} of ${words.length} pieces`);
}
process.stderr.write("\n");
await teacher.close();

const { mean, axes } = principalAxes(vectors, Number(values.dimensions));
const harmonic = Math.log(words.length) + 0.5772;
const table = vectors
  .map((vector) => project(vector, mean, axes))
  .map((vector, id) => {
    const probability = 1 / (Math.max(1, id - firstWord) * harmonic);
    return vector.map((value) => (value * sif) / (sif + probability));
  });
const kept = words.map((word, id) => ({ word, id })).filter(({ word }) => !/^\[.+\]$/.test(word));
const name = await writeTableFile(
  out,
  { words: kept.map(({ word }) => word), vectors: kept.map(({ id }) => table[id] ?? new Float32Array(0)) },
  { name: "plain", teacher: "BAAI/bge-small-en-v1.5" },
);
process.stdout.write(`${out}: ${name}\n`);
