import { keyWords } from "../language/similarity.ts";
import { STOP_WORDS } from "../language/stop-words.ts";

// Words that say nothing by themselves: whatever a fact says, it says with other words than these.
const NEUTRAL_WORDS = `live lives lived work works worked like likes liked love loves prefer prefers preferred preference want wants
  need needs use uses used using name named call called person people someone thing kind sort type currently current now today present
  moment since ago based located own owns owned say says said tell tells told mention mentioned state stated ask asked note noted get
  gets got go goes went gone come comes came make makes made take takes took know knows known keep keeps kept become became plan plans
  planned planning intend intends go going start starts started begin begins began include includes including e.g i.e etc one first
  usually often regularly sometimes generally time times day days date dates year years month months week weeks number amount
  their themselves himself herself year-old favourite favorite detail details info information fact facts regarding related
  lie lies stand stands have has
  nutzer nutzerin benutzer wohnt lebt arbeitet mag heisst heißt bevorzugt spricht
  usuario usuaria vive trabaja tiene gusta prefiere llama habla
  utilisateur utilisatrice habite vit travaille aime prefere appelle parle
  utilizador utilizadora mora trabalha tem gosta chama fala
  utente abita lavora piace preferisce chiama parla gebruiker woont werkt heeft houdt heet
  memory notes profile personal during within while well much many several various both each`;

/** The small numbers as words. */
export const NUMBER_WORDS =
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty".split(
    " ",
  );
const FUNCTION_WORDS = new Set([...STOP_WORDS.values()].flatMap((words) => [...words]));
const NEUTRAL = new Set(NEUTRAL_WORDS.split(/\s+/).flatMap((word) => [...keyWords(word)].map(shorten)));
// Whom a fact is about, in scripts that write it together with the rest.
const UNSPACED_USER = /用户|使用者|用戶|ユーザー|사용자[는은이가의]?/gu;

// "l'utilisatrice", "dell'utente": the article is no part of the word.
const ELIDED = /(?<!\p{L})(?:[cdjlmnst]|qu|dell|all|nell|sull|un)['’](?=\p{L}{2})/giu;
// Written like a name where no sentence begins: a person may be called Will, and a bank Now.
const PLAIN_NAME = /(?<=[\p{Ll}\d,] )\p{Lu}\p{Ll}{2,}(?![\p{L}\p{N}:])/gu;
const CAPITALISED = /(?<![\p{L}\p{N}])\p{Lu}\p{Ll}{2,}/gu;
const ABOUT_USER = /^(?:users?|be?nutzer\p{L}*|nutzer\p{L}*|sie|ihr|ihre[mnrs]?|ihnen|you|your)$/u;

// What a number is of; "EUR 5", "5 €" and "5 euros" are the same.
const SIGNS: readonly (readonly [RegExp, string])[] = [
  [/%|\bper ?cent\b|\bprozent\b/gi, " percent "],
  [/\$|(?<!\p{L})usd\b/giu, " dollar "],
  [/€|(?<!\p{L})eur\b/giu, " euro "],
  [/£|(?<!\p{L})gbp\b/giu, " pound "],
  [/(?<![\p{L}\p{N}])[-−](?=\d)/gu, " minus "],
];

// What people say, and how it is put down; each first word stands for the others, not the other way round.
const SYNONYMS = new Map(
  `hate: dislike avoid; love: enjoy; job: work employed; kid: child children; kids: children child; mum: mother; mom: mother; dad: father;
  wife: married spouse; husband: married spouse; car: drive; flat: apartment; apartment: flat; buy: purchase; bought: purchased;
  moving: relocate move; study: student; studying: student; teach: teacher; married: spouse; meeting: appointment; trip: travel`
    .split(";")
    .flatMap((entry) => {
      const [said = "", others = ""] = entry.split(":");
      const forms = [...contentWords(others)];
      return [...contentWords(said)].map((word) => [word, forms] as const);
    }),
);

/** The words of a text that say something: its names, numbers, nouns and verbs, folded and stemmed. */
export function contentWords(text: string): Set<string> {
  const words = [...keyWords(normalise(text))].filter((word) => !FUNCTION_WORDS.has(word)).map(shorten);
  return new Set([...words, ...namesIn(text, PLAIN_NAME)]);
}

/** Names that would pass for words without meaning. */
function namesIn(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)]
    .map(([name]) => name.toLowerCase())
    .filter((name) => !ABOUT_USER.test(name) && (FUNCTION_WORDS.has(name) || [...keyWords(name)].every(isPlain)))
    .map((name) => `${name}!`);
}

