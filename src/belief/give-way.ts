import { contentWords } from "../language/content-words.ts";
import type { Claim } from "./claim.ts";

/** Something held true, and what it rests on. */
export interface Belief {
  fact: string;
  /** The claim that it rests on; undefined for what memory held before. */
  claim: Claim | undefined;
  /** What memory held in its place. */
  before: string | undefined;
  isGone: boolean;
  reason: string;
  /** The words that speak against it, where it is unclear whether they mean it. */
  doubt?: string;
}

/** Weekdays, times of day and dates: what a thing has one of at a time. */
export const VALUES: readonly RegExp[] = [
  /(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:mon|diens|donners|frei|sams|sonn)tags?|mittwochs?|lunes|martes|miércoles|jueves|viernes|sábados?|domingos?|lundis?|mardis?|mercredis?|jeudis?|vendredis?|samedis?|dimanches?|segundas?|terças?|quartas?|quintas?|sextas?|lunedì|martedì|mercoledì|giovedì|venerdì|sabato|domenica|(?:maan|dins|woens|donder|vrij|zater|zon)dag/giu,
  /\d{1,2}[:.]\d{2}(?!\d)/g,
  /\d{1,2}(?:st|nd|rd|th|\.)?(?: (?:of|de|di))? (?:jan|feb|m[aä]r|apr|ma[iy]|jun|jul|aug|sep|o[ck]t|nov|de[cz]|ene|abr|ago|dic|janv|fév|avr|juin|juil|aoû|déc|fev|mai|set|out|gen|mag|giu|lug|ott|mei|maa)\p{L}*/giu,
];

const ENDING = contentWords(
  `stopped stop quit gave given up sold sell cancelled no longer not any more never used finished dropped test negative anymore do does did have has kein nicht mehr aufgehört verkauft dejé dejado vendí arrêté vendu parei deixei vendi smesso venduto gestopt verkocht`,
);

/** What a fact is about, without the words that end it. */
export function factWords(fact: string): Set<string> {
  return new Set(
    [...contentWords(fact.replace(/^(?:User(?:'s)?|Standing instruction):? /, ""))].filter((word) => !ENDING.has(word)),
  );
}

const DENIAL =
  /\b(?:not|\w+n['’]t|no longer|never|no|cannot|without|stopped|quit|gave up|given up|sold|used to|any ?more|nicht|kein\w*|nie|no|nunca|ne|pas|jamais|n'\w+|não|nunca|nem|non|mai|niet|geen|nooit|parei|vendi|vendí)\b|[不没别]|ない|ません|やめ/iu;

/** Whether a fact denies something. */
export function isDenial(fact: string): boolean {
  return DENIAL.test(fact);
}
