import { STEMMED_LANGUAGES, stem, type StemmedLanguage } from "./stem.ts";
import { isStopWord, STOP_WORDS } from "./stop-words.ts";

/** A word of a question with every form in which the index may hold it. */
export interface QueryTerm {
  readonly word: string;
  readonly forms: readonly string[];
}

const WORD = /[#@]?[\p{L}\p{N}\p{M}_]+(?:[._\-/:@+#'’&][\p{L}\p{N}\p{M}_]+)*(?:\+\+|#)?/gu;
const ASCII_WORD = /[#@]?[A-Za-z0-9_]+(?:[._\-/:@+#'&][A-Za-z0-9_]+)*(?:\+\+|#)?/g;
const PLAIN = /^[A-Z]?[a-z]+$/;
// eslint-disable-next-line no-control-regex
const ASCII = /^[\x00-\x7f]*$/;
const JOINERS = /[._\-/:@+#'’&]+/u;
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}ー]+/gu;
const HAS_UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u;
const NEEDS_DICTIONARY = /[\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
const CYRILLIC = /^\p{sc=Cyrillic}+$/u;
const LATIN = /^[a-z]+$/;
const THOUSANDS = /(\d),(?=\d{3}(?!\d))/g;
const CAMEL = /\p{Ll}\p{Lu}/u;
const LONGEST_TOKEN = 64;
// A question that is longer is a document; what it seeks is said by then.
const LONGEST_QUERY = 20_000;

/** The tokens under which a text is indexed: folded, stemmed, identifiers whole and in parts, unspaced scripts by bigrams. */
export function tokenise(text: string): string[] {
  const found = words(text, true);
  const language = guessLanguage(found);
  return found.map((word) => stemWord(word, language));
}

/** The words of a question that say what is sought; all of its words if none does. */
export function parseQueryTerms(query: string): QueryTerm[] {
  const found = words(query.slice(0, LONGEST_QUERY), false);
  const language = guessLanguage(found);
  const all = [...new Set(found)];
  const telling = all.filter((word) => !isStopWord(word, language) && !isStopWord(word, "en"));
  return (telling.length > 0 ? telling : all).map((word) => ({ word, forms: formsOf(word) }));
}

/** Small letters without accents, in the compatibility form of Unicode. */
export function fold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  const lower = text.normalize("NFKC").toLowerCase();
  return lower
    .normalize("NFD")
    .replace(/[\u0300-\u036f]/g, "")
    .normalize("NFC")
    .replace(/[ßæøœđłı]/g, (letter) => SPELT_OUT.get(letter) ?? letter);
}

const SPELT_OUT = new Map([
  ["ß", "ss"],
  ["æ", "ae"],
  ["ø", "o"],
  ["œ", "oe"],
  ["đ", "d"],
  ["ł", "l"],
  ["ı", "i"],
]);

const WORDS_TO_GUESS_FROM = 40;

/** The language that most of the small words belong to; English where nothing speaks for another. */
function guessLanguage(folded: readonly string[]): StemmedLanguage {
  const counts = new Map<StemmedLanguage, number>();
  const most = Math.min(folded.length, WORDS_TO_GUESS_FROM);
  for (let index = 0; index < most; index++) {
    for (const language of LANGUAGES_OF_WORD.get(folded[index] ?? "") ?? []) {
      counts.set(language, (counts.get(language) ?? 0) + 1);
    }
  }
  let best: StemmedLanguage = "en";
  for (const [language, count] of counts) {
    if (count > 1 && count > (counts.get(best) ?? 0)) best = language;
  }
  return best;
}

const LANGUAGES_OF_WORD = new Map<string, StemmedLanguage[]>();
for (const [language, stopWords] of STOP_WORDS) {
  for (const word of stopWords) LANGUAGES_OF_WORD.set(word, [...(LANGUAGES_OF_WORD.get(word) ?? []), language]);
}

/** `withEnds` adds the last character of an unspaced run, so that it can be found alone, as all before it can by prefix. */
function words(text: string, withEnds: boolean): string[] {
  const found: string[] = [];
  const isAscii = ASCII.test(text);
  const normal = (isAscii ? text : text.normalize("NFKC")).replace(THOUSANDS, "$1");
  for (const match of normal.match(isAscii ? ASCII_WORD : WORD) ?? []) {
    if (PLAIN.test(match)) found.push(match.toLowerCase());
    else pushParts(match, fold(match), found, withEnds);
  }
  return found;
}

function pushParts(match: string, word: string, found: string[], withEnds: boolean): void {
  if (HAS_UNSPACED.test(word)) return pushUnspaced(word, found, withEnds);
  if (NEEDS_DICTIONARY.test(word)) return pushSegments(word, found);
  const parts = match
    .split(JOINERS)
    .flatMap((part) => (CAMEL.test(part) ? [part, ...part.replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2").split(" ")] : [part]))
    .map(fold)
    .flatMap((part) => part.split("_"))
    .filter((part) => part !== "");
  const isIdentifier = /[\p{N}_#@+/:.]/u.test(word) && word.length <= LONGEST_TOKEN;
  if (isIdentifier && !(parts.length === 1 && parts[0] === word)) found.push(word);
  for (const part of parts) {
    if (part.length > LONGEST_TOKEN) continue;
    found.push(part);
    const amount = /^(\d+)\p{L}+$/u.exec(part)?.[1];
    if (amount !== undefined) found.push(amount);
  }
}

function pushUnspaced(word: string, found: string[], withEnds: boolean): void {
  let end = 0;
  for (const run of word.matchAll(UNSPACED)) {
    if (run.index > end) found.push(...words(word.slice(end, run.index), withEnds));
    const characters = [...run[0]];
    for (let index = 0; index + 1 < characters.length; index++) {
      found.push(`${characters[index]}${characters[index + 1]}`);
    }
    if (characters.length === 1 || withEnds) found.push(characters.at(-1) ?? "");
    end = run.index + run[0].length;
  }
  if (end < word.length) found.push(...words(word.slice(end), withEnds));
}

const segmenter = new Intl.Segmenter("th", { granularity: "word" });

function pushSegments(word: string, found: string[]): void {
  for (const { segment, isWordLike } of segmenter.segment(word)) if (isWordLike) found.push(segment);
}

const stems = new Map<StemmedLanguage, Map<string, string>>();
const STEMS_KEPT = 50_000;

function stemWord(word: string, language: StemmedLanguage): string {
  let known = stems.get(language);
  if (!known || known.size > STEMS_KEPT) stems.set(language, (known = new Map()));
  let stemmed = known.get(word);
  if (stemmed === undefined) known.set(word, (stemmed = stemAnew(word, language)));
  return stemmed;
}

function stemAnew(word: string, language: StemmedLanguage): string {
  if (word.length < 3) return word;
  if (CYRILLIC.test(word)) return stem(word, "ru");
  return LATIN.test(word) && language !== "ru" ? stem(word, language) : word;
}

// A passage is stemmed in the language it seems to be in; a short question may be in any, so it asks for all stems.
function formsOf(word: string): string[] {
  return [...new Set([...STEMMED_LANGUAGES.map((language) => stemWord(word, language)), word])];
}
