import { contentWords, shareOf } from "../language/content-words.ts";
import { detectLanguage } from "../language/language.ts";
import { packOf, RELATIONS } from "../language/packs.ts";
import { endsInQuestionMark, withoutQuestionMark } from "../language/question-mark.ts";
import { formatDay } from "../time.ts";
import { formatQuotation, markEarlier, parseQuotation } from "./quotation.ts";
import type { Quotation } from "./quotation.ts";
import { readMessage, relationOf, spokenIn, valuesIn } from "./read-message.ts";
import type { Reading, Saying } from "./read-message.ts";
import { readClauses } from "./reader.ts";

/** A message as the reader gets it. */
export interface Heard extends Saying {
  role: "user" | "assistant";
}

/** What talk does to a memory: quotations that come, and lines that they mark as earlier. Nothing is removed but by order. */
export interface Revision {
  added: Quotation[];
  marked: { before: string; after: string; by: Quotation }[];
  removed: { fact: string; reason: string }[];
}

/** A line of memory, or one that this talk adds. */
interface Held {
  line: string;
  quotation: Quotation | undefined;
  subject: Subject;
  /** What it is not any more since. */
  over: Quotation | undefined;
  isGone: boolean;
}

/** What a line is about, as far as another could speak against it. */
interface Subject {
  words: ReadonlySet<string>;
  names: ReadonlySet<string>;
  relation: Quotation["relation"];
  isOwn: boolean;
  isDenial: boolean;
}

/** Reads talk in the order in which it was said: what is added, and which earlier lines it marks. */
export function reviseBeliefs(heard: readonly Heard[], known: readonly string[]): Revision {
  const held = createHeld(known);
  let assistant: Heard | undefined;
  let previous: readonly Held[] = [];
  let language: string | undefined;
  let removed: Revision["removed"] = [];
  for (const message of heard) {
    if (message.role === "assistant") {
      assistant = message;
      continue;
    }
    const reading = readMessage({ ...message, before: assistant?.text, language });
    removed = [...removed, ...forget(held, reading)];
    endRelations(held, reading, message);
    const spliced = correct(previous, reading, message);
    const confirmed = reading.isConfirmed && assistant ? confirm(assistant, message) : [];
    const fresh = [...spliced, ...confirmed, ...reading.quotations.filter(({ words }) => !isInside(words, spliced))];
    previous = fresh.flatMap((quotation) => held.add(quotation) ?? []);
    language = spokenIn(message.text, language);
    assistant = undefined;
  }
  return { ...held.sumUp(), removed };
}

interface HeldLines {
  lines: Held[];
  add(quotation: Quotation): Held | undefined;
  sumUp(): Pick<Revision, "added" | "marked">;
}

function createHeld(known: readonly string[]): HeldLines {
  const lines: Held[] = known.map((line) => ({ line, quotation: undefined, subject: subjectOfLine(line), over: undefined, isGone: false }));
  const said = new Set(lines.map(({ line }) => keyOf(line)));
  const byWord = new Map<string, Held[]>();
  const byRelation = new Map<string, Held[]>();
  const index = (line: Held): void => {
    for (const word of line.subject.words) put(byWord, word, line);
    if (line.subject.relation !== undefined) put(byRelation, line.subject.relation, line);
  };
  for (const line of lines) index(line);
  return {
    lines,
    add(quotation) {
      const line = formatQuotation(quotation);
      if (said.has(keyOf(line))) return undefined;
      said.add(keyOf(line));
      const subject = subjectOf(quotation);
      const near = new Set([
        ...(subject.isDenial ? [...subject.words].flatMap((word) => byWord.get(word)?.slice(-MOST_NEAR) ?? []) : []),
        ...(subject.relation === undefined ? [] : (byRelation.get(subject.relation) ?? [])),
      ]);
      for (const other of near)
        if (other.quotation?.message !== quotation.message && other.over === undefined && speaksAgainst(subject, other.subject))
          other.over = quotation;
      const added: Held = { line, quotation, subject, over: undefined, isGone: false };
      lines.push(added);
      index(added);
      return added;
    },
    sumUp() {
      const standing = lines.filter(({ isGone }) => !isGone);
      return {
        added: standing.flatMap(({ quotation, over }) => (quotation && over === undefined ? [quotation] : [])),
        marked: standing.flatMap(({ line, quotation, over }) =>
          over ? [{ before: quotation ? "" : line, after: markEarlier(line, over), by: quotation ?? over }] : [],
        ),
      };
    },
  };
}

