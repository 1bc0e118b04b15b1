import { ceilingOf, choosePhrases, rarityAmong } from "../../../search/choose-phrases.ts";
import type { Phrase } from "../../../search/choose-phrases.ts";
import type { KeywordScores, KnownWord } from "../../../search/keyword-scores.ts";
import type { KnownWords } from "../../../search/known-words.ts";
import { scoreOccurrences } from "../../../search/occurrences.ts";
import type { PassageTable } from "../../../search/passage-table.ts";
import { LONGEST_QUERY_TERMS, parseQueryTerms } from "../../../search/tokenise.ts";
import { createWordScores } from "../../../search/word-scores.ts";
import { splitTokens } from "./passage-words.ts";
import { createPostings } from "./postings.ts";
import type { Query } from "../tenant.ts";

/** Finds the passages that have words of the question, by BM25. Any text is a valid question. */
export async function searchWords(
  ask: Query,
  question: string,
  table: Pick<PassageTable, "size" | "words" | "wordsOf">,
  words: KnownWords,
): Promise<KeywordScores> {
  const terms = parseQueryTerms(question).slice(0, LONGEST_QUERY_TERMS);
  const postings = createPostings(ask, words);
  const choosing = choosePhrases(terms, table.size);
  let step = choosing.next();
  while (!step.done) step = choosing.next(await postings.count(step.value.map(toMatch)));
  const { phrases, translated } = step.value;
  const found = await postings.read(phrases.map(toMatch));
  const byWord = Map.groupBy(phrases.keys(), (place) => phrases[place]?.word ?? "");
  const expected = found.reduce((sum, { passages }) => sum + passages.length, 0);
  const scores = createWordScores(byWord.size, expected);
  const known: KnownWord[] = [];
  for (const [word, places] of byWord) {
    const forms = places.flatMap((place) => phrases[place] ?? []);
    for (const [index, form] of forms.entries()) {
      const occurrences = found[places[index] ?? -1];
      const tells = { rarity: rarityAmong(form, forms, table.size), factor: form.weight };
      if (occurrences) scoreOccurrences(scores, known.length, occurrences, tells, table);
    }
    known.push({ word, rarity: Math.max(...forms.map((form) => rarityAmong(form, forms, table.size))) });
  }
  return { scores: scores.finish(), known, ceiling: ceilingOf(known), terms, translated };
}

function toMatch({ tokens, isPrefix }: Phrase): { tokens: string[]; isPrefix: boolean } {
  return { tokens: tokens.flatMap(splitTokens), isPrefix };
}