function isPlain(word: string): boolean {
  return NEUTRAL.has(shorten(word)) || FUNCTION_WORDS.has(word);
}

/** Short words are not stemmed elsewhere: "runs" and "run", "bakes" and "bake", "flies" and "fly" are the same here. */
function shorten(word: string): string {
  if (!/^[a-z]{3,}$/.test(word)) return word;
  const short = word.length > 4 ? word : word.replace(/(?<=..)(?:e|(?<!s)s)$/, "").replace(/y$/, "i");
  return short.replace(/(.)\1$/, "$1");
}

/** Whether a word is of those that any fact may be put in, such as "lives" or "prefers". */
export function isNeutral(word: string): boolean {
  return NEUTRAL.has(word);
}

/** The words that someone may use who repeats a text: its own, two written as one, numbers in their other forms. */
export function saidWords(text: string): Set<string> {
  const words = contentWords(text);
  for (const name of namesIn(text, CAPITALISED)) words.add(name);
  const lower = normalise(text).toLowerCase();
  const plain = lower.match(/[\p{L}\p{N}]+/gu) ?? [];
  for (const [index, word] of plain.entries()) {
    for (const key of keyWords(`${plain[index - 1] ?? ""}${word}`)) words.add(shorten(key));
  }
  const own = [...words];
  for (const word of own) for (const other of SYNONYMS.get(word) ?? []) words.add(other);
  for (const form of clockForms(lower)) words.add(form);
  return words;
}

/** Thousands without their mark, numbers as digits with their signs as words, possessives without their ending. */
function normalise(given: string): string {
  const text = SIGNS.reduce((rest, [sign, word]) => rest.replaceAll(sign, word), given);
  return text
    .replaceAll(UNSPACED_USER, " ")
    .replaceAll(ELIDED, " ")
    .replaceAll(/(?<=\d)[,’'](?=\d{3}\b)/g, "")
    .replaceAll(/['’]s\b/g, "")
    .replaceAll(/(?<=\d)(?=(?:am|pm|km|kg|h|min|eur|usd|gb|mb|th|st|nd|rd)\b)/gi, " ")
    .replaceAll(
      new RegExp(`\\b(?:${NUMBER_WORDS.join("|")})\\b`, "gi"),
      (word) => `${NUMBER_WORDS.indexOf(word.toLowerCase())}`,
    );
}

function clockForms(lower: string): string[] {
  return [...lower.matchAll(/\b(\d{1,2})(?::(\d{2}))?\s*(am|pm)\b/g)].flatMap(([, hour, minute = "00", half]) => {
    const on24 = (Number(hour) % 12) + (half === "pm" ? 12 : 0);
    return [`${on24}`, `${on24}`.padStart(2, "0"), minute];
  });
}

/** The language that a text is in, by its script and its small words; undefined where it shows none. */
export function languageOf(text: string): string | undefined {
  const script = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)
    ? "east"
    : /\p{Script=Hangul}/u.test(text)
      ? "ko"
      : /\p{Script=Arabic}/u.test(text)
        ? "ar"
        : /\p{Script=Greek}/u.test(text)
          ? "el"
          : undefined;
  if (script !== undefined) return script;
  const words =
    text
      .normalize("NFKD")
      .replaceAll(/\p{M}/gu, "")
      .toLowerCase()
      .match(/\p{L}+/gu) ?? [];
  let best: { language: string | undefined; count: number } = { language: undefined, count: 0 };
  for (const [language, known] of STOP_WORDS) {
    const count = words.filter((word) => known.has(word) || (language === "en" && /^users?$/.test(word))).length;
    if (count > best.count) best = { language, count };
    else if (count === best.count) best = { ...best, language: language === best.language ? language : undefined };
  }
  return best.language;
}
