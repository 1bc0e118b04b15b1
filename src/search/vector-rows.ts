import { createVectorMatrix } from "./dot-product.ts";

/** The best cosine of each owner, by number (-1: no vector), and the passage that had it (0: a fact). */
export interface Likeness {
  readonly similarity: Float32Array;
  readonly passage: Float64Array;
}

/** The vectors of passages and facts, each of which belongs to a unit. */
export interface VectorRows {
  /** Adds the vector of a passage, or of a fact (passage 0), to those of an owner, who is known by a number. */
  add(owner: number, passage: number, packed: unknown): void;
  /** Forgets the vectors of facts. */
  dropFacts(): void;
  compare(question: Float32Array, owners: number): Likeness;
}

const NOBODY = -1;

/** Makes room for vectors of so many dimensions. */
export function createVectorRows(dimensions: number): VectorRows {
  const matrix = createVectorMatrix(dimensions);
  const owners: number[] = [];
  const passages: number[] = [];
  const facts: number[] = [];
  return {
    add(owner, passage, packed) {
      if (!(packed instanceof Uint8Array)) return;
      const row = matrix.add(packed);
      owners[row] = owner;
      passages[row] = passage;
      if (passage === 0) facts.push(row);
    },
    dropFacts() {
      for (const row of facts) owners[row] = NOBODY;
      facts.length = 0;
    },
    compare(question, count) {
      const similarity = new Float32Array(count).fill(-1);
      const passage = new Float64Array(count);
      const cosines = matrix.compare(question);
      for (let row = 0; row < cosines.length; row++) {
        const owner = owners[row] ?? NOBODY;
        const cosine = cosines[row] ?? -1;
        if (owner === NOBODY || cosine <= (similarity[owner] ?? -1)) continue;
        similarity[owner] = cosine;
        const from = passages[row] ?? 0;
        if (from > 0) passage[owner] = from;
      }
      return { similarity, passage };
    },
  };
}
