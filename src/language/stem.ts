import { stemEnglish } from "./stem-english.ts";

/** Languages whose words are stemmed; every other text is indexed with its words as they stand. */
export const STEMMED_LANGUAGES = ["en", "de", "fr", "es", "it", "pt", "nl", "sv", "ru"] as const;

/** A language that `stem` knows. */
export type StemmedLanguage = (typeof STEMMED_LANGUAGES)[number];

// Light suffix lists (after Savoy): they undo inflection, not derivation, and so rarely merge two words.
const SUFFIXES: Record<Exclude<StemmedLanguage, "en">, readonly string[]> = {
  de: ["ungen", "erinnen", "innen", "erin", "ern", "em", "en", "er", "es", "st", "in", "e", "n", "s"],
  fr: ["issements", "issement", "atrices", "ements", "ement", "ments", "ment", "euses", "euse", "ieres", "iere"].concat(
    ["ations", "ation", "iques", "ique", "eaux", "aux", "ives", "ive", "ees", "ee", "ers", "er", "ez", "es", "s", "e"],
  ),
  es: ["amientos", "amiento", "aciones", "acion", "amente", "mente", "ciones", "cion", "ados", "adas", "idos"].concat([
    "idas",
    "ando",
    "iendo",
    "ado",
    "ada",
    "ido",
    "ida",
    "ar",
    "er",
    "ir",
    "es",
    "os",
    "as",
    "o",
    "a",
    "e",
    "s",
  ]),
  it: ["amenti", "amento", "azioni", "azione", "amente", "mente", "ando", "endo", "ati", "ate", "ato", "ata"].concat([
    "are",
    "ere",
    "ire",
    "he",
    "hi",
    "ie",
    "a",
    "e",
    "i",
    "o",
  ]),
  pt: ["amentos", "amento", "acoes", "acao", "amente", "mente", "coes", "cao", "oes", "aos", "ados", "adas"].concat([
    "ando",
    "endo",
    "indo",
    "ado",
    "ada",
    "ar",
    "er",
    "ir",
    "es",
    "os",
    "as",
    "o",
    "a",
    "e",
    "s",
  ]),
  nl: ["heden", "ingen", "heid", "ing", "eren", "en", "er", "es", "e", "s", "n"],
  sv: ["heterna", "heten", "arna", "erna", "orna", "aren", "ande", "ende", "ens", "ar", "er", "or", "en", "et"].concat([
    "na",
    "as",
    "a",
    "e",
    "n",
    "t",
    "s",
  ]),
  ru: ["иями", "ями", "ами", "иях", "ого", "его", "ому", "ему", "ыми", "ими", "ией", "иям", "ой", "ый", "ий"].concat(
    ["ая", "яя", "ое", "ее", "ые", "ие", "ов", "ев", "ей", "ам", "ям", "ах", "ях", "ом", "ем", "ую", "юю", "ть"],
    ["ла", "ло", "ли", "а", "я", "о", "е", "и", "ы", "у", "ю", "ь"],
  ),
};

const SHORTEST_STEM = 3;

/** The stem of a word that is in lower case and without accents. */
export function stem(word: string, language: StemmedLanguage): string {
  if (language === "en") return stemEnglish(word);
  for (const suffix of SUFFIXES[language]) {
    if (word.length - suffix.length >= SHORTEST_STEM && word.endsWith(suffix)) return word.slice(0, -suffix.length);
  }
  return word;
}
