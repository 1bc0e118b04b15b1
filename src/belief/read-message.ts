import { detectLanguage } from "../language/language.ts";
import { packOf, RELATIONS } from "../language/packs.ts";
import type { Pack, Relation } from "../language/packs.ts";
import { resolveDates } from "../language/resolve-dates.ts";
import { trimEnd } from "../language/trim-end.ts";
import { formatDay } from "../time.ts";
import type { Quotation } from "./quotation.ts";
import { keepThreshold, readClauses } from "./reader.ts";
import type { ReadClause, Topic } from "./reader.ts";
import { subjectOf } from "./subject.ts";

/** A message, and who said it when: dates are resolved against it. */
export interface Saying {
  id: string;
  text: string;
  speaker: string;
  saidAt: Date | undefined;
  timezone: string;
  /** What was said to its writer just before. */
  before?: string | undefined;
  /** The language that was spoken just before. */
  language?: string | undefined;
}

/** A message as the reader gets it. */
export interface Heard extends Saying {
  role: "user" | "assistant";
}

/** What a message does to memory. */
export interface Reading {
  quotations: Quotation[];
  /** Says yes to what the assistant said. */
  isConfirmed: boolean;
  /** Begins by correcting what was said before. */
  isCorrected: boolean;
  /** Takes back what was said just before, as a whole. */
  isRetracted: boolean;
  /** Asks for something to be forgotten, and what. */
  forgotten: string[];
  /** The clauses that say that something is over or not so. */
  ended: ReadClause[];
  clauses: ReadClause[];
}

const SHORTEST_WORDS = 2;

/** Reads a user's message: which of its words are to be kept, and what they do to what was said before. */
export function readMessage(saying: Saying): Reading {
  const clauses = readClauses(saying.text, saying.before, saying.language);
  const [first] = clauses;
  const retractedAt = clauses.findLastIndex(({ classes }) => classes.has("retracts"));
  const meant = clauses.slice(retractedAt + 1);
  const isPlayed = clauses.some(
    ({ classes }, index) => classes.has("jokes") || (classes.has("plays") && index < OPENING_CLAUSES),
  );
  const kept = isPlayed ? [] : keptClauses(meant, clauses);
  return {
    quotations: quotationsOf(kept, clauses, saying),
    isConfirmed: first?.opens.has("confirms") === true && !first.classes.has("hedges"),
    isCorrected: clauses.some(({ opens }) => opens.has("corrects")),
    isRetracted: retractedAt >= 0,
    forgotten: clauses.filter(({ opens }) => opens.has("forgets")).map(({ text }) => text),
    ended: clauses.filter((clause) => isPlain(clause) && (clause.classes.has("ended") || clause.classes.has("denies"))),
    clauses,
  };
}

const OPENING_CLAUSES = 3;
const LONGEST_NOTE = 80;
const SHORTEST_CORRECTION = 6;

interface Kept extends ReadClause {
  /** Where the words begin that are kept: behind "remember that". */
  from: number;
  isWanted: boolean;
}

