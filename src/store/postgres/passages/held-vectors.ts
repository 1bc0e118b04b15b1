import type { Embedder } from "../../../model/embedder.ts";
import { createCosines } from "../../../search/cosines.ts";
import { createVectorMatrix } from "../../../search/vector-matrix.ts";
import type { Likeness } from "../../../search/likeness.ts";
import { BLOCK_ROWS, packBlock, SCALE_BYTES } from "../../../search/packed-vector.ts";
import { textIn } from "../engine.ts";
import type { Row } from "../engine.ts";
import type { Query } from "../tenant.ts";
import { stretchesOf } from "./read-blocks.ts";
import type { ChangedBlock } from "./read-blocks.ts";

/** The vectors of one embedder, kept in memory by a process that stays. */
export interface HeldVectors {
  /** Up to which change they are known. */
  readonly version: number;
  /** Reads the blocks that have changed; they are all that did. */
  refresh(ask: Query, changed: readonly ChangedBlock[]): Promise<void>;
  compare(question: Float32Array): Likeness;
}

/** Vectors that are compared at once, and the passages that they belong to. */
interface Held {
  readonly place: number;
  readonly passages: readonly number[];
}

// The vectors of passages and of facts, passages first; some numbers of a block may be missing.
const READ = `
  SELECT v.passage / ${BLOCK_ROWS} * ${BLOCK_ROWS} AS first, count(*) FILTER (WHERE NOT v.is_fact) AS own,
    string_agg(v.passage::text, ',' ORDER BY v.is_fact, v.passage, v.hash) AS passages,
    string_agg(v.packed, ''::bytea ORDER BY v.is_fact, v.passage, v.hash) AS packed
  FROM tidemark_index_places v
  WHERE v.workspace = $1 AND v.embedder = $2 AND v.passage >= $3 AND v.passage < $4 GROUP BY 1`;

/** Keeps the vectors of one embedder in memory; the code that compares them is that of files. */
export function createHeldVectors({ id, dimensions }: Pick<Embedder, "id" | "dimensions">): HeldVectors {
  const matrix = createVectorMatrix(dimensions);
  const width = SCALE_BYTES + Math.ceil(dimensions / 2);
  const blocks = new Map<number, { own: Held; facts: readonly Held[] }>();
  const free: number[] = [];
  let places = 0;
  let version = 0;
  const hold = (passages: readonly number[], packed: Uint8Array, from: number, slots?: Uint8Array): Held => {
    const place = free.pop() ?? places++;
    const vectors = passages.map((_, row) => packed.subarray((from + row) * width, (from + row + 1) * width));
    matrix.put(place, packBlock(vectors, dimensions), slots);
    return { place, passages };
  };
  const letGo = (first: number): void => {
    const known = blocks.get(first);
    if (known) free.push(known.own.place, ...known.facts.map(({ place }) => place));
    blocks.delete(first);
  };
  const put = (row: Row): void => {
    const first = Number(row["first"]);
    const packed = row["packed"] instanceof Uint8Array ? row["packed"] : new Uint8Array();
    const passages = textIn(row, "passages").split(",").map(Number);
    const count = Number(row["own"]);
    const own = passages.slice(0, count);
    const facts: Held[] = [];
    for (let from = count; from < passages.length; from += BLOCK_ROWS)
      facts.push(hold(passages.slice(from, from + BLOCK_ROWS), packed, from));
    const slots = Uint8Array.from(own, (passage) => passage - first);
    blocks.set(first, { own: hold(own, packed, 0, slots), facts });
  };
  return {
    get version() {
      return version;
    },
    async refresh(ask, changed) {
      const firsts = changed.filter((block) => block.version > version).map(({ first }) => first);
      if (firsts.length === 0) return;
      for (const { from, to } of stretchesOf(firsts)) {
        const rows = await ask(READ, [id, from, to]);
        for (let first = from; first < to; first += BLOCK_ROWS) letGo(first);
        for (const row of rows) put(row);
      }
      version = Math.max(...changed.map((block) => block.version));
    },
    compare(question) {
      const cosines = createCosines();
      matrix.ask(question);
      for (const [first, { own, facts }] of blocks) {
        cosines.add(first, matrix.compare(own.place));
        for (const { place, passages } of facts) {
          const likeness = matrix.compare(place);
          passages.forEach((passage, row) => cosines.raise(passage, likeness[row] ?? NaN));
        }
      }
      return cosines;
    },
  };
}

/** The same for one question alone, compared by the database: nothing but the cosines travel. */
export async function compareInDatabase(ask: Query, embedder: string, vector: string): Promise<Likeness> {
  const [row] = await ask(
    `SELECT string_agg(int8send(passage) || float4send((-(vector <#> $3::halfvec))::real), ''::bytea) AS cosines
     FROM tidemark_index_places WHERE workspace = $1 AND embedder = $2`,
    [embedder, vector],
  );
  const found = row?.["cosines"] instanceof Uint8Array ? row["cosines"] : new Uint8Array();
  const view = new DataView(found.buffer, found.byteOffset, found.byteLength);
  const cosines = createCosines();
  const known = new Set<number>();
  for (let at = 0; at + COSINE_BYTES <= found.byteLength; at += COSINE_BYTES) {
    const passage = Number(view.getBigInt64(at));
    const first = passage - (passage % BLOCK_ROWS);
    if (!known.has(first)) cosines.add(first, new Float32Array(BLOCK_ROWS).fill(NaN));
    known.add(first);
    cosines.raise(passage, view.getFloat32(at + 8));
  }
  return cosines;
}

const COSINE_BYTES = 12;
