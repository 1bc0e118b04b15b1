import { contentWords, shareOf } from "../language/content-words.ts";
import type { Claim } from "./claim.ts";
import { familyOf, slotOf } from "./slots.ts";

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

/** What gives way to a claim: what it moves, ends, corrects or denies. The rest of what a fact says stays. */
export function giveWay(beliefs: Belief[], claim: Claim): Belief[] {
  const standing = beliefs.filter(({ isGone }) => !isGone);
  leaveLists(beliefs, standing, claim);
  moveTimes(beliefs, standing, claim);
  return standing.filter((belief) => !belief.isGone && isOutdated(belief, claim));
}

const MOVED =
  /^(?:User's |User: |The |the |Our |our |die |der |la |el |le |o |a |il |de |het )?(.{2,40}?)(?:'s)? (?:has |have |is |was |wurde |ist |foi |a été )?(?:been )?(?:now )?(?:moved|pushed|changed|postponed|rescheduled|slips|verschoben|verlegt|mudou|passou|déplacée?|spostat[oa]|verplaatst|aplazad[oa])(?: (?:to|back to|on|auf|para|pra|à|au|al|a|naar))? (?:the |den |o |el |le |il )?(.+)$/u;
/** Weekdays, times of day and dates: what a thing has one of at a time. */
export const VALUES: readonly RegExp[] = [
  /(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:mon|diens|donners|frei|sams|sonn)tags?|mittwochs?|lunes|martes|miércoles|jueves|viernes|sábados?|domingos?|lundis?|mardis?|mercredis?|jeudis?|vendredis?|samedis?|dimanches?|segundas?|terças?|quartas?|quintas?|sextas?|lunedì|martedì|mercoledì|giovedì|venerdì|sabato|domenica|(?:maan|dins|woens|donder|vrij|zater|zon)dag/giu,
  /\d{1,2}[:.]\d{2}(?!\d)/g,
  /\d{1,2}(?:st|nd|rd|th|\.)?(?: (?:of|de|di))? (?:jan|feb|m[aä]r|apr|ma[iy]|jun|jul|aug|sep|o[ck]t|nov|de[cz]|ene|abr|ago|dic|janv|fév|avr|juin|juil|aoû|déc|fev|mai|set|out|gen|mag|giu|lug|ott|mei|maa)\p{L}*/giu,
];

/** Something takes place at another time: older facts about it keep the rest of what they say. */
function moveTimes(beliefs: Belief[], standing: readonly Belief[], claim: Claim): void {
  const [, subject, value] = MOVED.exec(claim.fact) ?? [];
  if (subject === undefined || value === undefined) return;
  const words = contentWords(subject);
  for (const belief of standing) {
    if (belief.isGone || words.size === 0 || shareOf(words, contentWords(belief.fact)) < 1) continue;
    for (const kind of VALUES) {
      const [after] = value.match(kind) ?? [];
      const held = belief.fact.match(kind) ?? [];
      if (after === undefined || held.length !== 1 || held[0] === undefined || held[0] === after) continue;
      replace(beliefs, belief, belief.fact.replace(held[0], after), claim);
      break;
    }
  }
}

/** Puts another fact in a belief's place, on the word of a claim. */
function replace(beliefs: Belief[], belief: Belief, fact: string, claim: Claim): void {
  belief.isGone = true;
  belief.reason = `corrected: “${claim.quote}”`;
  const own = { ...claim, fact, slot: slotOf(fact), family: familyOf(fact) };
  beliefs.push({ fact, claim: own, before: belief.claim ? undefined : belief.before, isGone: false, reason: "" });
}

const LEFT =
  /^(\p{Lu}\p{L}+) (?:has )?(?:moved out|left|died|passed away|quit|is gone|ist ausgezogen|ist gestorben|se fue|murió|est parti|est morte?|saiu|morreu|è andat[oa]|è mort[oa]|is vertrokken|is overleden)(?![\p{L}])/u;

/** Someone who left is no longer one of those that a fact names; the others of it stay. */
function leaveLists(beliefs: Belief[], standing: readonly Belief[], claim: Claim): void {
  const name = LEFT.exec(claim.fact.replace(/^User: /, ""))?.[1];
  if (name === undefined) return;
  for (const belief of standing) {
    const rest = withoutName(belief.fact, name);
    if (rest !== undefined) replace(beliefs, belief, rest, claim);
  }
}

function withoutName(fact: string, name: string): string | undefined {
  const joins = "and|&|und|y|et|e|en";
  const list = new RegExp(
    `(?:, ${name}(?= (?:${joins}) )|,? (?:${joins}) ${name}(?![\\p{L}])|${name},? (?:${joins}) |, ${name}(?=,|$))`,
    "u",
  );
  if (!list.test(fact)) return undefined;
  return fact
    .replace(list, "")
    .replace(/\b(?:two|three|four|zwei|drei|dos|tres|deux|trois|dois|três|due|tre|twee|drie) (?=\p{L}+s?,)/u, "");
}

function isOutdated({ fact }: Belief, claim: Claim): boolean {
  const slot = slotOf(fact);
  if (slot !== undefined && slot === claim.slot) return true;
  const isDenied = isDenial(fact);
  if (isDenied === claim.isDenial) return false;
  const words = factWords(fact);
  const denied = factWords(claim.fact);
  if (words.size === 0 || denied.size === 0) return false;
  return claim.isDenial
    ? shareOf(words, denied) >= 0.99 || shareOf(denied, words) >= 0.99
    : shareOf(words, denied) >= 0.99;
}

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
