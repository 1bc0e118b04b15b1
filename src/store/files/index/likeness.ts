import type { Likeness } from "../../../search/likeness.ts";
import type { Database } from "../database.ts";
import { readAbout } from "./about.ts";
import { createVectorMatrix } from "../../../search/dot-product.ts";
import { BLOCK_ROWS, packBlock } from "../../../search/packed-vector.ts";
import type { VectorBlock } from "../../../search/packed-vector.ts";
import { listBlocks, readBlocks, readStoredBlock } from "./vector-blocks.ts";

/** The vectors of one embedder. */
export interface VectorIndex {
  compare(database: Database, question: Float32Array): Likeness;
}

const BUCKETS = 4_096;

/**
 * Compares questions with the vectors of one embedder. They are kept in memory for a process that `stays`; for others
 * only from the second question on, since most ask once: then each block is read, compared and let go.
 */
export function createVectorIndex(
  embedder: { readonly number: number; readonly dimensions: number },
  stays: boolean,
): VectorIndex {
  const { number, dimensions } = embedder;
  const matrix = createVectorMatrix(dimensions);
  const kept = new Map<number, { place: number; version: number }>();
  const free: number[] = [];
  let keptVersion = "";
  let facts: { version: string; blocks: FactBlock[] } = { version: "", blocks: [] };
  let isFirst = !stays;

  const refresh = (database: Database) => {
    const version = readAbout(database, "vectors");
    if (version === keptVersion) return;
    const listed = listBlocks(database, number);
    for (const [first, { place }] of kept) {
      if (listed.has(first)) continue;
      kept.delete(first);
      free.push(place);
    }
    for (const [first, blockVersion] of listed) {
      const known = kept.get(first);
      if (known?.version === blockVersion) continue;
      const block = readStoredBlock(database, number, first);
      if (!block) continue;
      const place = known?.place ?? free.pop() ?? kept.size + FACTS_PLACES;
      matrix.put(place, block, block.slots);
      letGo(block.packed);
      kept.set(first, { place, version: blockVersion });
    }
    keptVersion = version;
  };
  const compareKept = (cosines: Cosines) => {
    for (const [first, { place }] of kept) cosines.add(first, matrix.compare(place));
  };
  const compareStored = (database: Database, cosines: Cosines) => {
    for (const block of readBlocks(database, number)) {
      matrix.put(0, block, block.slots);
      cosines.add(block.first, matrix.compare(0).slice());
      letGo(block.packed);
    }
  };
  return {
    compare(database, question) {
      const cosines = createCosines();
      matrix.ask(question);
      if (isFirst) compareStored(database, cosines);
      else {
        refresh(database);
        compareKept(cosines);
      }
      isFirst = false;
      facts = refreshFacts(database, embedder, facts);
      for (const { passages, block } of facts.blocks) {
        matrix.put(0, block);
        const likeness = matrix.compare(0);
        passages.forEach((passage, row) => cosines.raise(passage, likeness[row] ?? NaN));
      }
      return cosines;
    },
  };
}

