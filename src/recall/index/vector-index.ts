import { createCosines } from "../../search/cosines.ts";
import type { Cosines, Likeness } from "../../search/cosines.ts";
import type { Database } from "../../store/files/database.ts";
import { readAbout } from "./schema.ts";
import { createVectorMatrix } from "../../search/vector-matrix.ts";
import { BLOCK_ROWS, packBlock } from "../../search/packed-vector.ts";
import type { VectorBlock } from "../../search/packed-vector.ts";
import { readVectors } from "./read-passages.ts";
import { listBlocks, readBlocks, readStoredBlock } from "./vector-blocks.ts";

/** The vectors of one embedder. */
export interface VectorIndex {
  compare(database: Database, question: Float32Array): Likeness;
  /** The vectors of passages, in the order asked for. */
  read(database: Database, passages: readonly number[]): (Float32Array | undefined)[];
}

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
    read(database, passages) {
      if (kept.size === 0) return readVectors(database, embedder, passages);
      return passages.map((passage) => {
        const slot = passage % BLOCK_ROWS;
        const block = kept.get(passage - slot);
        return block && matrix.read(block.place, slot);
      });
    },
  };
}

/** Gives the memory back at once: the garbage collector would let a hundred blocks gather first. */
function letGo({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}

// The first place is for what is compared and let go.
const FACTS_PLACES = 1;

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
