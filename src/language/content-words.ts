import { WORDS_OF_ANY_STATEMENT } from "./stop-words.ts";

const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/** The words of a text that carry its meaning, folded and lightly stemmed; scripts without spaces give pairs of characters. */
export function contentWords(text: string): Set<string> {
  const words =
    text
      .normalize("NFKC")
      .toLowerCase()
      .replaceAll("’", "'")
      .match(/[\p{L}\p{M}\p{N}]+(?:[.-][\p{L}\p{M}\p{N}]+)*/gu) ?? [];
  return new Set(
    words.flatMap((word) => (CJK.test(word) ? pairs(word) : WORDS_OF_ANY_STATEMENT.has(word) ? [] : [stemWord(word)])),
  );
}

/** A word without its commonest endings and without its accents, so that forms of one word meet. */
export function stemWord(word: string): string {
  const folded = word.normalize("NFKD").replaceAll(/\p{M}/gu, "").replaceAll("z", "s");
  if (folded.length < 4 || /\d/.test(folded)) return folded;
  return folded
    .replace(/(?<=.{3}[^s])s$/, "")
    .replace(/(?:ie|y)$/, "i")
    .replace(/(?<=.{3})(?:ing|ed|en|e|a|o)$/, "");
}

/** How much of `part` is in `whole`, 0 to 1. */
export function shareOf(part: ReadonlySet<string>, whole: ReadonlySet<string>): number {
  if (part.size === 0) return 0;
  return [...part].filter((word) => whole.has(word)).length / part.size;
}

function pairs(word: string): string[] {
  const characters = [...word];
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, index) => `${characters[index] ?? ""}${character}`);
}
