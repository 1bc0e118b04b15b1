import { ceilingOf, choosePhrases, K1, MOST_ROWS_COUNTED, rarityAmong } from "../../../search/choose-phrases.ts";
import type { Phrase } from "../../../search/choose-phrases.ts";
import type { KeywordScores } from "../../../search/keyword-scores.ts";
import { LONGEST_QUERY_TERMS, parseQueryTerms } from "../../../search/tokenise.ts";
import { splitTokens } from "./passage-words.ts";
import { countTimes, createPostings } from "./postings.ts";
import type { Query } from "../tenant.ts";

const B = 0.75;

/** What BM25 wants to know of all passages. */
export interface Measures {
  readonly passages: number;
  /** Of the words of all passages together. */
  readonly words: number;
  /** How many words a passage has; undefined where there is no such passage. */
  wordsOf(passage: number): number | undefined;
}

/** How many passages have a phrase, as far as that was asked since something changed. */
export type KnownCounts = Map<string, number>;

/** Finds the passages that have words of the question, by BM25. Any text is a valid question. */
export async function searchWords(
  ask: Query,
  question: string,
  measures: Measures,
  counts: KnownCounts,
): Promise<KeywordScores> {
  const terms = parseQueryTerms(question).slice(0, LONGEST_QUERY_TERMS);
  const postings = createPostings(ask, counts);
  const choosing = choosePhrases(terms, measures.passages);
  let step = choosing.next();
  while (!step.done) step = choosing.next(await postings.count(step.value.map(toMatch)));
  const { phrases, translated } = step.value;
  const matches = phrases.map(toMatch);
  const found = await postings.read(matches);
  const average = Math.max(1, measures.words / Math.max(1, measures.passages));
  const formsOf = Map.groupBy(phrases, ({ word }) => word);
  const byWord = new Map([...formsOf.keys()].map((word) => [word, new Map<number, number>()]));
  for (const [place, phrase] of phrases.entries()) {
    const scores = byWord.get(phrase.word);
    if (scores === undefined) continue;
    const rarity = rarityAmong(phrase, formsOf.get(phrase.word) ?? [], measures.passages);
    const worth = phrase.weight * rarity * (K1 + 1);
    for (const [passage, times] of newestOf(countTimes(found[place] ?? []))) {
      const words = measures.wordsOf(passage);
      if (words === undefined) continue;
      const score = (worth * times) / (times + K1 * (1 - B + (B * words) / average));
      const known = scores.get(passage);
      if (known === undefined || known < score) scores.set(passage, score);
    }
  }
  const known = [...formsOf].map(([word, forms]) => ({
    word,
    rarity: Math.max(...forms.map((form) => rarityAmong(form, forms, measures.passages))),
  }));
  return { words: [...byWord.values()], known, ceiling: ceilingOf(known), terms, translated };
}

function toMatch({ tokens, isPrefix }: Phrase): { tokens: string[]; isPrefix: boolean } {
  return { tokens: tokens.flatMap(splitTokens), isPrefix };
}

/** Of a word that stands everywhere the newest passages count: none is worth more than another by it. */
function newestOf(times: ReadonlyMap<number, number>): Iterable<[number, number]> {
  if (times.size <= MOST_ROWS_COUNTED) return times;
  return [...times].toSorted(([one], [other]) => other - one).slice(0, MOST_ROWS_COUNTED);
}
