import { detectLanguage } from "../language/language.ts";
import { packOf, RELATIONS } from "../language/packs.ts";
import { endsInQuestionMark } from "../language/question-mark.ts";
import { formatDay } from "../time.ts";
import type { Quotation } from "./quotation.ts";
import { valuesIn } from "./read-message.ts";
import type { Heard, Reading } from "./read-message.ts";
import { wordsOf } from "./speaks-against.ts";
import type { Held } from "./speaks-against.ts";

/** "We split up", "I was laid off": said in so many words, it ends what was said of the user's partner or work. */
export function endRelations(lines: readonly Held[], { clauses }: Reading, message: Heard): void {
  const saidOn = message.saidAt === undefined ? undefined : formatDay(message.saidAt, message.timezone);
  for (const { pack, plain, text, classes, isQuoted } of clauses) {
    if (classes.has("hedges") || classes.has("reports") || isQuoted || endsInQuestionMark(text)) continue;
    const relation = RELATIONS.find((name) => pack.begins(`${name} over`, plain) !== null);
    if (relation === undefined) continue;
    for (const line of lines)
      if (line.over === undefined && line.subject.relation === relation && line.subject.isOwn)
        line.over = endedBy(text, saidOn, message.id);
  }
}

function endedBy(words: string, saidOn: string | undefined, message: string): Quotation {
  return {
    words,
    subject: undefined,
    dates: [],
    topic: "other",
    relation: undefined,
    isDenial: true,
    isOwn: true,
    saidOn,
    message,
    evidence: words,
  };
}

const SHORTEST_ANSWER = 5;

/** What a message does to the one before it: takes it back, ends it, or puts another value in its place. */
export function correct(previous: readonly Held[], reading: Reading, message: Heard): Quotation[] {
  const standing = previous.filter(({ isGone, over }) => !isGone && over === undefined);
  const last = standing.at(-1);
  const words = message.text.trim();
  if (last?.quotation === undefined || endsInQuestionMark(words)) return [];
  const saidOn = message.saidAt === undefined ? undefined : formatDay(message.saidAt, message.timezone);
  const by = { ...last.quotation, words, saidOn, message: message.id, evidence: words };
  if (reading.isRetracted) {
    for (const line of standing) line.isGone = true;
    return [];
  }
  const { words: said, names } = wordsOf(words);
  const isShort = words.split(/\s+/).length <= SHORTEST_ANSWER;
  const values = valuesIn(words, detectLanguage(words));
  // "Thursday, sorry": hardly more than the value.
  const isValue = values.length === 1 && said.size <= 2;
  const spliced = reading.isCorrected || isValue || NOT.test(words) ? splice(last.quotation.words, words) : undefined;
  if (spliced !== undefined && (isShort || isValue || reading.quotations.length === 0)) {
    last.isGone = true;
    return [{ ...by, words: spliced, saidOn: saidOn ?? last.quotation.saidOn }];
  }
  const isOver = reading.ended.length > 0 && reading.quotations.length === 0;
  if (isShort && isOver && names.size === 0) {
    last.over = by;
    return [];
  }
  // A plan that was told a moment ago is called off.
  const isOff = isBrief(words) && reading.ended.some(({ classes }) => classes.has("ended"));
  if (isOff && (last.quotation.topic === "plans" || last.quotation.dates.length > 0)) last.over = by;
  if (!reading.isCorrected) return [];
  for (const line of standing) {
    const isSame =
      [...said].some((word) => line.subject.words.has(word)) ||
      reading.quotations.some(({ relation }) => relation !== undefined && relation === line.subject.relation) ||
      (isOver && isShort) ||
      reading.ended.some(({ classes }) => classes.has("ended"));
    if (isSame) line.over = by;
  }
  return [];
}

function isBrief(words: string): boolean {
  return words.split(/\s+/).length <= 8;
}

const NOT = /(?<![\p{L}])(?:not|nicht|no|pas|não|non|niet|не|nie)(?![\p{L}])/iu;

function isDay(value: string): boolean {
  return !/^\d/.test(value);
}

/** "The meeting is Tuesday", corrected by "Thursday", as “The meeting is … Thursday”; undefined where nothing fits. */
export function splice(before: string, correction: string): string | undefined {
  const code = detectLanguage(before);
  const [fresh, old] = [valuesIn(correction, code), valuesIn(before, code)];
  for (const value of fresh) {
    const same = old.findLast((each) => isDay(each) === isDay(value));
    if (same === undefined || same === value) continue;
    return putIn(before, same, casedIn(correction, value));
  }
  const names = namesIn(correction).filter((name) => !namesIn(before).includes(name));
  const replaced = namesIn(before).at(-1);
  if (fresh.length > 0 || names.length !== 1 || names[0] === undefined || replaced === undefined) return undefined;
  return putIn(before, replaced, names[0]);
}

function putIn(text: string, old: string, value: string): string {
  const at = text.toLowerCase().lastIndexOf(old.toLowerCase());
  return `${text.slice(0, at).trimEnd()} … ${value}${text.slice(at + old.length)}`.trim();
}

function casedIn(text: string, value: string): string {
  const at = text.toLowerCase().indexOf(value);
  return text.slice(at, at + value.length);
}

function namesIn(text: string): string[] {
  const pack = packOf(detectLanguage(text));
  return (text.match(/(?<![\p{L}])\p{Lu}[\p{L}\p{N}]+/gu) ?? []).filter((word) => {
    const plain = ` ${word.toLowerCase()} `;
    return !pack.words.frequent.has(word.toLowerCase()) && !pack.has("corrects", plain) && !pack.has("fillers", plain);
  });
}
