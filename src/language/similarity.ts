const STOP_WORDS = new Set(
  `a an the and or but if of in on at to from by for with about as is are was were be been being am i me my we our us you your
  he him his she her it its they them their this that these those has have had do does did will would can could should
  not no so than then there here what which who whom when where why how also just very user user's users`.split(/\s+/),
);

const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

// Half of what a fact tells, weighed by how rare its words are: below that, on the talks of test/consolidation and
// test/trust, chance likenesses begin.
export const LIKE_ENOUGH = 0.5;
// Two wordings of one fact share this much of their telling words, one way round: models reword what they were shown.
export const SAME_FACT = 0.6;

/** The words that carry a text's meaning, folded and lightly stemmed; scripts without spaces give pairs of characters. */
export function keyWords(text: string): Set<string> {
  const words = foldLetters(text).match(/[\p{L}\p{N}]+(?:[.'’][\p{L}\p{N}]+)*/gu) ?? [];
  return new Set(words.flatMap((word) => (CJK.test(word) ? pairs(word) : STOP_WORDS.has(word) ? [] : [stem(word)])));
}

/**
 * What stands in the folded letters of every text that has all of these key words: a stem is the beginning of its word.
 * Texts without all of it need no closer look.
 */
export function tellingLetters(words: ReadonlySet<string>): string[] {
  const beginnings = [...words].map((word) => word.replace(/i$/, ""));
  return beginnings.toSorted((one, other) => other.length - one.length).slice(0, MOST_TELLING);
}

const MOST_TELLING = 8;

/** Letters without case and accents, in one form. */
export function foldLetters(text: string): string {
  // Most texts have nothing to fold, and this is asked of every line that was ever said.
  if (!/[^\0-\x7f]/.test(text)) return text.toLowerCase();
  return text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
}

/** Weighs words by how few of the given texts have them: what every fact says tells nothing apart. */
export function createWeights(texts: readonly string[]): (word: string) => number {
  const counts = new Map<string, number>();
  for (const text of texts) for (const word of keyWords(text)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return (word) => {
    const count = counts.get(word) ?? 1;
    return Math.log(1 + Math.max(0, texts.length - count + 0.5) / (count + 0.5));
  };
}

/** How much of the weight of `part` is in `whole`, 0 to 1. */
export function containment(
  part: ReadonlySet<string>,
  whole: ReadonlySet<string>,
  weigh: (word: string) => number,
): number {
  let shared = 0;
  let total = 0;
  for (const word of part) {
    const weight = weigh(word);
    total += weight;
    if (whole.has(word)) shared += weight;
  }
  return total === 0 ? 0 : shared / total;
}

function pairs(word: string): string[] {
  const characters = [...word];
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, index) => `${characters[index] ?? ""}${character}`);
}

function stem(word: string): string {
  if (word.length < 5 || /\d/.test(word)) return word;
  return word
    .replace(/['’]s$/, "")
    .replace(/(?:ies|y)$/, "i")
    .replace(/(?:ing|ed|es|s|e)$/, "");
}
