import { shareOf } from "../language/content-words.ts";
import { withoutQuestionMark } from "../language/question-mark.ts";
import { formatDay } from "../time.ts";
import { correct, endRelations } from "./correct.ts";
import { formatQuotation, markEarlier, parseQuotation } from "./quotation.ts";
import type { Quotation } from "./quotation.ts";
import { readMessage, spokenIn } from "./read-message.ts";
import type { Heard, Reading } from "./read-message.ts";
import { readClauses } from "./reader.ts";
import { speaksAgainst, subjectOf, subjectOfLine, wordsOf } from "./speaks-against.ts";
import type { Held } from "./speaks-against.ts";

/** What talk does to a memory: quotations that come, and lines that they mark as earlier. Nothing is removed but by order. */
export interface Revision {
  added: Quotation[];
  marked: { before: string; after: string; by: Quotation }[];
  removed: { fact: string; reason: string }[];
}

/** Reads talk in the order in which it was said: what is added, and which earlier lines it marks. */
export function reviseBeliefs(heard: readonly Heard[], known: readonly string[]): Revision {
  const held = createHeld(known);
  let assistant: Heard | undefined;
  let previous: readonly Held[] = [];
  let language: string | undefined;
  const removed: Revision["removed"] = [];
  for (const message of heard) {
    if (message.role === "assistant") {
      assistant = message;
      continue;
    }
    const reading = readMessage({ ...message, before: assistant?.text, language });
    removed.push(...forget(held, reading));
    endRelations(held.lines, reading, message);
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
  const lines: Held[] = known.map((line) => ({
    line,
    quotation: undefined,
    subject: subjectOfLine(line),
    over: undefined,
    isGone: false,
  }));
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
        if (
          other.quotation?.message !== quotation.message &&
          other.over === undefined &&
          speaksAgainst(subject, other.subject)
        )
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
  return words
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

/** What is told to be forgotten goes: only what the order names wholly. */
function forget(held: HeldLines, { forgotten }: Reading): Revision["removed"] {
  return forgotten.flatMap((order) => {
    const { words } = wordsOf(order);
    const named = held.lines.filter(
      ({ subject, isGone }) => !isGone && subject.words.size > 0 && shareOf(subject.words, words) === 1,
    );
    for (const line of named) line.isGone = true;
    return named.flatMap(({ line, quotation }) =>
      quotation ? [] : [{ fact: line, reason: `taken back: “${order}”` }],
    );
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
    if (
      !classes.has("you") ||
      opens.has("self") ||
      (clause.isAsked && opens.has("asks")) ||
      opens.has("works") ||
      classes.has("hedges") ||
      isQuoted
    )
      return [];
    const words = withoutQuestionMark(text).replace(/[.!\s]+$/u, "");
    if (words.split(/\s+/).length < 3 && pack.isSpaced) return [];
    const { topic } = clause;
    return [
      {
        words,
        subject: "Confirmed",
        dates: [],
        topic,
        relation: undefined,
        isDenial: classes.has("denies"),
        isOwn: true,
        saidOn,
        message: assistant.id,
        evidence: words,
      },
    ];
  });
}
