import { readFileSync } from "node:fs";
import { isStopWord } from "../language/stop-words.ts";
import { stem } from "../language/stem.ts";
import type { StemmedLanguage } from "../language/stem.ts";
import { fold, tokenise } from "./tokenise.ts";

const CONCEPTS_FILE = new URL("../../data/concepts.txt", import.meta.url);

let loaded: ReadonlyMap<string, readonly (readonly string[])[]> | undefined;

/**
 * What a word is called in other languages, each as the tokens that the index has for it; nothing for a word that is no
 * everyday concept. Small words are left out: they would be found everywhere.
 */
export function otherWordsFor(word: string): readonly (readonly string[])[] {
  loaded ??= load();
  return loaded.get(fold(word)) ?? loaded.get(tokenise(word)[0] ?? "") ?? [];
}

function load(): Map<string, readonly (readonly string[])[]> {
  const others = new Map<string, (readonly string[])[]>();
  for (const line of readFileSync(CONCEPTS_FILE, "utf8").split("\n")) {
    if (line === "" || line.startsWith("#")) continue;
    const columns = line.split(";").map((language) => language.split("/"));
    const words = columns.flat();
    const tokens = distinct(columns.flatMap((column, at) => column.flatMap((word) => tokensOf(word, LANGUAGES[at]))));
    for (const key of new Set(words.flatMap(keysOf))) {
      others.set(key, distinct([...(others.get(key) ?? []), ...tokens]));
    }
  }
  return others;
}

/** The columns of the list; the last two are written without spaces. */
const LANGUAGES: readonly StemmedLanguage[] = ["en", "de", "es", "fr", "pt", "it", "nl"];
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/u;

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
function keysOf(word: string): string[] {
  if (UNSPACED.test(word)) return [[...word].slice(0, 2).join("")];
  const folded = fold(word);
  return folded.includes(" ") || isStopWord(folded, "en") ? [] : [folded];
}

function distinct(lists: readonly (readonly string[])[]): (readonly string[])[] {
  return [...new Map(lists.map((list) => [list.join(" "), list])).values()];
}
