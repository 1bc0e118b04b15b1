import { createHash } from "node:crypto";
import { appendFile, mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Embedder } from "../../src/model/embedder.ts";

const BATCH = 32;

/** An embedder that keeps what it has embedded on the disk, by the hash of the text: each peer gets the same vectors. */
export async function cacheEmbedder(embedder: Embedder, folder: string): Promise<Embedder> {
  if (embedder.isFree) return embedder;
  await mkdir(folder, { recursive: true });
  const path = join(folder, `${embedder.id.replaceAll(/[^\w.-]/g, "_")}.bin`);
  const known = readKnown(await readFile(path).catch(() => Buffer.alloc(0)), embedder.dimensions);
  return {
    ...embedder,
    async embed(texts, options) {
      const keys = texts.map((text) =>
        createHash("sha256")
          .update(`${options?.kind ?? ""} ${text}`)
          .digest("hex"),
      );
      const missing = keys.flatMap((key, index) => (known.has(key) ? [] : [index]));
      for (let first = 0; first < missing.length; first += BATCH) {
        const some = missing.slice(first, first + BATCH);
        const vectors = await embedder.embed(
          some.map((index) => texts[index] ?? ""),
          options,
        );
        const rows = some.map((index, place) => {
          const vector = Float32Array.from(vectors[place] ?? []);
          known.set(keys[index] ?? "", vector);
          return Buffer.concat([Buffer.from(keys[index] ?? "", "hex"), Buffer.from(vector.buffer)]);
        });
        await appendFile(path, Buffer.concat(rows));
      }
      return keys.map((key) => known.get(key) ?? new Float32Array(embedder.dimensions));
    },
  };
}

/** Rows of a hash and a vector; what a killed process left unfinished at the end is left out. */
function readKnown(bytes: Buffer, dimensions: number): Map<string, Float32Array> {
  const size = 32 + 4 * dimensions;
  const known = new Map<string, Float32Array>();
  for (let start = 0; start + size <= bytes.length; start += size) {
    const vector = new Float32Array(dimensions);
    for (let index = 0; index < dimensions; index++) vector[index] = bytes.readFloatLE(start + 32 + 4 * index);
    known.set(bytes.subarray(start, start + 32).toString("hex"), vector);
  }
  return known;
}
