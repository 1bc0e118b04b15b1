import type { WordList } from "./word-list.ts";

/** Splits text into word pieces, as the BERT family of models does. */
export interface WordPiece {
  /** The piece numbers of one word, or undefined where the vocabulary cannot spell it. */
  pieces(word: string): readonly number[] | undefined;
}

/** How a text becomes words: uncased models fold case and drop accents. */
export interface WordRules {
  readonly lowercase: boolean;
  readonly stripAccents: boolean;
  readonly isolateCjk: boolean;
}

/** The rules of the uncased BERT vocabulary, which the shipped table and its teachers use. */
export const uncasedRules: WordRules = { lowercase: true, stripAccents: true, isolateCjk: true };

// The length beyond which BERT gives up on a word.
const maxWordLength = 100;
// Words repeat: nearly every lookup is answered from here. Bounded, so that hostile text cannot fill the memory.
const maxCachedWords = 50_000;

const unspellable: readonly number[] = [];

const wordsAndMarks = /[\p{P}$+<=>^`|~]|[^\s\p{P}$+<=>^`|~]+/gu;
const cjk = /[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u{20000}-\u{2a6df}\u{2a700}-\u{2ceaf}\u{2f800}-\u{2fa1f}]/gu;
// Characters that carry no text: controls, formats, private use, and what failed to decode.
const noise = /(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\ufffd]/gu;
const plainText = /^[\n\r\t -~]*$/;

/** Splits a text into words and single punctuation marks; each Chinese character stands alone. */
export function splitWords(text: string, rules: WordRules): string[] {
  return normalise(text, rules).match(wordsAndMarks) ?? [];
}

function normalise(text: string, rules: WordRules): string {
  if (plainText.test(text)) {
    return rules.lowercase ? text.toLowerCase() : text;
  }
  let result = text.replace(noise, "");
  if (rules.isolateCjk) {
    result = result.replace(cjk, " $& ");
  }
  if (rules.stripAccents) {
    result = result.normalize("NFD").replace(/\p{Mn}/gu, "");
  }
  return rules.lowercase ? result.toLowerCase() : result;
}

/** Spells words with the longest pieces of a vocabulary; pieces inside a word begin with `##`. */
export function createWordPiece(vocabulary: Pick<WordList, "get">): WordPiece {
  const cache = new Map<string, readonly number[]>();
  const pieces = (word: string): readonly number[] | undefined => {
    const known = cache.get(word);
    if (known) {
      return known.length === 0 ? undefined : known;
    }
    const whole = vocabulary.get(word);
    const result = whole === undefined ? spell(word, vocabulary) : [whole];
    if (cache.size >= maxCachedWords) {
      cache.clear();
    }
    cache.set(word, result ?? unspellable);
    return result;
  };
  return { pieces };
}

function spell(word: string, vocabulary: Pick<WordList, "get">): readonly number[] | undefined {
  const characters = [...word];
  if (characters.length > maxWordLength) {
    return undefined;
  }
  const result: number[] = [];
  let start = 0;
  while (start < characters.length) {
    const piece = longestPiece(characters, start, vocabulary);
    if (piece === undefined) {
      return undefined;
    }
    result.push(piece.id);
    start = piece.end;
  }
  return result;
}

function longestPiece(
  characters: readonly string[],
  start: number,
  vocabulary: Pick<WordList, "get">,
): { id: number; end: number } | undefined {
  for (let end = characters.length; end > start; end--) {
    const text = characters.slice(start, end).join("");
    const id = vocabulary.get(start > 0 ? `##${text}` : text);
    if (id !== undefined) {
      return { id, end };
    }
  }
  return undefined;
}
