import type { Candidate } from "../search/search.ts";

// Between long texts neighbours count for less: a short message lives by those around it, a long one stands for itself.
const SHORT_TEXT = 300;
// The items of a note share a page, not a conversation: with more, one good item would fill the first places with
// those around it.
const SAME_PAGE = 0.15;

/** Two candidates that stand near each other: the second gains this share of what the first has. */
export interface Ties {
  readonly count: number;
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly share: Float64Array;
}

/** Adds to each value a share of its neighbours'. */
export function spread(values: Float64Array, { count, from, to, share }: Ties): Float64Array {
  const sums = values.slice();
  for (let tie = 0; tie < count; tie++) {
    const target = to[tie] ?? 0;
    sums[target] = (sums[target] ?? 0) + (share[tie] ?? 0) * (values[from[tie] ?? 0] ?? 0);
  }
  return sums;
}

/** What a candidate's words and its neighbours' are worth together; a word that several of them have counts once. */
export function spreadWords(candidates: readonly Candidate[], { count, from, to, share }: Ties): Float64Array {
  const width = candidates.reduce((most, { words }) => Math.max(most, words.length), 0);
  // All of them in one row of numbers: as a list for each candidate they would take longer to make than to fill.
  const best = new Float64Array(candidates.length * width);
  candidates.forEach(({ words }, position) => {
    for (let word = 0; word < words.length; word++) best[position * width + word] = words[word] ?? 0;
  });
  for (let tie = 0; tie < count; tie++) {
    const lent = candidates[from[tie] ?? 0]?.words ?? [];
    const target = (to[tie] ?? 0) * width;
    for (let word = 0; word < lent.length; word++) {
      const score = (share[tie] ?? 0) * (lent[word] ?? 0);
      if (score > (best[target + word] ?? 0)) best[target + word] = score;
    }
  }
  const sums = new Float64Array(candidates.length);
  for (let position = 0; position < sums.length; position++) {
    let sum = 0;
    for (let at = position * width; at < (position + 1) * width; at++) sum += best[at] ?? 0;
    sums[position] = sum;
  }
  return sums;
}

/** Who lends to whom: what is worthless lends nothing. */
export function tieNeighbours(
  candidates: readonly Candidate[],
  isWorthless: Float64Array,
  weights: readonly number[],
): Ties {
  const most = candidates.length * 2 * weights.length;
  const [from, to, share] = [new Int32Array(most), new Int32Array(most), new Float64Array(most)];
  let count = 0;
  for (let position = 0; position < candidates.length; position++) {
    const lender = candidates[position];
    if (lender === undefined || isWorthless[position]) continue;
    for (let side = 0; side < 2; side++) {
      let at = side === 0 ? lender.previous : lender.next;
      for (const weight of weights) {
        const target = at === undefined ? undefined : candidates[at];
        if (at === undefined || target === undefined) break;
        from[count] = position;
        to[count] = at;
        share[count++] = weight * closeness(lender, target);
        at = side === 0 ? target.previous : target.next;
      }
    }
  }
  return { count, from, to, share };
}

/** How much two neighbours have to do with each other. */
function closeness(one: Candidate, other: Candidate): number {
  const bySize = Math.min(1, SHORT_TEXT / Math.max(one.size, other.size, 1));
  return one.voice === "file" ? bySize * SAME_PAGE : bySize;
}
