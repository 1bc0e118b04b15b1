import { otherWordsFor } from "./other-words.ts";
import { tokenise } from "./tokenise.ts";
import type { KnownWord } from "./keyword-scores.ts";
import type { QueryTerm } from "./tokenise.ts";

/** What is looked for in passages: words one after the other, or (`isPrefix`) all that begin so. */
export interface Phrase {
  /** The word of the question that it stands for. */
  readonly word: string;
  readonly tokens: readonly string[];
  readonly isPrefix: boolean;
  /** Less than 1 where it may mean something else. */
  readonly weight: number;
}

/** A phrase, and how many passages have it. */
export interface CountedPhrase extends Phrase {
  readonly rows: number;
}

/** What was found of a question's words. */
export interface ChosenPhrases {
  readonly phrases: readonly CountedPhrase[];
  /** The question's words in English, as far as they had to be translated; empty where they had not. */
  readonly translated: readonly string[];
}

/** More rows than this are not told apart. */
export const MOST_ROWS_COUNTED = 20_000;
/** The constants of BM25, as FTS5 has them. */
export const K1 = 1.2;

// Above this many rows a question costs more than the time it may take; rarer words decide anyway.
const ROWS_WORTH_READING = 12_000;
// In a large memory there are enough rarer words to go by.
const LARGE_MEMORY = 20_000;
const SHORTEST_COMPOUND_PART = 5;
const RARE = 3;
// A translation may mean something else.
const FOREIGN = 0.7;

/** The forms of the question's words that the index knows, rarest first, until enough rows are named. */
export function choosePhrases(
  terms: readonly QueryTerm[],
  passageCount: number,
  /** How many passages have a phrase, up to `MOST_ROWS_COUNTED`. */
  rowsOf: (phrase: Phrase) => number,
): ChosenPhrases {
  // Those that no passage has are left out.
  const countAll = (lists: readonly (readonly Phrase[])[]): CountedPhrase[][] =>
    lists.map((phrases) =>
      phrases.map((phrase) => ({ ...phrase, rows: rowsOf(phrase) })).filter(({ rows }) => rows > 0),
    );
  const exact = countAll(terms.map(({ word, forms }) => forms.map((form) => plain(word, [form]))));
  const known = exact.map((phrases) => phrases.reduce((sum, { rows }) => sum + rows, 0));
  const isRare = (index: number) => (known[index] ?? 0) <= RARE;
  // What is asked in one language may have been said in another. Where most words are known it was not: a rare English word
  // would only find others that happen to be written like its translations.
  const isForeign = 2 * terms.filter((_, index) => isRare(index)).length >= terms.length;
  const others = terms.map(({ word }, index) => (isForeign && isRare(index) ? otherWordsFor(word) : undefined));
  const foreign = countAll(
    others.map((other, index) =>
      (other?.tokens ?? []).map((tokens) => ({ ...plain(terms[index]?.word ?? "", tokens), weight: FOREIGN })),
    ),
  );
  const isFound = (index: number) => (foreign[index] ?? []).length > 0;
  // Only what was said in English can be found by an English meaning.
  const english = countAll(
    others.map((other, index) =>
      isFound(index) ? (other?.english ?? []).map((name) => plain(name, tokenise(name))) : [],
    ),
  );
  // A word that hardly occurs by itself may be the beginning of longer ones: Heizung, Heizungsanlage.
  const longer = countAll(
    terms.map(({ word }, index) =>
      isRare(index) && !isFound(index) && canBegin(word) ? [{ ...plain(word, [word]), isPrefix: true }] : [],
    ),
  );
  const phrases = terms.flatMap((_, index) => {
    const better = (longer[index] ?? []).filter(({ rows }) => rows > (known[index] ?? 0));
    return better.length > 0 ? better : [...(exact[index] ?? []), ...(foreign[index] ?? [])];
  });
  const translated = english.flat().map(({ word }) => word);
  // Of a foreign question some words, such as names, need no translation.
  const names = terms.filter((_, index) => !isRare(index)).map(({ word }) => word);
  return {
    phrases: affordable(phrases, passageCount),
    translated: translated.length > 0 ? [...names, ...translated] : [],
  };
}

/** How much a word tells: the fewer passages have it the more, and always something, also in a small memory. */
function rarityOf(rows: number, passageCount: number): number {
  return Math.log(1 + (passageCount - rows + 0.5) / (rows + 0.5));
}

/**
 * The forms of one word are as rare as all of them together: a stem that some other language gives it, and that a few texts
 * have by chance, says no more than the word itself. Translations are other words.
 */
export function rarityAmong(form: CountedPhrase, forms: readonly CountedPhrase[], passageCount: number): number {
  if (form.weight !== 1) return rarityOf(form.rows, passageCount);
  const own = forms.filter(({ weight }) => weight === 1);
  const rows = own.reduce((sum, one) => sum + one.rows, 0);
  return rarityOf(Math.min(rows, passageCount), passageCount);
}

/** What a passage with every word would score at most. */
export function ceilingOf(known: readonly KnownWord[]): number {
  return known.reduce((sum, { rarity }) => sum + rarity * (K1 + 1), 0);
}

function affordable(phrases: readonly CountedPhrase[], passageCount: number): CountedPhrase[] {
  const sorted = phrases.toSorted((one, other) => one.rows - other.rows);
  let budget = passageCount > LARGE_MEMORY ? ROWS_WORTH_READING / 2 : ROWS_WORTH_READING;
  return sorted.filter(({ rows }, index) => {
    budget -= rows;
    return index === 0 || budget >= 0;
  });
}

function plain(word: string, tokens: readonly string[]): Phrase {
  return { word, tokens, isPrefix: false, weight: 1 };
}

function canBegin(word: string): boolean {
  const isIdeograph = /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]$/u.test(word);
  return isIdeograph || (word.length >= SHORTEST_COMPOUND_PART && /^\p{L}+$/u.test(word));
}
