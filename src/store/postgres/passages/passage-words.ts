import { tokeniseToText } from "../../../search/tokenise.ts";

/** What a passage is found by. */
export interface PassageKey {
  readonly text: string;
  readonly heading: string;
  readonly facts: string;
}

/** The words of a passage: where each of them stands, and how many there are. */
export interface PassageWords {
  readonly places: ReadonlyMap<string, readonly number[]>;
  readonly length: number;
}

/** How many passages share a row of a word. */
export const PASSAGES_OF_ROW = 1024;

// A place takes two bytes: fourteen bits for which word it is, two for the text, the heading or the facts.
const COLUMNS = 4;
const LAST_WORD = 2 ** 14 - 1;
// Headings say in fewer words what a passage is about, so that each counts for less.
const WEIGHTS = [1, 0.5, 1, 0];

/** Reads the words of a passage by our own tokeniser. */
export function wordsOf({ text, heading, facts }: PassageKey): PassageWords {
  const places = new Map<string, number[]>();
  const columns = [text, heading, facts];
  let word = 0;
  for (const [column, content] of columns.entries()) {
    for (const token of content === "" ? [] : splitTokens(tokeniseToText(content))) {
      word++;
      const place = Math.min(word, LAST_WORD) * COLUMNS + column;
      const known = places.get(token);
      if (known) known.push(place);
      else places.set(token, [place]);
    }
    // Words of two columns never stand side by side.
    word++;
  }
  return { places, length: Math.max(0, word - columns.length) };
}

/** How much a place counts. */
export function weightOf(place: number): number {
  return WEIGHTS[place % COLUMNS] ?? 0;
}

/** The place of the next word. */
export function placeAfter(place: number): number {
  return place + COLUMNS;
}

// What our tokeniser leaves between words, and signs that stand for nothing; the same as in the index of files.
const TOKEN = /[\p{L}\p{N}\p{M}\p{Co}_.#\-+/:@&]+/gu;
// Longer than any word, short enough for a key.
const LONGEST_TOKEN = 500;

/** The words in what the tokeniser gave. */
export function splitTokens(text: string): string[] {
  return (text.match(TOKEN) ?? []).map((token) => token.slice(0, LONGEST_TOKEN));
}
