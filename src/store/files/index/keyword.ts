import type { KeywordScores, KnownWord } from "../../../search/keyword-scores.ts";
import type { Database } from "../database.ts";
import { otherWordsFor } from "../../../search/concepts.ts";
import { parseQueryTerms, tokenise } from "../../../search/tokenise.ts";
import type { QueryTerm } from "../../../search/tokenise.ts";

const LONGEST_QUERY_TERMS = 64;
// Headings say what a passage is about in fewer words than it has itself, so that each counts for less.
const COLUMN_WEIGHTS = "1.0, 0.5, 1.0";
// Above this many rows a question costs more than the time it may take; rarer words decide anyway.
const ROWS_WORTH_READING = 12_000;
const MOST_ROWS_COUNTED = 20_000;
// In a large memory there are enough rarer words to go by.
const LARGE_MEMORY = 20_000;
const MOST_WORDS_KNOWN = 10_000;
const SHORTEST_COMPOUND_PART = 5;
const RARE = 3;
// A translation may mean something else.
const FOREIGN = 0.7;
// The constants of FTS5's bm25().
const K1 = 1.2;

/** How many passages an index has, and how many of them have a word, as far as that was asked. */
export interface WordCounts {
  readonly passages: number;
  readonly rows: Map<string, number>;
}

/** Finds the passages that have words of the question, by BM25. Any text is a valid question. */
export function searchKeywords(database: Database, query: string, counts: WordCounts): KeywordScores {
  const passageCount = counts.passages;
  const terms = parseQueryTerms(query).slice(0, LONGEST_QUERY_TERMS);
  const { phrases, translated } = choosePhrases(database, terms, counts);
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
      const factor = (-(form.weight ?? 1) * rarityAmong(form, forms, passageCount)) / rarityInFts(form, passageCount);
      for (const row of read.iterate(form.match)) {
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

/** The words of a question alone, for a search by meaning. */
export function withoutScores(query: string): KeywordScores {
  return { words: [], known: [], ceiling: 0, terms: parseQueryTerms(query), translated: [] };
}

/** How much a word tells: the fewer passages have it the more, and always something, also in a small memory. */
function rarityOf({ rows }: Phrase, passageCount: number): number {
  return Math.log(1 + (passageCount - rows + 0.5) / (rows + 0.5));
}

/**
 * The forms of one word are as rare as all of them together: a stem that some other language gives it, and that a few texts
 * have by chance, says no more than the word itself. Translations are other words.
 */
function rarityAmong(form: Phrase, forms: readonly Phrase[], passageCount: number): number {
  if (form.weight !== undefined) return rarityOf(form, passageCount);
  const own = forms.filter(({ weight }) => weight === undefined);
  const rows = own.reduce((sum, one) => sum + one.rows, 0);
  return rarityOf({ ...form, rows: Math.min(rows, passageCount) }, passageCount);
}

/** The same as FTS5's bm25() has it: nothing for a word that half of the passages have. */
function rarityInFts({ rows }: Phrase, passageCount: number): number {
  const rarity = Math.log((passageCount - rows + 0.5) / (rows + 0.5));
  return rarity <= 0 ? 1e-6 : rarity;
}

interface Phrase {
  readonly word: string;
  readonly match: string;
  readonly rows: number;
  readonly weight?: number;
}

/** What was found of a question's words. */
interface Chosen {
  readonly phrases: readonly Phrase[];
  readonly translated: readonly string[];
}

/** The forms of the question's words that the index knows, rarest first, until enough rows are named. */
function choosePhrases(
  database: Database,
  terms: readonly QueryTerm[],
  { passages: passageCount, rows: known }: WordCounts,
): Chosen {
  const count = database.prepare(
    `SELECT count(*) AS rows FROM (SELECT 1 FROM keyword WHERE keyword MATCH ? LIMIT ${MOST_ROWS_COUNTED})`,
  );
  const rowsOf = (match: string) => {
    const rows = known.get(match) ?? Number(count.get(match)?.["rows"] ?? 0);
    if (known.size < MOST_WORDS_KNOWN) known.set(match, rows);
    return rows;
  };
  const found = terms.map(({ word, forms }) => {
    const exact = forms
      .map((form) => ({ word, match: quote(form), rows: rowsOf(quote(form)) }))
      .filter((phrase) => phrase.rows > 0);
    return { word, exact, known: exact.reduce((sum, phrase) => sum + phrase.rows, 0) };
  });
  // What is asked in one language may have been said in another. Where most words are known it was not: a rare English word
  // would only find others that happen to be written like its translations.
  const isForeign = 2 * found.filter(({ known }) => known <= RARE).length >= found.length;
  const translated: string[] = [];
  const phrases = found.flatMap(({ word, exact, known }): Phrase[] => {
    if (known > RARE) return exact;
    const foreign = isForeign ? findForeign(word, rowsOf) : undefined;
    if (foreign && foreign.phrases.length > 0) {
      translated.push(...foreign.english);
      return [...exact, ...foreign.phrases];
    }
    // A word that hardly occurs by itself may be the beginning of longer ones: Heizung, Heizungsanlage.
    if (!canBegin(word)) return exact;
    const match = `${quote(word)} *`;
    const rows = rowsOf(match);
    return rows > known ? [{ word, match, rows }] : exact;
  });
  const sorted = phrases.toSorted((one, other) => one.rows - other.rows);
  let budget = passageCount > LARGE_MEMORY ? ROWS_WORTH_READING / 2 : ROWS_WORTH_READING;
  const affordable = sorted.filter(({ rows }, index) => {
    budget -= rows;
    return index === 0 || budget >= 0;
  });
  return { phrases: affordable, translated: translated.length > 0 ? [...namesIn(found), ...translated] : [] };
}

/** The words of a foreign question that need no translation, such as names. */
function namesIn(found: readonly { word: string; known: number }[]): string[] {
  return found.filter(({ known }) => known > RARE).map(({ word }) => word);
}

function findForeign(word: string, rowsOf: (match: string) => number): { phrases: Phrase[]; english: string[] } {
  const { tokens, english } = otherWordsFor(word);
  const phrases = tokens
    .map((token) => quote(token.join(" ")))
    .map((match) => ({ word, match, rows: rowsOf(match), weight: FOREIGN }))
    .filter((phrase) => phrase.rows > 0);
  // Only what was said in English can be found by an English meaning.
  return { phrases, english: english.filter((name) => rowsOf(quote(tokenise(name).join(" "))) > 0) };
}

function canBegin(word: string): boolean {
  const isIdeograph = /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]$/u.test(word);
  return isIdeograph || (word.length >= SHORTEST_COMPOUND_PART && /^\p{L}+$/u.test(word));
}

/** A string in FTS5's syntax, whatever is in it. */
function quote(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

/** What a passage with every word would score at most. */
function ceilingOf(known: readonly KnownWord[]): number {
  return known.reduce((sum, { rarity }) => sum + rarity * (K1 + 1), 0);
}
