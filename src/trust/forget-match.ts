import { MemoryError } from "../errors.ts";
import { foldText } from "../language/fold-text.ts";
import { containment, foldLetters, keyWords, tellingLetters } from "../language/similarity.ts";
import { textsIn } from "../language/texts-in.ts";
import { isWordOfItsOwn, namePattern, textPattern } from "../language/wanted-pattern.ts";
import { encodeKey } from "../session/file-name.ts";
import type { Message } from "../session/message.ts";
import { parseTimestamp } from "../time.ts";

/** What is to be forgotten: exactly one of these. */
export interface ForgetRequest {
  text?: string | undefined;
  session?: string | undefined;
  /** Everything said and written from this day or time on. */
  since?: string | undefined;
  person?: string | undefined;
  /** One fact of a memory: what is said in the same words under other headings stays. */
  fact?: ForgottenFact | undefined;
}

/** The words of a fact, and the headings and items that it stands under. */
export interface ForgottenFact {
  scope: string;
  text: string;
  under: readonly string[];
}

/** Tells what must go. */
export interface ForgetMatch {
  kind: "text" | "session" | "since" | "person";
  /** Whether a text carries it. */
  hits: (text: string) => boolean;
  /** Whether it stands in a text word for word. */
  carries: (text: string) => boolean;
  /** A quick look whether a text, or a line of JSON, can carry it: false is certain. */
  mayCarry: (text: string) => boolean;
  /** Whether a text says nearly the same; such are shown, never taken. */
  isNear: (text: string) => boolean;
  isSession: (session: string) => boolean;
  /** The session that goes whole. */
  session?: string;
  /** The one fact that goes because of where it stands. */
  fact?: ForgottenFact;
  isMessage: (message: Message, session: string) => boolean;
  /** Whether something of this time goes. */
  isTime: (at: Date | undefined) => boolean;
  /** The time from which on everything goes. */
  from?: Date;
  /** What the scan afterwards looks for. */
  needles: string[];
  /** Whether the scan looks for them as words of their own. */
  isWord: boolean;
}

const SHORTEST_SOUGHT = 3;
// All of the words in a short text is the same thing in another order; in a long one it is chance.
const LONGEST_UNIT = 600;
const NEARLY = 0.5;

/** Makes the match of a request, or says what is wrong with it. */
export function createForgetMatch(request: ForgetRequest, timezone: string): ForgetMatch {
  const given = Object.entries(request).filter(([, value]) => value !== undefined);
  if (given.length !== 1) throw invalid("name one thing to forget: a text, --session, --since or --person");
  if (request.session !== undefined) return matchSession(request.session);
  if (request.since !== undefined) return matchSince(request.since, timezone);
  if (request.person !== undefined) return matchPerson(request.person);
  if (request.fact !== undefined) return matchFact(request.fact);
  return matchText(request.text ?? "");
}

const NOTHING = { isSession: () => false, isTime: () => false, isNear: () => false };

function matchText(text: string): ForgetMatch {
  const wanted = foldText(text);
  if (wanted.length < SHORTEST_SOUGHT) throw invalid(`"${text}" is too short to forget; it would match everywhere`);
  const words = keyWords(text);
  const slug = slugOf(text);
  const whole = textPattern(wanted);
  const carries = (unit: string) => whole.test(foldText(unit)) || (slug !== wanted && foldText(unit).includes(slug));
  const hits = (unit: string): boolean => {
    if (carries(unit)) return true;
    return words.size > 1 && unit.length <= LONGEST_UNIT && containment(words, keyWords(unit), () => 1) > 0.99;
  };
  return {
    ...NOTHING,
    kind: "text",
    hits,
    carries,
    mayCarry: createSieve(tellingLetters(words)),
    isNear: (unit) =>
      !hits(unit) && unit.length <= LONGEST_UNIT && containment(words, keyWords(unit), () => 1) >= NEARLY,
    isMessage: (message) => textsIn(message).some(hits),
    needles: [text, slug],
    isWord: /^\d|\d$/.test(wanted),
  };
}

/** Elsewhere it is told by its words and by what it stands under: "likes tea" under "Ana" is that Ana likes tea. */
function matchFact(fact: ForgottenFact): ForgetMatch {
  const above = fact.under.at(-1);
  const match = matchText(`${above ?? ""} ${fact.text}`);
  const nowhere = { hits: () => false, carries: () => false, isMessage: () => false, isNear: () => false, needles: [] };
  return { ...match, ...(above === undefined ? nowhere : {}), fact };
}

function matchPerson(name: string): ForgetMatch {
  const wanted = foldText(name);
  if (wanted.length < 2) throw invalid(`"${name}" is too short for a name`);
  const pattern = namePattern(wanted);
  const hits = (unit: string) => pattern.test(foldText(unit));
  return {
    ...NOTHING,
    kind: "person",
    hits,
    carries: hits,
    mayCarry: createSieve(pieces(name)),
    isMessage: (message) => textsIn(message).some(hits),
    needles: [name],
    isWord: isWordOfItsOwn(wanted),
  };
}

function matchSession(key: string): ForgetMatch {
  const names = [key, encodeKey(key)];
  // The key as a word of its own: forgetting chat 12 must not touch chat 123.
  const patterns = names.map(
    (name) => new RegExp(`(?<![\\w:%])${name.replaceAll(/[^\w]/g, String.raw`\$&`)}(?![\\w:%])`),
  );
  const hits = (text: string) => patterns.some((pattern) => pattern.test(text));
  return {
    ...NOTHING,
    kind: "session",
    hits,
    carries: hits,
    mayCarry: createSieve(pieces(key)),
    isSession: (session) => session === key,
    session: key,
    isMessage: (_, session) => session === key,
    needles: names,
    isWord: true,
  };
}

function matchSince(since: string, timezone: string): ForgetMatch {
  const from = parseTimestamp(since, timezone);
  if (from === undefined) throw invalid(`"${since}" is not a date for --since: write 2026-03-01`);
  const isTime = (at: Date | undefined) => at !== undefined && at >= from;
  return {
    ...NOTHING,
    kind: "since",
    hits: () => false,
    carries: () => false,
    mayCarry: () => true,
    isTime,
    from,
    isMessage: ({ timestamp }) => isTime(parseTimestamp(timestamp, timezone)),
    needles: [],
    isWord: false,
  };
}

/** Tells quickly of a text that it does not hold all these letters, however they are marked or written in JSON. */
function createSieve(letters: readonly string[]): (text: string) => boolean {
  return (text) => {
    const plain = foldLetters(text).replaceAll(/[*_~`\p{Cf}\u{E0000}-\u{E01EF}\uFE00-\uFE0F]/gu, "");
    return letters.every((each) => plain.includes(each)) || text.includes(String.raw`\u`);
  };
}

function pieces(name: string): string[] {
  return foldLetters(name).match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** A text as notes are named after it. */
function slugOf(text: string): string {
  return foldText(text).replaceAll(" ", "-");
}

function invalid(reason: string): MemoryError {
  return new MemoryError("QUERY_INVALID", `Nothing was forgotten: ${reason}`);
}
