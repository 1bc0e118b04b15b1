import { MemoryError } from "../errors.ts";
import type { Source } from "../history/edit.ts";
import { findDuplicates } from "./find-duplicates.ts";
import type { Draft, MemoryNow } from "./draft.ts";
import { removal, replacement } from "./edits-between.ts";
import type { Fact } from "./read-outline.ts";

/** A fact with a time that means nothing later, as its message meant it. */
export interface DatedFact {
  fact: Fact;
  words: string;
  source: Source;
}

/** The cause by which the log knows tidying. */
export const TIDY = "tidy" as const;

/** Puts MEMORY.md in order, by code alone: facts told twice become one, "yesterday" becomes the day that was meant. */
export function planTidy(memory: MemoryNow, dated: readonly DatedFact[]): Draft {
  const duplicates = findDuplicates(memory.outline.facts);
  const gone = new Set(duplicates.map(({ dropped }) => dropped));
  const known = new Set(memory.outline.facts);
  const isStanding = (fact: Fact) => known.has(fact) && !gone.has(fact);
  if (!duplicates.every(({ kept }) => isStanding(kept)))
    throw new MemoryError("STATE_UNUSABLE", "Tidying would lose facts; nothing was changed");
  return {
    cause: TIDY,
    author: "rules",
    by: TIDY,
    edits: [
      ...duplicates.map(({ dropped, kept }) => removal(dropped, "told twice", kept.text)),
      ...dated
        .filter(({ fact }) => isStanding(fact))
        .map(({ fact, words, source }) => {
          const lines = [`${fact.lead}${words}`];
          return replacement(fact, { ...fact, text: words, lines }, "dated", source);
        }),
    ],
    entries: [],
    held: [],
    isFitted: true,
    // Nobody asked for the very edit, and the next tidying sees it again.
    isAnswered: true,
  };
}
