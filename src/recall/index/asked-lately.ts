import type { Gathered, Question } from "../../search/search.ts";

/** The last questions and what was gathered for them, for whoever reads passages out of an index that was begun anew since. */
export interface AskedLately {
  /** `renewals` tells one index from the next. */
  keep(question: Question, gathered: Gathered, renewals: number): void;
  /** The numbers that passages have by now, and those that they had when they were gathered. */
  renumber(
    passages: readonly number[],
    renewals: number,
    gather: (question: Question) => Promise<Gathered>,
  ): Promise<Map<number, number>>;
}

// As many as may be under way at once.
const MOST_KEPT = 4;

/** Remembers nothing yet. */
export function createAskedLately(): AskedLately {
  let kept: { question: Question; gathered: Gathered; renewals: number }[] = [];
  return {
    keep(question, gathered, renewals) {
      kept = [{ question, gathered, renewals }, ...kept].slice(0, MOST_KEPT);
    },
    async renumber(passages, renewals, gather) {
      const same = new Map(passages.map((passage) => [passage, passage]));
      if (kept.every((one) => one.renewals === renewals)) return same;
      const asked = kept.find(({ gathered }) => hasAll(gathered, passages));
      if (!asked || asked.renewals === renewals) return same;
      const { candidates } = await gather(asked.question);
      const now = new Map(candidates.map((candidate) => [placeOf(candidate), candidate.passage]));
      const wanted = new Set(passages);
      return new Map(
        asked.gathered.candidates.flatMap((candidate) => {
          const passage = wanted.has(candidate.passage) ? now.get(placeOf(candidate)) : undefined;
          return passage === undefined ? [] : [[passage, candidate.passage] as const];
        }),
      );
    },
  };
}

function hasAll({ candidates }: Gathered, passages: readonly number[]): boolean {
  const known = new Set(candidates.map(({ passage }) => passage));
  return passages.every((passage) => known.has(passage));
}

function placeOf({ source, ordinal }: Gathered["candidates"][number]): string {
  return `${ordinal} ${source.path}`;
}
