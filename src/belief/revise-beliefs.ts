import { contentWords, shareOf } from "../language/content-words.ts";
import { detectLanguage } from "../language/language.ts";
import type { LanguageCode } from "../language/language.ts";
import { readConfirmed } from "./read-confirmed.ts";
import type { Confirmable } from "./read-confirmed.ts";
import type { Act, Claim } from "./claim.ts";
import { doubtWhatIsMeant } from "./doubt-what-is-meant.ts";
import { factWords, isDenial, VALUES } from "./give-way.ts";
import type { Belief } from "./give-way.ts";
import { readMessage } from "./read-message.ts";
import type { Saying } from "./read-message.ts";
import { familyOf, slotOf } from "./slots.ts";

/** A message as the reader gets it. */
export interface Heard extends Saying {
  role: "user" | "assistant";
}

/** What talk does to a memory: each change has the words that it stands on. */
export interface Revision {
  added: Claim[];
  replaced: { before: string; claim: Claim }[];
  removed: { fact: string; reason: string }[];
  /** What may be meant by words that take something back without saying what; it stays until a person has decided. */
  doubted: { fact: string; quote: string }[];
}

/** Reads talk in the order in which it was said; later words correct earlier ones and what was known. */
export function reviseBeliefs(heard: readonly Heard[], known: readonly string[]): Revision {
  const beliefs: Belief[] = known.map((fact) => ({ fact, claim: undefined, before: fact, isGone: false, reason: "" }));
  let assistant: Heard | undefined;
  let previous: Heard | undefined;
  let language: LanguageCode | undefined;
  for (const message of heard) {
    if (message.role === "assistant") {
      assistant = message;
      continue;
    }
    const acts = readMessage({ ...message, ...(language === undefined ? {} : { language }) });
    const moment = { message, previous, assistant: assistant && { ...assistant, asked: previous?.text } };
    for (const act of acts) apply(beliefs, act, moment);
    assistant = undefined;
    previous = message;
    if (message.text.length > 12) language = detectLanguage(message.text, language);
  }
  return sumUp(beliefs);
}

/** A message, and what was said around it. */
interface Moment {
  message: Heard;
  /** What the user said just before. */
  previous: Heard | undefined;
  assistant: Confirmable | undefined;
}

function apply(beliefs: Belief[], act: Act, moment: Moment): void {
  const { message, assistant } = moment;
  switch (act.kind) {
    case "claim":
      return believe(beliefs, act.claim);
    case "forget":
      return retireNamed(beliefs, matching(beliefs, act.about), act);
    case "take-back":
      return takeBack(beliefs, act, moment);
    case "cancel":
      return cancel(beliefs, act, moment);
    case "end":
      return;
    case "swap":
      return swap(beliefs, act, message);
    case "revalue":
      return revalue(beliefs, act, moment);
    case "confirm":
      if (assistant) for (const claim of readConfirmed(assistant, message)) believe(beliefs, claim);
  }
}

/** Adds a claim. Whatever else is on record stays: that a claim speaks against it would be our inference. */
function believe(beliefs: Belief[], claim: Claim): void {
  if (beliefs.some(({ fact, isGone }) => !isGone && fact === claim.fact)) return;
  if (claim.isDenial) doubtWhatIsMeant(beliefs, claim.fact, claim.quote);
  beliefs.push({ fact: claim.fact, claim, before: undefined, isGone: false, reason: "" });
}

/** The standing beliefs that a text names. */
function matching(beliefs: readonly Belief[], about: string): Belief[] {
  const words = contentWords(about);
  if (words.size === 0) return [];
  return beliefs.filter(({ fact, isGone }) => {
    const own = factWords(fact);
    return !isGone && own.size > 0 && (shareOf(words, own) >= 0.99 || shareOf(own, words) >= 0.99);
  });
}

function retire(beliefs: readonly Belief[], gone: readonly Belief[], quote: string): void {
  for (const belief of beliefs) {
    if (!gone.includes(belief)) continue;
    belief.isGone = true;
    belief.reason = `taken back: “${quote}”`;
  }
}

/** Takes back what is named; where nothing is named wholly, what may be meant is doubted. */
function retireNamed(
  beliefs: readonly Belief[],
  named: readonly Belief[],
  { about, quote }: { about: string; quote: string },
): void {
  if (named.length > 0) retire(beliefs, named, quote);
  else doubtWhatIsMeant(beliefs, about, quote);
}

/** Takes back what the words name, else what was said in the message before. */
function takeBack(
  beliefs: readonly Belief[],
  { about, quote }: { about: string; quote: string },
  { message, previous }: Moment,
): void {
  const fresh = beliefs.filter(({ claim, isGone }) => !isGone && claim !== undefined && claim.message !== message.id);
  const last = previous?.id;
  const named = matching(fresh, about);
  const meant = named.length > 0 ? named : fresh.filter(({ claim }) => claim?.message === last);
  retireNamed(beliefs, meant, { about, quote });
}

