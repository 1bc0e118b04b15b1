import { STEMMED_LANGUAGES, stem, type StemmedLanguage } from "../language/stem.ts";
import { isStopWord, STOP_WORDS } from "../language/stop-words.ts";

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

/** Changes whenever the same text gives other tokens; an index of others is made anew. */
export const TOKENS_FORMAT = 2;

/** The tokens under which a text is indexed: folded, stemmed, identifiers whole and in parts, unspaced scripts by bigrams. */
export function tokenise(text: string): string[] {
  const found = readWords(text);
  const language = guessLanguage(found);
  return found.map((word) => stemOf(word, language));
}

/** The same tokens in one string, parted by spaces. */
export function tokeniseToText(text: string): string {
  const found = readWords(text);
  const language = guessLanguage(found);
  return found.map((word) => stemOf(word, language)).join(" ");
}

/** The words of a text; most texts are plain words of an alphabet, which need no pattern to be found. */
function readWords(text: string): KnownWord[] {
  const found: KnownWord[] = [];
  let start = -1;
  let isPlain = true;
  let sum = 0;
  for (let index = 0; index <= text.length; index++) {
    const code = index < text.length ? text.charCodeAt(index) : SPACE_CODE;
    const kind = KIND_OF_CODE[code] ?? FOREIGN;
    if (kind === SPACE) {
      if (start >= 0) pushRun(text, start, index, sum, isPlain, found);
      start = -1;
      isPlain = true;
      sum = 0;
      continue;
    }
    if (kind === FOREIGN) return words(text, true).map(lookUp);
    if (kind === OTHER || (kind === LARGE && start >= 0)) isPlain = false;
    if (start < 0) start = index;
    sum = (Math.imul(sum, 31) + code) | 0;
  }
  return found;
}

/** Nearly every run was met before; it is known by its sum, so that nothing need be cut out of the text to look it up. */
function pushRun(text: string, start: number, end: number, sum: number, isPlain: boolean, found: KnownWord[]): void {
  const slot = (sum ^ (sum >>> 16)) & (metRuns.length - 1);
  const met = metRuns[slot];
  if (met && isAt(text, start, end, met.run)) {
    found.push(met.word);
    return;
  }
  const run = text.slice(start, end);
  if (!isPlain && !ENDS_CLAUSE.test(run)) {
    for (const word of words(run, true)) found.push(lookUp(word));
    return;
  }
  const word = lookUp(run.replace(/[.,:]$/, "").toLowerCase());
  metRuns[slot] = { run, word };
  found.push(word);
}

/** By hand: the built-in `startsWith` takes longer than all the rest. */
function isAt(text: string, start: number, end: number, run: string): boolean {
  if (run.length !== end - start) return false;
  for (let index = 0; index < run.length; index++) {
    if (text.charCodeAt(start + index) !== run.charCodeAt(index)) return false;
  }
  return true;
}

const ENDS_CLAUSE = /^[A-Z]?[a-z]+[.,:]$/;
const SPACE_CODE = 32;
const SPACE = 0;
const SMALL = 1;
const LARGE = 2;
const OTHER = 3;
const FOREIGN = 4;
const KIND_OF_CODE = Uint8Array.from({ length: 128 }, (_, code) => {
  const letter = String.fromCharCode(code);
  if (/[a-z]/.test(letter)) return SMALL;
  if (/[A-Z]/.test(letter)) return LARGE;
  // What can join two parts of an identifier makes a run worth a closer look, and so does a comma between digits.
  return /[\d_#@._\-/:+'&,]/.test(letter) ? OTHER : SPACE;
});

/** The words of a question that say what is sought; all of its words if none does. */
export function parseQueryTerms(query: string): QueryTerm[] {
  const found = words(query.slice(0, LONGEST_QUERY), false);
  const language = guessLanguage(found.map(lookUp));
  const all = [...new Set(found)];
  const telling = all.filter((word) => !isStopWord(word, language) && !isStopWord(word, "en"));
  return (telling.length > 0 ? telling : all).map((word) => ({ word, forms: formsOf(word) }));
}

/** Small letters without accents, vowel points and strokes that only stretch a word, in the compatibility form of Unicode. */
export function fold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  const lower = text.normalize("NFKC").toLowerCase();
  return lower
    .normalize("NFD")
    .replace(MARKS, "")
    .normalize("NFC")
    .replace(/[ßæøœđłı]/g, (letter) => SPELT_OUT.get(letter) ?? letter);
}

