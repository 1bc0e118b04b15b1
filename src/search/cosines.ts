import { BLOCK_ROWS } from "./packed-vector.ts";

/** How like a question the passages are. */
export interface Likeness {
  /** The cosine of a passage, or of a fact drawn from it if that is liker; undefined where there is no vector. */
  cosineOf(passage: number): number | undefined;
  /** At least so many of the likest passages, if there are so many; the likest first. */
  likest(count: number): number[];
}

/** The cosines of passages with a question, as they are found. */
export interface Cosines extends Likeness {
  /** Those of a block, by the number of its first passage. */
  add(first: number, cosines: Float32Array): void;
  /** A passage may be found by more than one vector: the likest counts. */
  raise(passage: number, cosine: number): void;
}

/** Cosines by passage, a stretch of numbers for each block that is there; NaN where a passage has no vector. */
export function createCosines(): Cosines {
  const blocks: Rows[] = [];
  const byNumber: (Float32Array | undefined)[] = [];
  const rowsOf = (passage: number) => byNumber[Math.floor(passage / BLOCK_ROWS)];
  return {
    add(first, cosines) {
      blocks.push({ first, cosines });
      byNumber[first / BLOCK_ROWS] = cosines;
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
      const sampled = blocks.length > FEW_BLOCKS ? reaching(blocks, leastOf(blocks, count, SAMPLE_STEP)) : NONE;
      const { passages, cosines } =
        sampled.passages.length >= count ? sampled : reaching(blocks, leastOf(blocks, count, 1));
      const places = Array.from(passages.keys()).toSorted(
        (one, other) => (cosines[other] ?? 0) - (cosines[one] ?? 0) || (passages[one] ?? 0) - (passages[other] ?? 0),
      );
      return places.slice(0, count).map((place) => passages[place] ?? 0);
    },
  };
}

/** The cosines of a block, by the number of its first passage. */
interface Rows {
  readonly first: number;
  readonly cosines: Float32Array;
}

interface Reached {
  readonly passages: readonly number[];
  readonly cosines: readonly number[];
}

const NONE: Reached = { passages: [], cosines: [] };

function reaching(blocks: readonly Rows[], least: number): Reached {
  const passages: number[] = [];
  const reached: number[] = [];
  for (const { first, cosines } of blocks) {
    for (let row = 0; row < BLOCK_ROWS; row++) {
      const cosine = cosines[row] ?? NaN;
      if (!(cosine >= least)) continue;
      passages.push(first + row);
      reached.push(cosine);
    }
  }
  return { passages, cosines: reached };
}

// Among many it is enough to count one in sixteen, and to take a few more for those that chance leaves out.
const FEW_BLOCKS = 64;
const SAMPLE_STEP = 16;
const MORE_OF_SAMPLE = 1.2;

const BUCKETS = 4_096;

/** A cosine that at least `count` passages reach, or (by a sample) very likely do; by counting, faster than by sorting. */
function leastOf(blocks: readonly Rows[], count: number, step: number): number {
  const buckets = new Uint32Array(BUCKETS + 1);
  const lowest = -1.1;
  const width = 2.2 / BUCKETS;
  let offset = 0;
  for (const { cosines } of blocks) {
    // Not the same rows in each block: what stands at the head of a note may be alike everywhere.
    offset = (offset + 7) % step;
    for (let row = offset; row < BLOCK_ROWS; row += step) {
      const bucket = Math.floor(((cosines[row] ?? NaN) - lowest) / width);
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
