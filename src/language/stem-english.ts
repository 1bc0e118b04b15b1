const VOWEL = /[aeiouy]/;
const DOUBLE = /(?:bb|dd|ff|gg|mm|nn|pp|rr|tt)$/;
const SHORT_END = /(?:^[aeiouy][^aeiouy]|[^aeiouy][aeiouy][^aeiouywxY])$/;

const EXCEPTIONS = new Map([
  ["skis", "ski"],
  ["skies", "sky"],
  ["dying", "die"],
  ["lying", "lie"],
  ["tying", "tie"],
  ["news", "news"],
  ["early", "earli"],
  ["only", "onli"],
  ["bias", "bias"],
  ["atlas", "atlas"],
  ["cosmos", "cosmos"],
  ["outing", "outing"],
  ["evening", "evening"],
  ["herring", "herring"],
  ["proceed", "proceed"],
  ["exceed", "exceed"],
  ["succeed", "succeed"],
]);

const STEP_2: readonly (readonly [string, string])[] = [
  ["ational", "ate"],
  ["fulness", "ful"],
  ["ousness", "ous"],
  ["iveness", "ive"],
  ["ization", "ize"],
  ["tional", "tion"],
  ["biliti", "ble"],
  ["lessli", "less"],
  ["entli", "ent"],
  ["ation", "ate"],
  ["alism", "al"],
  ["aliti", "al"],
  ["ousli", "ous"],
  ["iviti", "ive"],
  ["fulli", "ful"],
  ["enci", "ence"],
  ["anci", "ance"],
  ["abli", "able"],
  ["izer", "ize"],
  ["ator", "ate"],
  ["alli", "al"],
  ["bli", "ble"],
];

const STEP_3: readonly (readonly [string, string])[] = [
  ["ational", "ate"],
  ["tional", "tion"],
  ["alize", "al"],
  ["icate", "ic"],
  ["iciti", "ic"],
  ["ical", "ic"],
  ["ness", ""],
  ["ful", ""],
];

const STEP_4 = [
  "ement",
  "ance",
  "ence",
  "able",
  "ible",
  "ment",
  "ant",
  "ent",
  "ism",
  "ate",
  "iti",
  "ous",
  "ive",
  "ize",
  "al",
  "er",
  "ic",
];

/** The stem of a lower-case English word, by Porter's second algorithm ("Porter2"). */
export function stemEnglish(input: string): string {
  if (input.length < 3) return input;
  const exception = EXCEPTIONS.get(input);
  if (exception !== undefined) return exception;
  let word = input.replace(/^y/, "Y").replace(/([aeiouy])y/g, "$1Y");
  const first = regionAfterVowelPair(word, 0, /^(?:gener|commun|arsen)/);
  const second = regionAfterVowelPair(word, first);
  word = stripPlural(word);
  word = stripPast(word, first);
  if (word.length > 2 && /[^aeiouy][yY]$/.test(word)) word = `${word.slice(0, -1)}i`;
  word = replaceDerived(word, first);
  word = replaceDerivedAgain(word, first, second);
  word = stripDerived(word, second);
  return stripFinal(word, first, second).toLowerCase();
}

function regionAfterVowelPair(word: string, from: number, prefix?: RegExp): number {
  const special = prefix?.exec(word);
  if (special) return special[0].length;
  const match = /[aeiouy][^aeiouy]/.exec(word.slice(from));
  return match ? from + match.index + 2 : word.length;
}

function stripPlural(word: string): string {
  if (word.endsWith("sses")) return word.slice(0, -2);
  if (/ie[ds]$/.test(word)) return word.length > 4 ? word.slice(0, -2) : word.slice(0, -1);
  if (/(?:us|ss)$/.test(word)) return word;
  if (word.endsWith("s") && VOWEL.test(word.slice(0, -2))) return word.slice(0, -1);
  return word;
}

function stripPast(word: string, first: number): string {
  const eed = /eed(?:ly)?$/.exec(word);
  if (eed) return eed.index >= first ? `${word.slice(0, eed.index)}ee` : word;
  const past = /(?:ed|edly|ing|ingly)$/.exec(word);
  if (!past || !VOWEL.test(word.slice(0, past.index))) return word;
  const stem = word.slice(0, past.index);
  if (/(?:at|bl|iz)$/.test(stem)) return `${stem}e`;
  if (DOUBLE.test(stem)) return stem.slice(0, -1);
  return first >= stem.length && SHORT_END.test(stem) ? `${stem}e` : stem;
}

function replaceDerived(word: string, first: number): string {
  for (const [suffix, replacement] of STEP_2) {
    if (!word.endsWith(suffix)) continue;
    return replaceSuffix(word, suffix, replacement, first);
  }
  if (word.endsWith("logi")) return replaceSuffix(word, "ogi", "og", first);
  if (/[cdeghkmnrt]li$/.test(word)) return replaceSuffix(word, "li", "", first);
  return word;
}

function replaceDerivedAgain(word: string, first: number, second: number): string {
  for (const [suffix, replacement] of STEP_3) {
    if (word.endsWith(suffix)) return replaceSuffix(word, suffix, replacement, first);
  }
  return word.endsWith("ative") ? replaceSuffix(word, "ative", "", second) : word;
}

function stripDerived(word: string, second: number): string {
  for (const suffix of STEP_4) {
    if (word.endsWith(suffix)) return replaceSuffix(word, suffix, "", second);
  }
  return /[st]ion$/.test(word) ? replaceSuffix(word, "ion", "", second) : word;
}

function replaceSuffix(word: string, suffix: string, replacement: string, region: number): string {
  const cut = word.length - suffix.length;
  return cut >= region ? word.slice(0, cut) + replacement : word;
}

function stripFinal(word: string, first: number, second: number): string {
  const cut = word.length - 1;
  if (word.endsWith("e")) {
    const rest = word.slice(0, -1);
    return cut >= second || (cut >= first && !SHORT_END.test(rest)) ? rest : word;
  }
  return word.endsWith("ll") && cut >= second ? word.slice(0, -1) : word;
}