// A word that more lines have says nothing about which of them is meant.
const MOST_NEAR = 50;

function put(map: Map<string, Held[]>, key: string, line: Held): void {
  const list = map.get(key);
  if (list) list.push(line);
  else map.set(key, [line]);
}

/** Two lines that differ in dates, case or punctuation say the same. */
function keyOf(line: string): string {
  const quoted = parseQuotation(line);
  const words = quoted ? `${quoted.subject ?? ""} ${quoted.words}` : line;
  return words.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, " ").trim();
}

/** Whether what is said now takes the place of a line, or denies it: the same subject, in so many words. */
export function speaksAgainst(now: Subject, old: Subject): boolean {
  if (!now.isOwn || !old.isOwn) return false;
  if (now.relation !== undefined && now.relation === old.relation) {
    const [fresh, before] = [now.words, old.words];
    const isSame = shareOf(fresh, before) === 1 || shareOf(before, fresh) === 1;
    if (now.relation.startsWith("appointment")) return !isSame && isSameAppointment(now, old);
    return !isSame;
  }
  if (!now.isDenial || old.isDenial || now.words.size === 0) return false;
  if (shareOf(old.words, now.words) === 1) return true;
  if (now.words.size > 1 && shareOf(now.words, old.words) === 1) return true;
  return [...now.names].some((name) => old.names.has(name)) && now.relation === undefined && now.words.size <= 3;
}

/** The same thing at another time: all of its words but the time. */
function isSameAppointment(now: Subject, old: Subject): boolean {
  const bare = ({ words }: Subject) => new Set([...words].filter((word) => !/\d|da[yi]$|tag$/.test(word)));
  const [one, other] = [bare(now), bare(old)];
  return one.size > 0 && shareOf(one, other) === 1 && shareOf(other, one) === 1;
}

export function subjectOf({ words, relation, isOwn, isDenial }: Quotation): Subject {
  return { ...wordsOf(words), relation, isOwn, isDenial };
}

