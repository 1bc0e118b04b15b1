import { listPacks } from "./packs.ts";

/** The code of a language that has a pack; `other` is every language that has none. */
export type LanguageCode = string;

/** Scripts and letters that no pack names: a language that Tidemark does not know. */
const UNKNOWN =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Hangul}\p{Script=Thai}\p{Script=Devanagari}]/u;
const UNKNOWN_LETTERS = /[ıİğşŞąęłżźśćńőűčřěåø]/u;
const OWN_LETTERS = 0.7;
// Letters that hardly any other language has leave no doubt.
const FOREIGN = 100;
const SPOKEN_BEFORE = 0.5;

let votes: ReadonlyMap<string, readonly LanguageCode[]> | undefined;

/** Which language a text is in, as far as its script and its small words tell; `otherwise` where they tell nothing. */
export function detectLanguage(text: string, otherwise: LanguageCode = "en"): LanguageCode {
  // Japanese is written with Chinese characters as well: its own script comes first.
  const written = listPacks().filter(({ script }) => script?.test(text));
  const [first] = written.toSorted((one, other) => one.code.localeCompare(other.code));
  if (first) return first.code;
  if (UNKNOWN.test(text)) return "other";
  // Names may have any letters: only words that a sentence has in lower case tell its language.
  const lower = (text.match(/(?<!\p{L})\p{Ll}\p{L}*/gu) ?? []).join(" ");
  const counts = new Map<LanguageCode, number>();
  const foreign = [...lower].filter((letter) => UNKNOWN_LETTERS.test(letter)).join("");
  for (const word of text
    .toLowerCase()
    .replaceAll("’", "'")
    .match(/[\p{L}']+/gu) ?? []) {
    const codes = votesOf(word);
    // A word of one language says more than one that five share.
    for (const code of codes) counts.set(code, (counts.get(code) ?? 0) + 1 / codes.length);
  }
  for (const { code, letters } of listPacks())
    if (letters?.test(lower))
      counts.set(code, (counts.get(code) ?? 0) + (letters.test(foreign) ? FOREIGN : OWN_LETTERS));
  if (foreign !== "" && !listPacks().some(({ letters }) => letters?.test(foreign))) return "other";
  let best = otherwise;
  // What was spoken just before is likely spoken still.
  let most = (counts.get(otherwise) ?? 0) + (otherwise === "en" ? 0 : SPOKEN_BEFORE);
  for (const [code, count] of counts) if (count > most + 0.01) [best, most] = [code, count];
  return best;
}

function votesOf(word: string): readonly LanguageCode[] {
  votes ??= countVotes();
  return votes.get(word) ?? (word.includes("'") ? (votes.get(word.split("'")[0] ?? "") ?? []) : []);
}

function countVotes(): Map<string, LanguageCode[]> {
  const found = new Map<string, LanguageCode[]>();
  for (const { code, words } of listPacks())
    for (const word of words.frequent) found.set(word, [...(found.get(word) ?? []), code]);
  return found;
}
