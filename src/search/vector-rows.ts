import { createVectorMatrix } from "./dot-product.ts";

/** Someone whose vectors are compared: the number under which the result is kept. */
export interface VectorOwner {
  readonly number: number;
  readonly isAlive: boolean;
}

/** The best cosine of each owner, by number (-1: no vector), and the passage that had it (0: a fact). */
export interface Likeness {
  readonly similarity: Float32Array;
  readonly passage: Float64Array;
}

/** The vectors of passages and facts, each of which belongs to a unit. */
export interface VectorRows {
  /** Adds the vector of a passage, or of a fact (passage 0). */
  add(owner: VectorOwner, passage: number, packed: unknown): void;
  /** Forgets the vectors of facts. */
  dropFacts(): void;
  compare(question: Float32Array, owners: number): Likeness;
}

/** Makes room for vectors of so many dimensions. */
export function createVectorRows(dimensions: number): VectorRows {
  const matrix = createVectorMatrix(dimensions);
  const owners: (VectorOwner | undefined)[] = [];
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
      for (const row of facts) owners[row] = undefined;
      facts.length = 0;
    },
    compare(question, count) {
      const similarity = new Float32Array(count).fill(-1);
      const passage = new Float64Array(count);
      const cosines = matrix.compare(question);
      for (let row = 0; row < cosines.length; row++) {
        const owner = owners[row];
        const cosine = cosines[row] ?? -1;
        if (!owner?.isAlive || cosine <= (similarity[owner.number] ?? -1)) continue;
        similarity[owner.number] = cosine;
        const from = passages[row] ?? 0;
        if (from > 0) passage[owner.number] = from;
      }
      return { similarity, passage };
    },
  };
}
