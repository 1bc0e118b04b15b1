import type { Occurrences } from "./occurrences.ts";

/** What was read of words, for as long as nothing changes; never more than some megabytes. */
export interface KnownWords {
  /** How many passages have a phrase. */
  countOf(phrase: string): number | undefined;
  keepCount(phrase: string, passages: number): void;
  occurrencesOf(phrase: string): Occurrences | undefined;
  keep(phrase: string, occurrences: Occurrences): void;
}

const MOST_COUNTS = 10_000;
const MOST_OCCURRENCES = 1_000_000;

/** Makes ready to remember words; where it becomes too much it begins anew. */
export function createKnownWords(): KnownWords {
  const counts = new Map<string, number>();
  const known = new Map<string, Occurrences>();
  let size = 0;
  return {
    countOf: (phrase) => counts.get(phrase),
    keepCount(phrase, passages) {
      if (counts.size >= MOST_COUNTS) counts.clear();
      counts.set(phrase, passages);
    },
    occurrencesOf: (phrase) => known.get(phrase),
    keep(phrase, occurrences) {
      size += occurrences.passages.length;
      if (size > MOST_OCCURRENCES) {
        known.clear();
        size = occurrences.passages.length;
      }
      known.set(phrase, occurrences);
    },
  };
}