// Of Latin, Greek and Cyrillic; of Hebrew; of Arabic, with the hamza and madda that sit on a letter, and the tatweel.
const MARKS = /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670]/g;

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
function guessLanguage(found: readonly KnownWord[]): StemmedLanguage {
  counts.fill(0);
  const most = Math.min(found.length, WORDS_TO_GUESS_FROM);
  for (let index = 0; index < most; index++) {
    for (const language of found[index]?.languages ?? NONE) counts[language] = (counts[language] ?? 0) + 1;
  }
  let best = ENGLISH;
  for (let language = 0; language < counts.length; language++) {
    const count = counts[language] ?? 0;
    if (count > 1 && count > (counts[best] ?? 0)) best = language;
  }
  return STEMMED_LANGUAGES[best] ?? "en";
}

/** A word as it was met before: the languages that have it as a small word, by number, and its stems so far. */
interface KnownWord {
  readonly text: string;
  readonly languages: readonly number[];
  readonly stems: Map<StemmedLanguage, string>;
  english: string | undefined;
}

const ENGLISH = STEMMED_LANGUAGES.indexOf("en");
const counts = new Uint16Array(STEMMED_LANGUAGES.length);
const NONE: readonly number[] = [];
const WORDS_KEPT = 60_000;
let knownWords = new Map<string, KnownWord>();
/** A run of letters as it stands in a text, capital letters and a clause's end included. */
interface MetRun {
  readonly run: string;
  readonly word: KnownWord;
}

// Those that share a place take turns in it.
const metRuns: (MetRun | undefined)[] = [];
// Not filled: that would take a millisecond of every start.
metRuns.length = 1 << 15;

function lookUp(text: string): KnownWord {
  let word = knownWords.get(text);
  if (word) return word;
  const languages = LANGUAGES_OF_WORD.get(text)?.map((language) => STEMMED_LANGUAGES.indexOf(language)) ?? NONE;
  word = { text, languages, stems: new Map(), english: undefined };
  if (knownWords.size >= WORDS_KEPT) knownWords = new Map();
  knownWords.set(text, word);
  return word;
}

function stemOf(word: KnownWord, language: StemmedLanguage): string {
  if (language === "en") return (word.english ??= stemAnew(word.text, "en"));
  let stemmed = word.stems.get(language);
  if (stemmed === undefined) word.stems.set(language, (stemmed = stemAnew(word.text, language)));
  return stemmed;
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

// Made with the first text that needs it: it takes as long to make as a search.
let segmenter: Intl.Segmenter | undefined;

function pushSegments(word: string, found: string[]): void {
  segmenter ??= new Intl.Segmenter("th", { granularity: "word" });
  for (const { segment, isWordLike } of segmenter.segment(word)) if (isWordLike) found.push(segment);
}

function stemAnew(word: string, language: StemmedLanguage): string {
  if (word.length < 3) return word;
  if (CYRILLIC.test(word)) return stem(word, "ru");
  return LATIN.test(word) && language !== "ru" ? stem(word, language) : word;
}

// A passage is stemmed in the language it seems to be in; a short question may be in any, so it asks for all stems.
function formsOf(word: string): string[] {
  return [...new Set([...STEMMED_LANGUAGES.map((language) => stemOf(lookUp(word), language)), word])];
}

/** More words than this a question is not asked by. */
export const LONGEST_QUERY_TERMS = 64;
