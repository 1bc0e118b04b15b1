import { ceilingOf, choosePhrases, MOST_ROWS_COUNTED, rarityAmong } from "../../../search/choose-phrases.ts";
import type { ChosenPhrases, CountedPhrase, Phrase } from "../../../search/choose-phrases.ts";
import type { KeywordScores } from "../../../search/keyword-scores.ts";
import { LONGEST_QUERY_TERMS, parseQueryTerms } from "../../../search/tokenise.ts";
import type { QueryTerm } from "../../../search/tokenise.ts";
import type { Database } from "../database.ts";

// Headings say what a passage is about in fewer words than it has itself, so that each counts for less.
const COLUMN_WEIGHTS = "1.0, 0.5, 1.0";
const MOST_WORDS_KNOWN = 10_000;

/** How many passages an index has, and how many of them have a word, as far as that was asked. */
export interface WordCounts {
  readonly passages: number;
  readonly rows: Map<string, number>;
}

/** Finds the passages that have words of the question, by BM25. Any text is a valid question. */
export function searchKeywords(database: Database, query: string, counts: WordCounts): KeywordScores {
  const passageCount = counts.passages;
  const terms = parseQueryTerms(query).slice(0, LONGEST_QUERY_TERMS);
  const { phrases, translated } = chooseFrom(database, terms, counts);
  // BM25 is a sum over words: asked one by one, they can be put together with those of the neighbours.
  // Of a word that stands everywhere the newest passages are read: none is worth more than another by it.
  const read = database.prepare(
    `SELECT rowid, bm25(keyword, ${COLUMN_WEIGHTS}) FROM keyword WHERE keyword MATCH ?
     ORDER BY rowid DESC LIMIT ${MOST_ROWS_COUNTED}`,
  );
  read.setReturnArrays(true);
  const byWord = Map.groupBy(phrases, (phrase) => phrase.word);
  const words = [...byWord.values()].map((forms) => {
    const scores = new Map<number, number>();
    for (const form of forms) {
      // FTS5 ranks are negative and smaller is better; callers get larger-is-better scores.
      const factor = (-form.weight * rarityAmong(form, forms, passageCount)) / rarityInFts(form, passageCount);
      for (const row of read.iterate(matchOf(form))) {
        const passage = Number(row[0]);
        scores.set(passage, Math.max(scores.get(passage) ?? 0, factor * Number(row[1])));
      }
    }
    return scores;
  });
  const known = [...byWord].map(([word, forms]) => ({
    word,
    rarity: Math.max(...forms.map((form) => rarityAmong(form, forms, passageCount))),
  }));
  return { words, known, ceiling: ceilingOf(known), terms, translated };
}

function chooseFrom(
  database: Database,
  terms: readonly QueryTerm[],
  { passages: passageCount, rows: known }: WordCounts,
): ChosenPhrases {
  const count = database.prepare(
    `SELECT count(*) AS rows FROM (SELECT 1 FROM keyword WHERE keyword MATCH ? LIMIT ${MOST_ROWS_COUNTED})`,
  );
  const rowsOf = (match: string) => {
    const rows = known.get(match) ?? Number(count.get(match)?.["rows"] ?? 0);
    if (known.size < MOST_WORDS_KNOWN) known.set(match, rows);
    return rows;
  };
  const choosing = choosePhrases(terms, passageCount);
  let step = choosing.next();
  while (!step.done) step = choosing.next(step.value.map((asked) => rowsOf(matchOf(asked))));
  return step.value;
}

/** Rarity as FTS5's bm25() has it: nothing for a word that half of the passages have. */
function rarityInFts({ rows }: CountedPhrase, passageCount: number): number {
  const rarity = Math.log((passageCount - rows + 0.5) / (rows + 0.5));
  return rarity <= 0 ? 1e-6 : rarity;
}

/** A phrase in FTS5's syntax, whatever is in it. */
function matchOf({ tokens, isPrefix }: Phrase): string {
  return `"${tokens.join(" ").replaceAll('"', '""')}"${isPrefix ? " *" : ""}`;
}