/** The clauses that are kept: asked for, explicit, or chosen by the reader; never what is asked, quoted, hedged or hearsay. */
function keptClauses(clauses: readonly ReadClause[], all: readonly ReadClause[]): Kept[] {
  const kept: Kept[] = [];
  const header = all.find((clause) => all[clause.index + 1]?.isIntroduced === true && !clause.isIntroduced);
  const isOwnList = header?.classes.has("self") === true && isPlain(header);
  const isOwnText = header !== undefined && (header.opens.has("self") || header.opens.has("mine"));
  let isForeign = false;
  // "Coffee: black, no sugar", and nothing else.
  const isNote =
    all.length === 1 &&
    all.every(
      ({ kind, text, frames }) =>
        kind === "record" && text.length <= LONGEST_NOTE && frames.w + frames.o + frames.q < 0.5,
    );
  let reported = -1;
  let isNextWanted = false;
  let isMaterial = false;
  for (const clause of clauses) {
    if (clause.opens.has("works") && !clause.opens.has("standing") && !clause.opens.has("remembers")) isMaterial = true;
    const isOrder = clause.opens.has("works") || clause.frames.o + clause.frames.w > 0.5;
    // "Shorten this: …": all that follows is what is to be worked on.
    if (isOrder && clause.endsInColon) break;
    const asked = clause.pack.begins("remembers", clause.plain);
    const from = asked === null ? clause.start : behind(clause, asked[0]);
    const isEmpty = clause.end - from < 3;
    if (asked !== null && isEmpty) {
      isNextWanted = true;
      continue;
    }
    if (clause.endsInColon) isForeign = !clause.classes.has("self") && !clause.classes.has("you") && asked === null;
    const isWanted = asked !== null || isNextWanted;
    isNextWanted = false;
    // What an order to work on a text is about stands below it.
    if (isMaterial && (clause.isIntroduced || clause.isQuoted || clause.paragraph > (clauses[0]?.paragraph ?? 0)))
      continue;
    // "My boss thinks I'm slow": what follows a report in its sentence is no word of the user's.
    if (clause.classes.has("reports")) reported = clause.sentence;
    const first = /[\p{L}'’]+/u.exec(clause.text)?.[0].toLowerCase() ?? "";
    if (clause.sentence === reported && !clause.pack.words.joins.has(first)) continue;
    if (!isWanted && !isPlain(clause)) continue;
    // "No, on Thursdays" says something only of what it corrects.
    if (clause.opens.has("corrects") && clause.plain.split(" ").length <= SHORTEST_CORRECTION) continue;
    // Prose below a line that ends in a colon is someone's text, unless that line speaks of the user.
    if (clause.isIntroduced && clause.kind === "prose" && !isOwnText && !isWanted) continue;
    if (clause === header && clause.kind !== "record") continue;
    const isListed = isOwnList && clause.isIntroduced && (clause.kind === "item" || clause.kind === "record");
    const goesOn =
      kept.at(-1)?.index === clause.index - 1 &&
      kept.at(-1)?.sentence === clause.sentence &&
      clause.pack.begins("asks", clause.plain) !== null;
    if (
      goesOn ||
      isWanted ||
      isListed ||
      isNote ||
      isExplicit(clause) ||
      (clause.lasts >= 0.5 && clause.keep >= (isForeign ? SURE : keepThreshold()))
    )
      kept.push({ ...clause, from, isWanted });
  }
  return kept;
}

// Behind a colon that speaks neither of the user nor to the assistant.
const SURE = 0.8;

/** Asserted in the writer's own voice, as far as form and closed classes tell. */
function isPlain(clause: ReadClause): boolean {
  const { classes, opens, kind, isQuoted, isAsked } = clause;
  if (kind === "code" || kind === "table" || kind === "quoted" || kind === "heading" || isQuoted) return false;
  if (classes.has("hedges") || classes.has("reports") || isAsked) return false;
  return !opens.has("works") && !opens.has("forgets");
}

/** Says in so many words who the user is, or how they want to be answered. */
function isExplicit({ pack, text, plain, frames, opens }: ReadClause): boolean {
  if (frames.w + frames.f + frames.j > 0.7) return false;
  if (relationOf(pack, text, plain) !== undefined) return true;
  return opens.has("standing") && !opens.has("self") && frames.q + frames.w + frames.f < 0.5;
}

/** Which single-valued relation of the user some words state; a home, a job and a partner have a name. */
export function relationOf(pack: Pack, text: string, plain = pack.plain(text)): Relation | undefined {
  return RELATIONS.find((name) => {
    const found = pack.begins(name, plain);
    if (found === null) return false;
    const isNamed = name === "home" || name === "work" || name === "partner";
    return !isNamed || !pack.isSpaced || /^[\s:]*\p{Lu}/u.test(text.slice(lengthOf(text, found[0])));
  });
}

/** How far the first words of a text reach, as many as a plain text has. */
function lengthOf(text: string, plain: string): number {
  let left = plain.trim().split(" ").length;
  for (const found of text.matchAll(/[\p{L}\p{M}\p{N}'’]+/gu)) if (--left === 0) return found.index + found[0].length;
  return text.length;
}

/** Where the words of a clause go on behind an opening of so many words. */
function behind(clause: ReadClause, opening: string): number {
  if (!clause.pack.isSpaced)
    return clause.start + clause.text.toLowerCase().indexOf(opening.trim()) + opening.trim().length;
  const at = lengthOf(clause.text, opening);
  const lead = /^[\s:,.!–—-]*(?:(?:that|dass|que|che|dat|что|że|ki)(?=\s)\s*)?[\s:,–—-]*/iu.exec(clause.text.slice(at));
  return clause.start + at + (lead?.[0].length ?? 0);
}

function quotationsOf(kept: readonly Kept[], clauses: readonly ReadClause[], saying: Saying): Quotation[] {
  const quotations: Quotation[] = [];
  const spans: { start: number; end: number; clause: Kept }[] = [];
  for (const clause of kept) {
    const last = spans.at(-1);
    const before = clauses[clause.index - 1];
    const isNext = last !== undefined && before !== undefined && last.end >= before.end;
    const isContinued = isNext && before.sentence === clause.sentence && !beginsAnew(clause);
    const needsSubject = clause.opens.has("third") && subjectOf(clause, clauses) === undefined;
    if (last && isNext && (isContinued || (needsSubject && before.paragraph === clause.paragraph)))
      last.end = clause.end;
    else if (!needsSubject) spans.push({ start: clause.from, end: clause.end, clause });
  }
  for (const { start, end, clause } of spans) {
    const words = wordsAt(saying.text, start, end, clause);
    if (!isTelling(words, clause)) continue;
    quotations.push(quote(words, clause, clauses, saying));
  }
  return quotations;
}

/** A clause that names what it is about begins a fact of its own. */
function beginsAnew({ opens, pack, text }: ReadClause): boolean {
  const first = /[\p{L}'’]+/u.exec(text)?.[0].toLowerCase() ?? "";
  return (
    opens.has("self") ||
    opens.has("mine") ||
    pack.words.subjects.has(first) ||
    pack.words.joins.has(first) ||
    !pack.isSpaced
  );
}

/** The words as they were said, without what joins them to others. */
function wordsAt(text: string, start: number, end: number, { pack }: ReadClause): string {
  let words = text.slice(start, end);
  for (let at = 0; at < 2; at++) {
    const first = /^[\s,]*([\p{L}'’]+)[\s,]+(?=\S)/u.exec(words);
    if (first?.[1] === undefined || !pack.words.joins.has(first[1].toLowerCase())) break;
    words = words.slice(first[0].length);
  }
  const bare = trimEnd(words.trim(), /[\s.,;:!?。，；：！？–—-]/u);
  return /^[-–—•*\s]/u.test(bare) ? bare.replace(/^[-–—•*\s]+/u, "") : bare;
}

function isTelling(words: string, { isWanted, pack }: Kept): boolean {
  const count = pack.isSpaced ? (words.match(/[\p{L}\p{N}]+/gu)?.length ?? 0) : words.length / 2;
  return count >= (isWanted ? 1 : SHORTEST_WORDS);
}

function quote(words: string, clause: Kept, clauses: readonly ReadClause[], saying: Saying): Quotation {
  const { pack, plain, classes } = clause;
  const { saidAt, timezone } = saying;
  const subject = subjectOf(clause, clauses);
  const appointment = appointmentOf(pack, plain, words);
  const relation = relationOf(pack, words);
  // "My son isn't allergic" is not about the user.
  const isSelf = !clause.opens.has("mine") && (clause.opens.has("self") || clause.own > 0.5);
  const isOwn = subject === undefined && (isSelf || relation !== undefined || appointment !== undefined);
  return {
    words,
    subject: subject ?? (saying.speaker === "User" ? undefined : saying.speaker),
    dates: saidAt === undefined ? [] : resolveDates(words, saidAt, timezone, pack.code),
    topic: topicOf(clause, pack.begins("standing", plain) !== null && !clause.opens.has("self")),
    relation: subject === undefined ? (relation ?? appointment) : undefined,
    isDenial: classes.has("denies") || classes.has("ended") || clause.denied > 0.5,
    isOwn,
    saidOn: saidAt === undefined ? undefined : formatDay(saidAt, timezone),
    message: saying.id,
    evidence: words,
  };
}

function topicOf({ topic, pack, text, frames }: ReadClause, isStanding: boolean): Topic {
  if (isStanding || frames.s > 0.6) return "style";
  const relation = relationOf(pack, text);
  if (relation === "name" || relation === "age") return "about";
  if (relation === "home") return "home";
  if (relation === "work") return "work";
  return relation === "partner" ? "people" : topic;
}

function appointmentOf(pack: Pack, plain: string, words: string): `appointment ${string}` | undefined {
  if (!pack.has("appointment", plain) || valuesIn(words, pack.code).length === 0) return undefined;
  return "appointment any";
}

/** Weekdays, times of day, dates and numbers: what a thing has one of at a time. */
export function valuesIn(words: string, code: string): string[] {
  const times = packOf(code).times;
  const lower = words.toLowerCase();
  const weekday =
    times === undefined
      ? undefined
      : new RegExp(
          `(?<![\\p{L}])(?:${times.weekdays.filter((name) => name.length > 3).join("|")})(?:s?)(?![\\p{L}])`,
          "gu",
        );
  return [
    ...(weekday === undefined || code === "zh" || code === "ja" ? [] : (lower.match(weekday) ?? [])),
    ...(lower.match(/\d+(?:[.:/-]\d+)*/g) ?? []),
  ];
}

/** The language of a message, for the one after it. */
export function spokenIn(text: string, before: string | undefined): string | undefined {
  return text.length > 12 ? detectLanguage(text, before) : before;
}
