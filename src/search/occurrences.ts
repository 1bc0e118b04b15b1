import { K1, MOST_ROWS_COUNTED } from "./choose-phrases.ts";
import type { PassageTable } from "./passage-table.ts";
import type { WordScoresMaker } from "./word-scores.ts";

/** The passages in which a word stands, their numbers rising, and how often; in a heading it counts for less than once. */
export interface Occurrences {
  readonly passages: Uint32Array;
  readonly times: Float32Array;
}

// The other constant of BM25, as FTS5 has it: how much it matters that a passage is longer than others.
const B = 0.75;

/** Scores a word, or a form of it, by BM25 in the passages of a table; its `rarity` and a `factor` are how much it tells. */
export function scoreOccurrences(
  scores: WordScoresMaker,
  word: number,
  { passages, times }: Occurrences,
  { rarity, factor }: { readonly rarity: number; readonly factor: number },
  table: Pick<PassageTable, "size" | "words" | "wordsOf">,
): void {
  const average = table.words / Math.max(1, table.size) || 1;
  // Of a word that stands everywhere the newest passages count: none is worth more than another by it.
  const first = Math.max(0, passages.length - MOST_ROWS_COUNTED);
  for (let place = passages.length - 1; place >= first; place--) {
    const passage = passages[place] ?? 0;
    const words = table.wordsOf(passage);
    if (words === undefined) continue;
    const count = times[place] ?? 0;
    // Step by step as FTS5 does it: then no digit differs from what its own bm25() gives.
    const score = rarity * ((count * (K1 + 1)) / (count + K1 * (1 - B + (B * words) / average)));
    scores.raise(word, passage, factor * score);
  }
}

/** Occurrences on their way. */
export interface OccurrencesMaker {
  add(passage: number, times: number): void;
  finish(): Occurrences;
}

/** Adds up how often something stands in passages; as a rule they come in the order of their numbers. */
export function createOccurrences(expected: number): OccurrencesMaker {
  let passages = new Uint32Array(Math.max(16, expected));
  let times = new Float32Array(passages.length);
  let size = 0;
  let isRising = true;
  return {
    add(passage, count) {
      const last = size - 1;
      if (size > 0 && passages[last] === passage) {
        times[last] = (times[last] ?? 0) + count;
        return;
      }
      if (size > 0 && (passages[last] ?? 0) > passage) isRising = false;
      if (size === passages.length) {
        passages = widened(passages, new Uint32Array(2 * size));
        times = widened(times, new Float32Array(2 * size));
      }
      passages[size] = passage;
      times[size++] = count;
    },
    finish() {
      const found = { passages: passages.slice(0, size), times: times.slice(0, size) };
      if (isRising) return found;
      const inOrder = createOccurrences(size);
      const order = Array.from(found.passages.keys());
      for (const place of order.toSorted((one, other) => (passages[one] ?? 0) - (passages[other] ?? 0)))
        inOrder.add(passages[place] ?? 0, times[place] ?? 0);
      return inOrder.finish();
    },
  };
}

function widened<T extends Uint32Array | Float32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
