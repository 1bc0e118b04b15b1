import { ceilingOf, choosePhrases, MOST_ROWS_COUNTED, rarityAmong } from "../../search/choose-phrases.ts";
import type { ChosenPhrases, CountedPhrase, Phrase } from "../../search/choose-phrases.ts";
import type { KeywordScores, KnownWord } from "../../search/keyword-scores.ts";
import type { KnownWords } from "../../search/known-words.ts";
import { createOccurrences, scoreOccurrences } from "../../search/occurrences.ts";
import type { Occurrences } from "../../search/occurrences.ts";
import type { PassageTable } from "../../search/passage-table.ts";
import { LONGEST_QUERY_TERMS, parseQueryTerms } from "../../search/tokenise.ts";
import type { QueryTerm } from "../../search/tokenise.ts";
import { createWordScores } from "../../search/word-scores.ts";
import type { WordScoresMaker } from "../../search/word-scores.ts";
import type { Database } from "../../store/files/database.ts";

// Headings say what a passage is about in fewer words than it has itself, so that each counts for less.
const COLUMN_WEIGHTS = "1.0, 0.5, 1.0";

/** How many passages an index has, and what is known of words for as long as nothing is written. */
export interface WordCounts {
  readonly passages: number;
  readonly words: KnownWords;
  /** The passages, where they are kept in memory: then only words are read of the index. */
  readonly table?: Pick<PassageTable, "size" | "words" | "wordsOf"> | undefined;
}

/** Finds the passages that have words of the question, by BM25. Any text is a valid question. */
export function searchKeywords(database: Database, query: string, counts: WordCounts): KeywordScores {
  const terms = parseQueryTerms(query).slice(0, LONGEST_QUERY_TERMS);
  const { phrases, translated } = chooseFrom(database, terms, counts);
  // BM25 is a sum over words: asked one by one, they can be put together with those of the neighbours.
  const byWord = Map.groupBy(phrases, (phrase) => phrase.word);
  const expected = phrases.reduce((sum, { rows }) => sum + rows, 0);
  const scores = createWordScores(byWord.size, expected);
  const score = prepareScores(database, counts, scores);
  const known: KnownWord[] = [];
  for (const [word, forms] of byWord) {
    const worths = forms.map((form) => rarityAmong(form, forms, counts.passages));
    for (const [index, form] of forms.entries()) score(known.length, form, form.weight * (worths[index] ?? 0));
    known.push({ word, rarity: Math.max(...worths) });
  }
  return { scores: scores.finish(), known, ceiling: ceilingOf(known), terms, translated };
}

/** Scores one form of a word in all passages; `worth` is how much it tells. */
function prepareScores(
  database: Database,
  { passages, words, table }: WordCounts,
  scores: WordScoresMaker,
): (word: number, form: CountedPhrase, worth: number) => void {
  // Of a word that stands everywhere the newest passages are read: none is worth more than another by it.
  const read = database.prepare(
    `SELECT rowid, bm25(keyword, ${COLUMN_WEIGHTS}) FROM keyword WHERE keyword MATCH ?
     ORDER BY rowid DESC LIMIT ${MOST_ROWS_COUNTED}`,
  );
  read.setReturnArrays(true);
  // The last digit of a logarithm may differ between SQLite and us.
  const logarithm = database.prepare("SELECT ln(?) AS value");
  return (word, form, worth) => {
    const factor = worth / rarityInFts(form, passages, Math.log);
    const occurrences = table && readOccurrences(database, form, words);
    if (occurrences) {
      const rarity = rarityInFts(form, passages, (ratio) => Number(logarithm.get(ratio)?.["value"]));
      return scoreOccurrences(scores, word, occurrences, { rarity, factor }, table);
    }
    // FTS5 ranks are negative and smaller is better; callers get larger-is-better scores.
    for (const row of read.iterate(matchOf(form))) scores.raise(word, Number(row[0]), -factor * Number(row[1]));
  };
}

function chooseFrom(database: Database, terms: readonly QueryTerm[], { passages, words }: WordCounts): ChosenPhrases {
  const count = database.prepare(
    `SELECT count(*) AS rows FROM (SELECT 1 FROM keyword WHERE keyword MATCH ? LIMIT ${MOST_ROWS_COUNTED})`,
  );
  return choosePhrases(terms, passages, (phrase) => {
    const match = matchOf(phrase);
    const known = words.countOf(match);
    if (known !== undefined) return known;
    const rows = Number(count.get(match)?.["rows"] ?? 0);
    words.keepCount(match, rows);
    return rows;
  });
}

/** Rarity as FTS5's bm25() has it: nothing for a word that half of the passages have. */
function rarityInFts({ rows }: CountedPhrase, passageCount: number, log: (ratio: number) => number): number {
  const rarity = log((passageCount - rows + 0.5) / (rows + 0.5));
  return rarity <= 0 ? 1e-6 : rarity;
}

/** A phrase in FTS5's syntax, whatever is in it. */
function matchOf({ tokens, isPrefix }: Phrase): string {
  return `"${tokens.join(" ").replaceAll('"', '""')}"${isPrefix ? " *" : ""}`;
}

// In a heading a word counts half, as bm25() is told.
const IN_TEXT = 1;
const IN_HEADING = 0.5;
const [SPACE, ZERO] = [" ".charCodeAt(0), "0".charCodeAt(0)];

/**
 * Where a single word stands, read from the words of FTS5 themselves: bm25() looks up the length of each passage, which
 * takes five times as long. Undefined for what is more than one word there, and for words that stand nearly everywhere.
 */
function readOccurrences(
  database: Database,
  { tokens, isPrefix, rows }: CountedPhrase,
  known: KnownWords,
): Occurrences | undefined {
  const [token = ""] = tokens;
  if (tokens.length !== 1 || isPrefix || rows >= MOST_ROWS_COUNTED) return undefined;
  const before = known.occurrencesOf(token);
  if (before) return before;
  database.exec("CREATE VIRTUAL TABLE IF NOT EXISTS temp.word_places USING fts5vocab (main, keyword, instance)");
  // One text instead of thousands of rows, which take longer to hand over than to find.
  const read = database.prepare(
    "SELECT group_concat(2 * doc + (col = 'context'), ' ') FROM temp.word_places WHERE term = ?",
  );
  read.setReturnArrays(true);
  const row: Record<number, unknown> | undefined = read.get(token);
  const found = parsePlaces(typeof row?.[0] === "string" ? row[0] : "", rows);
  // FTS5 may part or fold what we take for one word; then it finds others than these.
  if (found.passages.length !== rows) return undefined;
  known.keep(token, found);
  return found;
}

function parsePlaces(text: string, rows: number): Occurrences {
  const occurrences = createOccurrences(rows);
  let number = 0;
  for (let at = 0; at <= text.length; at++) {
    const code = at === text.length ? SPACE : text.charCodeAt(at);
    if (code !== SPACE) number = number * 10 + (code - ZERO);
    else if (number > 0) {
      const isHeading = number % 2 === 1;
      occurrences.add((number - (isHeading ? 1 : 0)) / 2, isHeading ? IN_HEADING : IN_TEXT);
      number = 0;
    }
  }
  return occurrences.finish();
}