/** What a line of memory is about; a model writes "User lives in …". */
export function subjectOfLine(line: string): Subject {
  const quoted = parseQuotation(line);
  const text = quoted?.words ?? line;
  const pack = packOf(detectLanguage(text));
  const plain = pack.plain(text);
  const isOwn =
    quoted?.earlier === undefined &&
    quoted?.subject === undefined &&
    (pack.begins("self", plain) !== null || /^User (?!'s)/.test(text) || relationOf(pack, text) !== undefined);
  const relation = relationOf(pack, text) ?? (pack.has("appointment", plain) && valuesIn(text, pack.code).length > 0 ? "appointment any" : undefined);
  return {
    ...wordsOf(text.replace(/^User(?:'s)? /, "")),
    relation: isOwn || relation === "appointment any" ? relation : undefined,
    isOwn: isOwn || relation === "appointment any",
    isDenial: pack.has("denies", plain) || pack.has("ended", plain),
  };
}

const FUNCTION = contentWords(
  "not never no longer anymore any more stopped stop quit gave given up sold sell cancelled used finished dropped test negative left",
);

function wordsOf(text: string): Pick<Subject, "words" | "names"> {
  const pack = packOf(detectLanguage(text));
  const bare = pack.isSpaced
    ? (text.match(/[\p{L}\p{M}\p{N}'’.-]+/gu) ?? []).filter((word) => !pack.has("denies", ` ${word.toLowerCase()} `) && !pack.has("passing", ` ${word.toLowerCase()} `))
    : [text];
  const words = new Set([...contentWords(bare.join(" "))].filter((word) => !FUNCTION.has(word)));
  const names = contentWords((text.match(/(?<=\S\s)\p{Lu}[\p{L}\p{N}]+/gu) ?? []).join(" "));
  return { words, names };
}

/** What is told to be forgotten goes: only what the order names wholly. */
function forget(held: HeldLines, { forgotten }: Reading): Revision["removed"] {
  return forgotten.flatMap((order) => {
    const { words } = wordsOf(order);
    const named = held.lines.filter(({ subject, isGone }) => !isGone && subject.words.size > 0 && shareOf(subject.words, words) === 1);
    for (const line of named) line.isGone = true;
    return named.flatMap(({ line, quotation }) => (quotation ? [] : [{ fact: line, reason: `taken back: “${order}”` }]));
  });
}

/** "We split up", "I was laid off": said in so many words, it ends what was said of the user's partner or work. */
function endRelations(held: HeldLines, { clauses }: Reading, message: Heard): void {
  const saidOn = message.saidAt === undefined ? undefined : formatDay(message.saidAt, message.timezone);
  for (const { pack, plain, text, classes, isQuoted } of clauses) {
    if (classes.has("hedges") || classes.has("reports") || isQuoted || endsInQuestionMark(text)) continue;
    const relation = RELATIONS.find((name) => pack.begins(`${name} over`, plain) !== null);
    if (relation === undefined) continue;
    for (const line of held.lines)
      if (line.over === undefined && line.subject.relation === relation && line.subject.isOwn)
        line.over = endedBy(text, saidOn, message.id);
  }
}

function endedBy(words: string, saidOn: string | undefined, message: string): Quotation {
  return { words, subject: undefined, dates: [], topic: "other", relation: undefined, isDenial: true, isOwn: true, saidOn, message, evidence: words };
}

const SHORTEST_ANSWER = 5;

/** What a message does to the one before it: takes it back, ends it, or puts another value in its place. */
function correct(previous: readonly Held[], reading: Reading, message: Heard): Quotation[] {
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

/** "The meeting is Tuesday", corrected by "Thursday", as “The meeting is … Thursday”; undefined where nothing fits. */
export function splice(before: string, correction: string): string | undefined {
  const code = detectLanguage(before);
  const [fresh, old] = [valuesIn(correction, code), valuesIn(before, code)];
  const isDay = (value: string) => !/^\d/.test(value);
  for (const value of fresh) {
    const same = old.findLast((each) => isDay(each) === isDay(value));
    if (same === undefined || same === value) continue;
    return put2(before, same, casedIn(correction, value));
  }
  const names = namesIn(correction).filter((name) => !namesIn(before).includes(name));
  const replaced = namesIn(before).at(-1);
  if (fresh.length > 0 || names.length !== 1 || names[0] === undefined || replaced === undefined) return undefined;
  return put2(before, replaced, names[0]);
}

function put2(text: string, old: string, value: string): string {
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

function isInside(words: string, spliced: readonly Quotation[]): boolean {
  return spliced.some(({ evidence }) => evidence.includes(words));
}

const LONGEST_CONFIRMED = 400;

/** What the assistant said about the user, once the user has said yes to it; never what it said of itself. */
function confirm(assistant: Heard, user: Heard): Quotation[] {
  if (assistant.text.length > LONGEST_CONFIRMED) return [];
  const saidOn = user.saidAt === undefined ? undefined : formatDay(user.saidAt, user.timezone);
  return readClauses(assistant.text).flatMap((clause): Quotation[] => {
    const { classes, opens, isQuoted, pack, text } = clause;
    if (!classes.has("you") || opens.has("self") || (clause.isAsked && opens.has("asks")) || opens.has("works") || classes.has("hedges") || isQuoted) return [];
    const words = withoutQuestionMark(text).replace(/[.!\s]+$/u, "");
    if (words.split(/\s+/).length < 3 && pack.isSpaced) return [];
    const { topic } = clause;
    return [
      { words, subject: "Confirmed", dates: [], topic, relation: undefined, isDenial: classes.has("denies"), isOwn: true, saidOn, message: assistant.id, evidence: words },
    ];
  });
}
