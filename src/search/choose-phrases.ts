import { otherWordsFor } from "./concepts.ts";
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

/** Counts the passages that have each of these, up to `MOST_ROWS_COUNTED`. */
export type CountRows = (phrases: readonly Phrase[]) => readonly number[] | Promise<readonly number[]>;

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
export async function choosePhrases(
  terms: readonly QueryTerm[],
  passageCount: number,
  countRows: CountRows,
): Promise<CountedPhrase[]> {
  const exact = await countAll(
    terms.map(({ word, forms }) => forms.map((form) => plain(word, [form]))),
    countRows,
  );
  const known = exact.map((phrases) => phrases.reduce((sum, { rows }) => sum + rows, 0));
  const isRare = (index: number) => (known[index] ?? 0) <= RARE;
  // What is asked in one language may have been said in another.
  const foreign = await countAll(
    terms.map(({ word }, index) =>
      isRare(index) ? otherWordsFor(word).map((tokens) => ({ ...plain(word, tokens), weight: FOREIGN })) : [],
    ),
    countRows,
  );
  // A word that hardly occurs by itself may be the beginning of longer ones: Heizung, Heizungsanlage.
  const longer = await countAll(
    terms.map(({ word }, index) =>
      isRare(index) && foreign[index]?.length === 0 && canBegin(word)
        ? [{ ...plain(word, [word]), isPrefix: true }]
        : [],
    ),
    countRows,
  );
  const phrases = terms.flatMap((_, index) => {
    const better = (longer[index] ?? []).filter(({ rows }) => rows > (known[index] ?? 0));
    return better.length > 0 ? better : [...(exact[index] ?? []), ...(foreign[index] ?? [])];
  });
  const sorted = phrases.toSorted((one, other) => one.rows - other.rows);
  let budget = passageCount > LARGE_MEMORY ? ROWS_WORTH_READING / 2 : ROWS_WORTH_READING;
  return sorted.filter(({ rows }, index) => {
    budget -= rows;
    return index === 0 || budget >= 0;
  });
}

/** How much a word tells: the fewer passages have it the more, and always something, also in a small memory. */
export function rarityOf({ rows }: { readonly rows: number }, passageCount: number): number {
  return Math.log(1 + (passageCount - rows + 0.5) / (rows + 0.5));
}

/** What a passage could score at most that has each of these. */
export function ceilingOf(phrases: readonly CountedPhrase[], passageCount: number): number {
  const best = new Map<string, number>();
  for (const phrase of phrases) {
    best.set(phrase.word, Math.max(best.get(phrase.word) ?? 0, rarityOf(phrase, passageCount)));
  }
  return [...best.values()].reduce((sum, rarity) => sum + rarity * (K1 + 1), 0);
}

function plain(word: string, tokens: readonly string[]): Phrase {
  return { word, tokens, isPrefix: false, weight: 1 };
}

/** Counts them all at once; those that no passage has are left out. */
async function countAll(lists: readonly (readonly Phrase[])[], countRows: CountRows): Promise<CountedPhrase[][]> {
  const all = lists.flat();
  const counts = all.length === 0 ? [] : await countRows(all);
  let place = 0;
  return lists.map((phrases) =>
    phrases.map((phrase) => ({ ...phrase, rows: counts[place++] ?? 0 })).filter(({ rows }) => rows > 0),
  );
}

function canBegin(word: string): boolean {
  const isIdeograph = /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]$/u.test(word);
  return isIdeograph || (word.length >= SHORTEST_COMPOUND_PART && /^\p{L}+$/u.test(word));
}
