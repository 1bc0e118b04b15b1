import { readFileSync } from "node:fs";
import { isStopWord } from "../language/stop-words.ts";
import { stem } from "../language/stem.ts";
import type { StemmedLanguage } from "../language/stem.ts";
import { shippedPath } from "../shipped.ts";
import { fold, tokenise } from "./tokenise.ts";

const CONCEPTS_FILE = shippedPath("data/concepts.txt");

/** The columns of the list; the last two are written without spaces. */
const LANGUAGES: readonly StemmedLanguage[] = ["en", "de", "es", "fr", "pt", "it", "nl"];
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/u;

const SAME_BEGINNING = 2;

/** What a word is called in other languages. */
export interface OtherWords {
  /** Each as the tokens that the index has for it. */
  readonly tokens: readonly (readonly string[])[];
  /** What it is called in English. */
  readonly english: readonly string[];
}

/** A word of the list: the column and the line that it stands in. */
interface ListedWord {
  readonly word: string;
  readonly column: number;
  readonly line: string;
}

let listed: ReadonlyMap<string, readonly ListedWord[]> | undefined;
const linesByBeginning = new Map<string, ReadonlyMap<string, readonly string[]>>();

/**
 * What a word is called in other languages; nothing for a word that is no everyday concept. Small words are left out:
 * they would be found everywhere.
 */
export function otherWordsFor(word: string): OtherWords {
  const folded = fold(word);
  const lines = linesFor(folded, linesLike(folded)).map((line) =>
    line.split(";").map((language) => language.split("/")),
  );
  return {
    tokens: distinct(
      lines.flatMap((columns) =>
        columns.flatMap((column, at) => column.flatMap((name) => tokensOf(name, LANGUAGES[at]))),
      ),
    ),
    english: [...new Set(lines.flatMap(([english]) => english ?? []))],
  };
}

/** As it stands in the list, or in another form of it in one of the languages. */
function linesFor(word: string, lines: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const exact = lines.get(word);
  if (exact || UNSPACED.test(word)) return exact ?? [];
  return [...new Set(LANGUAGES.flatMap((language) => lines.get(stemKey(word, language)) ?? []))];
}

/**
 * The lines of the list by their words and by the stems of these, as far as they begin like a word: stemming changes the
 * ends of words, and to stem the whole list would take longer than the search.
 */
function linesLike(folded: string): ReadonlyMap<string, readonly string[]> {
  const beginning = folded.slice(0, SAME_BEGINNING);
  const known = linesByBeginning.get(beginning);
  if (known) return known;
  listed ??= Map.groupBy(readList(), ({ word }) => fold(word.slice(0, 2 * SAME_BEGINNING)).slice(0, SAME_BEGINNING));
  const lines = new Map<string, string[]>();
  for (const { word, column, line } of listed.get(beginning) ?? []) {
    for (const key of keysOf(word, LANGUAGES[column])) {
      const found = lines.get(key);
      if (!found) lines.set(key, [line]);
      else if (found.at(-1) !== line) found.push(line);
    }
  }
  linesByBeginning.set(beginning, lines);
  return lines;
}

function* readList(): Generator<ListedWord> {
  for (const line of readFileSync(CONCEPTS_FILE, "utf8").split("\n")) {
    if (line === "" || line.startsWith("#")) continue;
    for (const [column, words] of line.split(";").entries()) {
      for (const word of words.split("/")) yield { word, column, line };
    }
  }
}

/** The tokens of a word, whichever language the text around it was taken for. */
function tokensOf(word: string, language: StemmedLanguage | undefined): (readonly string[])[] {
  if (language === undefined || UNSPACED.test(word)) {
    // The lone last character would be found in other words, too.
    return [...word].length > 1 ? [tokenise(word).slice(0, -1)] : [];
  }
  const parts = fold(word).split(/[^\p{L}\p{N}]+/u);
  if (parts.every((part) => isStopWord(part, "en") || isStopWord(part, language))) return [];
  return [parts, parts.map((part) => stem(part, language)), parts.map((part) => stem(part, "en"))];
}

/** A question's words come folded; those of unspaced scripts come in pairs, of which the first tells most. */
function keysOf(word: string, language: StemmedLanguage | undefined): string[] {
  if (UNSPACED.test(word)) return [[...word].slice(0, 2).join("")];
  const folded = fold(word);
  if (folded.includes(" ") || isStopWord(folded, "en")) return [];
  return language === undefined ? [folded] : [folded, stemKey(folded, language)];
}

function stemKey(word: string, language: StemmedLanguage): string {
  return `${language}:${stem(word, language)}`;
}

function distinct(lists: readonly (readonly string[])[]): (readonly string[])[] {
  return [...new Map(lists.map((list) => [list.join(" "), list])).values()];
}