const PLAN =
  /\b(?:going|getting|moving|meeting|flying|visiting|starting|will|shall|appointment|booked|flight|trip|wedding|party|interview|tickets?)\b|\d{4}-\d{2}/i;

/** A plan that was just told of comes to nothing. */
function cancel(
  beliefs: readonly Belief[],
  { about, quote }: { about: string; quote: string },
  { message, previous }: Moment,
): void {
  const fresh = beliefs.filter(({ claim, isGone }) => !isGone && claim !== undefined && claim.message !== message.id);
  const named = matching(fresh, about);
  const last = fresh.findLast(({ claim }) => claim !== undefined && claim.message === previous?.id);
  const meant = named.length > 0 ? named : last && PLAN.test(last.fact) ? [last] : [];
  retireNamed(beliefs, meant, { about, quote });
}

function swap(
  beliefs: Belief[],
  { wrong, right, quote }: { wrong: string; right: string; quote: string },
  message: Heard,
): void {
  const word = new RegExp(`(?<![\\p{L}\\p{N}])${escape(wrong)}(?![\\p{L}\\p{N}])`, "iu");
  const target = beliefs.findLast(
    ({ fact, isGone, claim }) => !isGone && claim?.message !== message.id && word.test(fact),
  );
  if (!target || new RegExp(`(?<![\\p{L}\\p{N}])${escape(right)}(?![\\p{L}\\p{N}])`, "iu").test(target.fact)) return;
  restate(
    beliefs,
    target,
    target.fact.replace(word, () => right),
    quote,
    message,
  );
}

/** Puts a number or a name in the place of the one that was said last. */
function revalue(
  beliefs: Belief[],
  { text, quote }: { text: string; quote: string },
  { message, previous }: Moment,
): void {
  // Only what was said just before: a number from an hour ago is about something else.
  const target = beliefs.findLast(
    ({ claim, isGone }) => !isGone && claim !== undefined && claim.message === previous?.id,
  );
  if (!target) return;
  for (const kind of VALUES) {
    const [after, ...others] = text.match(kind) ?? [];
    const held = target.fact.match(kind) ?? [];
    if (after !== undefined && others.length === 0 && held.length === 1 && held[0] !== undefined)
      return restate(beliefs, target, target.fact.replace(held[0], after), quote, message);
  }
  const code = /\b\p{Lu}{2,}[ -]?\d+\b/u;
  const [newCode, oldCode] = [code.exec(text)?.[0], code.exec(target.fact)?.[0]];
  if (newCode !== undefined && oldCode !== undefined)
    return restate(beliefs, target, target.fact.replace(oldCode, newCode), quote, message);
  const numbers = numbersIn(text);
  const [number] = numbers;
  const held = numbersIn(target.fact);
  if (number !== undefined && new Set(numbers).size === 1 && held.length === 1 && held[0] !== undefined) {
    return restate(beliefs, target, target.fact.replace(held[0], number), quote, message);
  }
  const names = text.replace(/^\P{L}*\p{L}+/u, "").match(/(?<![\p{L}])\p{Lu}\p{Ll}+(?![\p{L}])/gu) ?? [];
  const old = target.fact.replace(/^User\S*/, "").match(/(?<![\p{L}])\p{Lu}[\p{L}]+(?![\p{L}])/gu) ?? [];
  const [name] = names;
  if (numbers.length > 0 || name === undefined || names.length !== 1 || old.length !== 1 || old[0] === undefined)
    return;
  if (name.toLowerCase() !== old[0].toLowerCase())
    restate(beliefs, target, target.fact.replace(old[0], name), quote, message);
}

/** Numbers as people write them; resolved dates are no one's words. */
function numbersIn(text: string): string[] {
  return (text.match(/\d+(?:[ .,:/-]\d+)*/g) ?? []).filter((number) => !/^\d{4}-\d{2}/.test(number));
}

function restate(beliefs: Belief[], target: Belief, fact: string, quote: string, message: Heard): void {
  target.isGone = true;
  target.reason = `corrected: “${quote}”`;
  const claim: Claim = {
    fact,
    quote,
    message: message.id,
    slot: slotOf(fact),
    family: familyOf(fact),
    isDenial: isDenial(fact),
  };
  beliefs.push({ fact, claim, before: target.before, isGone: false, reason: "" });
  if (target.claim) target.before = undefined;
}

function escape(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

function sumUp(beliefs: readonly Belief[]): Revision {
  const revision: Revision = { added: [], replaced: [], removed: [], doubted: [] };
  const replaced = new Set<string>();
  for (const { claim, before, isGone } of beliefs) {
    if (!claim || isGone) continue;
    if (before === undefined || replaced.has(before)) revision.added.push(claim);
    else {
      revision.replaced.push({ before, claim });
      replaced.add(before);
    }
  }
  for (const { claim, before, fact, isGone, reason, doubt } of beliefs) {
    if (!isGone && claim === undefined && doubt !== undefined) revision.doubted.push({ fact, quote: doubt });
    if (isGone && claim === undefined && before === fact && !replaced.has(fact))
      revision.removed.push({ fact, reason });
  }
  return revision;
}