/** Gives the memory back at once: the garbage collector would let a hundred blocks gather first. */
function letGo({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}

// The first place is for what is compared and let go.
const FACTS_PLACES = 1;

interface Cosines extends Likeness {
  add(first: number, cosines: Float32Array): void;
  raise(passage: number, cosine: number): void;
}

/** Cosines by passage, a stretch of numbers for each block that is there; NaN where a passage has no vector. */
function createCosines(): Cosines {
  const blocks = new Map<number, Float32Array>();
  const rowsOf = (passage: number) => blocks.get(passage - (passage % BLOCK_ROWS));
  return {
    add(first, cosines) {
      blocks.set(first, cosines);
    },
    raise(passage, cosine) {
      const rows = rowsOf(passage);
      const place = passage % BLOCK_ROWS;
      if (rows && !((rows[place] ?? NaN) >= cosine)) rows[place] = cosine;
    },
    cosineOf(passage) {
      const cosine = rowsOf(passage)?.[passage % BLOCK_ROWS] ?? NaN;
      return Number.isNaN(cosine) ? undefined : cosine;
    },
    likest(count) {
      const sampled = blocks.size > FEW_BLOCKS ? reaching(blocks, leastOf(blocks.values(), count, SAMPLE_STEP)) : [];
      const found = sampled.length >= count ? sampled : reaching(blocks, leastOf(blocks.values(), count, 1));
      const sorted = found.toSorted((one, other) => other.cosine - one.cosine || one.passage - other.passage);
      return sorted.slice(0, count).map(({ passage }) => passage);
    },
  };
}

function reaching(
  blocks: ReadonlyMap<number, Float32Array>,
  least: number,
): { readonly passage: number; readonly cosine: number }[] {
  const found: { passage: number; cosine: number }[] = [];
  for (const [first, rows] of blocks) {
    for (let row = 0; row < BLOCK_ROWS; row++) {
      const cosine = rows[row] ?? NaN;
      if (cosine >= least) found.push({ passage: first + row, cosine });
    }
  }
  return found;
}

// Among many it is enough to count one in sixteen, and to take a few more for those that chance leaves out.
const FEW_BLOCKS = 64;
const SAMPLE_STEP = 16;
const MORE_OF_SAMPLE = 1.2;

/** A cosine that at least `count` passages reach, or (by a sample) very likely do; by counting, faster than by sorting. */
function leastOf(blocks: Iterable<Float32Array>, count: number, step: number): number {
  const buckets = new Uint32Array(BUCKETS + 1);
  const lowest = -1.1;
  const width = 2.2 / BUCKETS;
  let offset = 0;
  for (const rows of blocks) {
    // Not the same rows in each block: what stands at the head of a note may be alike everywhere.
    offset = (offset + 7) % step;
    for (let row = offset; row < BLOCK_ROWS; row += step) {
      const bucket = Math.floor(((rows[row] ?? NaN) - lowest) / width);
      if (bucket >= 0) buckets[Math.min(BUCKETS, bucket)] = (buckets[Math.min(BUCKETS, bucket)] ?? 0) + 1;
    }
  }
  const wanted = step === 1 ? count : (MORE_OF_SAMPLE * count) / step;
  let seen = 0;
  for (let bucket = BUCKETS; bucket > 0; bucket--) {
    seen += buckets[bucket] ?? 0;
    if (seen >= wanted) return lowest + bucket * width;
  }
  return -Infinity;
}

/** Vectors of facts, and the passages that they were drawn from. */
interface FactBlock {
  readonly passages: readonly number[];
  readonly block: VectorBlock;
}

/** The vectors of facts are few beside those of passages: all are read anew where anything has changed. */
function refreshFacts(
  database: Database,
  embedder: { readonly number: number; readonly dimensions: number },
  known: { version: string; blocks: FactBlock[] },
): { version: string; blocks: FactBlock[] } {
  const facts = readAbout(database, "facts");
  const version = facts === "" ? "" : `${facts} ${readAbout(database, "vectors")}`;
  return version === known.version ? known : { version, blocks: [...readFacts(database, embedder)] };
}

function* readFacts(
  database: Database,
  { number, dimensions }: { readonly number: number; readonly dimensions: number },
): Generator<FactBlock> {
  const read = database.prepare(
    "SELECT f.passage, v.vector FROM facts f JOIN vectors v ON v.hash = f.hash AND v.embedder = ? WHERE f.passage IS NOT NULL",
  );
  let passages: number[] = [];
  let vectors: Uint8Array[] = [];
  for (const row of read.iterate(number)) {
    if (row["vector"] instanceof Uint8Array) {
      passages.push(Number(row["passage"]));
      vectors.push(row["vector"]);
    }
    if (vectors.length < BLOCK_ROWS) continue;
    yield { passages, block: packBlock(vectors, dimensions) };
    passages = [];
    vectors = [];
  }
  if (vectors.length > 0) yield { passages, block: packBlock(vectors, dimensions) };
}
