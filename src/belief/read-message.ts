import { detectLanguage } from "../language/language.ts";
import type { LanguageCode } from "../language/language.ts";
import { resolveDates, takeOffTime } from "../language/resolve-dates.ts";
import { endsInQuestionMark, hasQuestionMark, withoutQuestionMark } from "../language/question-mark.ts";
import { splitIntoSentences } from "../language/sentences.ts";
import type { Act, Claim } from "./claim.ts";
import { isTelling } from "./claims-something.ts";
import { normalise, splitClauses } from "./clauses.ts";
import type { Clause } from "./clauses.ts";
import { voiceEnglish } from "./english-voice.ts";
import { isAsking } from "./is-asking.ts";
import { ENGLISH_KIN } from "./languages/english-facts.ts";
import { familyOf, slotOf } from "./slots.ts";
import { tableOf } from "./tables.ts";
import { QUOTED, readOwnWords } from "./read-own-words.ts";
import type { OwnLine } from "./read-own-words.ts";
import type { Table } from "./table.ts";
import { trimEnd } from "../language/trim-end.ts";

/** Who said it when: dates are resolved against it. */
export interface Saying {
  id: string;
  text: string;
  speaker: string;
  saidAt: Date | undefined;
  timezone: string;
  /** The language that was spoken just before. */
  language?: LanguageCode;
}

const LONGEST_CLAUSE = 280;
const LONGEST_MESSAGE = 20_000;

/** Reads a user's message: what it asserts, takes back, corrects or confirms. What is not the user's own word is left out. */
export function readMessage(saying: Saying): Act[] {
  const text = saying.text.slice(0, LONGEST_MESSAGE);
  const table = tableOf(detectLanguage(text, saying.language));
  const lines = readOwnWords(text, table);
  const whole = lines.map((line) => line.text).join(" ");
  if (isUnmeant(whole, table)) return takenBack(whole, table);
  const acts: Act[] = hasQuestionMark(whole) ? [] : swapsOf(whole, table);
  let isForced = false;
  for (const line of lines) {
    if (line.header !== undefined) {
      acts.push(...readItem(line, line.header, saying, table));
      continue;
    }
    for (const sentence of splitIntoSentences(line.text)) {
      const own = tableOf(detectLanguage(sentence, table.code));
      if (own.handles.test(sentence.trim())) return acts;
      const read = readSentence(sentence, own, saying, isForced);
      acts.push(...read.acts);
      isForced = read.forcesNext;
      if (read.isMaterialNext) return acts;
    }
  }
  return acts;
}

function isUnmeant(text: string, table: Table): boolean {
  return table.plays.test(text) || table.jokes.test(text);
}

/** A joke keeps nothing, but it may say that what came before it was one. */
function takenBack(text: string, table: Table): Act[] {
  const found = table.takesBack.exec(normalise(text, table));
  return found ? [{ kind: "take-back", quote: text, about: text }] : [];
}

interface Read {
  acts: Act[];
  /** "Remember this:" alone; the next sentence is what is meant. */
  forcesNext: boolean;
  /** "Here is the mail:"; what follows is not the user's. */
  isMaterialNext: boolean;
}

function readSentence(sentence: string, table: Table, saying: Saying, isForced: boolean): Read {
  const none = { acts: [], forcesNext: false, isMaterialNext: false };
  const plain = table.code === "en" ? sentence.replaceAll("’", "'").trim() : sentence.trim();
  const pasted = table.pastes.exec(sentence);
  if (pasted && /[:：]/.test(sentence.slice(pasted.index))) return { ...none, isMaterialNext: true };
  if (pasted && sentence.includes(QUOTED)) return none;
  const opening = plain.replace(/^(?:ok|so|and|also|oh|hey|hi|btw)[,!.]*\s+/i, "");
  // "Could you always use metric?" asks for nothing but that.
  const wish =
    /^(?:can|could|would|will) you (?:please )?(?=(?:always|never|only|stop|keep|call me|not use|use)\b)/i.exec(
      opening,
    );
  if (wish && table.code === "en") {
    const rest = withoutQuestionMark(opening.slice(wish[0].length));
    return table.instructs.test(normalise(rest, table))
      ? { ...none, acts: readClauses(rest, table, saying, false) }
      : none;
  }
  const asked = table.remembers.exec(opening);
  if (asked && (!endsInQuestionMark(plain) || /^(?:can|could|would|will) you\b/i.test(opening))) {
    const rest = withoutQuestionMark(opening.slice(asked[0].length).replace(/^[\s:,.!，：、。-]+/u, ""));
    if (rest.trim() === "" || /^(?:this|something|das|esto|ça|isto|questo|dit)[.!:]*$/i.test(rest))
      return { ...none, forcesNext: true };
    return { ...none, acts: readClauses(rest, table, saying, true) };
  }
  const forgotten = table.forgets.exec(opening);
  if (forgotten) {
    const rest = opening.slice(forgotten[0].length);
    const bare = trimEnd(rest, /\W/);
    const about = bare === "" || /^\W*(?:that|this|it|das|eso|esto|ça|isso|quello|dat)$/i.test(bare) ? "" : rest;
    return {
      ...none,
      acts: [about === "" ? { kind: "take-back", quote: sentence, about } : { kind: "forget", about, quote: sentence }],
    };
  }
  return { ...none, acts: readClauses(sentence, table, saying, isForced) };
}

function readClauses(sentence: string, table: Table, saying: Saying, isForced: boolean): Act[] {
  if (table.doubts.test(normalise(sentence, table))) return [];
  const acts: Act[] = [];
  const said = splitClauses(sentence, table);
  const clauses = assertedClauses(sentence, said, table, isForced);
  const corrected = table.corrects.test(sentence.trim());
  if (clauses.length === said.length) {
    if (table.confirms.test(sentence.trim())) acts.push({ kind: "confirm" });
    acts.push(...revisions(sentence, table));
  }
  for (const [index, clause] of clauses.entries()) {
    if (clause.said.includes(QUOTED) || table.reports.test(clause.read)) break;
    if (table.hedges.test(clause.read)) break;
    if (clause.read.length > LONGEST_CLAUSE || (table.fleeting.test(clause.read) && !isForced)) continue;
    const previous = acts.findLast((act) => act.kind === "claim");
    const goesOn = table.continues.test(clause.read);
    if (goesOn && table.code === "en" && previous?.kind !== "claim") continue;
    if (goesOn && index > 0 && previous?.kind === "claim" && !clause.read.startsWith("who ")) {
      previous.claim.fact = `${previous.claim.fact}, ${clause.read}`;
      previous.claim.quote = sentence.slice(
        sentence.indexOf(previous.claim.quote),
        sentence.indexOf(clause.said) + clause.said.length,
      );
      continue;
    }
    acts.push(...claimsOf(clause, table, saying, isForced).map((claim): Act => ({ kind: "claim", claim })));
  }
  const hasClaim = acts.some(({ kind }) => kind === "claim");
  if (clauses.length === said.length && !hasClaim && (corrected || isChange(sentence, table))) {
    acts.push({ kind: "revalue", text: sentence, quote: sentence });
  }
  return acts;
}

/** A change that names what it is about only by a pronoun: "doc upped it to 100", "it's Svelte". */
function isChange(sentence: string, table: Table): boolean {
  return (
    table.code === "en" &&
    /\b(?:upped|moved|put|changed|rebooked|switched|increased|lowered|raised) (?:it|me|us|that|them)\b|(?:^|, )it(?:'|’)?s (?:now )?[\p{Lu}\d]/u.test(
      sentence,
    )
  );
}

/** The clauses before the one that asks; all of them where nothing is asked. */
function assertedClauses(sentence: string, clauses: readonly Clause[], table: Table, isForced: boolean): Clause[] {
  // What is to be remembered may begin with "when": of a language without rules that is all there is to go by.
  const asks = isForced && table.code === "other" ? (read: string) => table.asks.test(read) : isAsking;
  const at = clauses.findIndex(({ said, read }) => asks(read, table) || /^["'“]?¿/.test(said));
  if (endsInQuestionMark(sentence) || (table.code === "zh" && /[吗嗎呢么麼]$/u.test(sentence.trim())))
    return at > 0 ? clauses.slice(0, at) : [];
  return at < 0 ? [...clauses] : clauses.slice(0, at);
}

function revisions(sentence: string, table: Table): Act[] {
  const read = normalise(sentence, table);
  const acts: Act[] = [];
  if (table.takesBack.test(read)) acts.push({ kind: "take-back", quote: sentence, about: read });
  if (table.cancels.test(read)) acts.push({ kind: "cancel", quote: sentence, about: read });
  for (const { match, families } of table.ends)
    if (match.test(read)) acts.push({ kind: "end", families, quote: sentence });
  return acts;
}

/** "X, not Y", over the whole message: the two may stand in sentences of their own. */
function swapsOf(text: string, table: Table): Act[] {
  const read = normalise(text, table);
  return table.swaps.flatMap((pattern): Act[] => {
    const found = pattern.exec(read);
    const right = found?.groups?.["right"] ?? found?.[1];
    const wrong = found?.groups?.["right"] === undefined ? found?.[2] : found[1];
    return right === undefined || wrong === undefined ? [] : [{ kind: "swap", wrong, right, quote: text }];
  });
}

function claimsOf(clause: Clause, table: Table, saying: Saying, isForced: boolean): Claim[] {
  const { read } = clause;
  const saidAt = saying.saidAt;
  for (const pattern of table.moved) {
    const place = pattern.exec(read)?.groups?.["place"];
    if (place === undefined || table.negates.test(read)) continue;
    const taken = saidAt ? takeOffTime(place, saidAt, saying.timezone, table.code) : { rest: place, time: undefined };
    const { before: front = "", time: middle = "" } = pattern.exec(read)?.groups ?? {};
    const before = `${front} ${middle}`.trim();
    const time =
      taken.time ??
      (before !== "" && saidAt ? takeOffTime(before, saidAt, saying.timezone, table.code).time : undefined);
    const home = table.home.replace("{place}", () => trimEnd(taken.rest, /[,.]/));
    const text = `${table.code === "en" ? "User " : "User: "}${home}${time === undefined ? "" : ` (${table.since} ${time})`}`;
    return [makeClaim(text, clause, table, saying)];
  }
  if (table.instructs.test(read)) {
    return [makeClaim(`Standing instruction: ${read}`, clause, table, saying)];
  }
  const related = relatedPeople(clause.said, table);
  if (related.length > 0) return related.map((fact) => makeClaim(fact, clause, table, saying));
  if (isLabelled(read, table)) return [makeClaim(labelFact(read, table), clause, table, saying)];
  if (!isForced && !isTelling(read, table)) return [];
  const company = table.company.exec(read)?.groups;
  const parts =
    company?.["home"] !== undefined && company["rest"] !== undefined
      ? [company["home"], withCompany(table, company["rest"])]
      : [read];
  return parts.filter((part) => !isBare(part)).map((part) => makeClaim(voice(part, table), clause, table, saying));
}

/** "I was", "I have two": an answer to something, no fact by itself. */
function isBare(read: string): boolean {
  return /^(?:I|we|they|he|she) (?:am|are|was|were|have|has|had|do|did|does|will|can|cannot)(?: not)?(?: (?:one|two|three|four|five|six|some|both|none))?$/.test(
    read,
  );
}

function withCompany(table: Table, rest: string): string {
  return table.code === "en" ? `I live ${rest}` : rest;
}

function voice(read: string, table: Table): string {
  const words = read.replace(/ if (?:you|i|we)\b.*$/i, "");
  return table.code === "en" ? voiceEnglish(words) : `User: ${words}`;
}

const PAIR = new RegExp(
  `(\\p{Lu}\\p{L}+(?: (?:and|&) \\p{Lu}\\p{L}+)?) = (?:my )?(${ENGLISH_KIN})s?(?![\\p{L}])`,
  "gu",
);
const APPOSED = new RegExp(`\\bmy (${ENGLISH_KIN}),? \\(?(\\p{Lu}\\p{Ll}+)\\)`, "gu");

/** "Dot = mum", "my boss (Stuart)": who is who, wherever it stands. */
function relatedPeople(said: string, table: Table): string[] {
  if (table.code !== "en") return [];
  return [
    ...[...said.matchAll(PAIR)].map(([, name, kin]) => `${name ?? ""} is User's ${kin ?? ""}`),
    ...[...said.matchAll(APPOSED)].map(([, kin, name]) => `User's ${kin ?? ""} is ${name ?? ""}`),
  ];
}

function isLabelled(said: string, table: Table): boolean {
  const label = table.labels.exec(said.trim());
  if (!label) return false;
  const rest = said.trim().slice(label[0].length);
  return /^\s*[:：=]\s*\S/u.test(rest) || /^\s+(?:is\s+)?[\p{L}'-]*\d/u.test(rest);
}

function labelFact(said: string, table: Table): string {
  const bare = said.trim().replace(/^(?:my|our|the|mein\S*|mi|mis|mon|ma|mes|meus?|minhas?|mi[oae]i?|mijn)\s+/i, "");
  return `${table.code === "en" ? "User's " : "User: "}${bare.charAt(0).toLowerCase()}${bare.slice(1)}`;
}

/** An item of a list, under what the list is. */
function readItem({ text }: OwnLine, header: string, saying: Saying, table: Table): Act[] {
  const head = normalise(header, table);
  if (isAsking(head, table) || table.hedges.test(head) || table.pastes.test(header)) return [];
  const isOwn = table.labels.test(head) || isTelling(head, table) || /^(?:my|about me|me)\b/.test(head);
  if (!isOwn || text.length > LONGEST_CLAUSE || table.hedges.test(text)) return [];
  const isAboutSelf =
    /^(?:about me|me|zu mir|über mich|sobre mí|moi|sobre mim|su di me|over mij|details|my details)$/i.test(head);
  const bare = head.replace(/^(?:my|our)\s+/, "");
  const fact = `${table.code === "en" ? "User's " : "User: "}${isAboutSelf ? "" : `${bare}: `}${text.trim()}`;
  const clause = { said: text.trim(), read: text.trim() };
  return [{ kind: "claim", claim: makeClaim(fact, clause, table, saying) }];
}

function makeClaim(text: string, clause: Clause, table: Table, saying: Saying): Claim {
  const resolved = saying.saidAt ? resolveDates(text, saying.saidAt, saying.timezone, table.code) : text;
  const spoken = resolved.replaceAll(/\s+/g, " ").trim();
  const fact = saying.speaker === "User" ? spoken : spoken.replace(/^User\b/, () => saying.speaker);
  return {
    fact,
    quote: clause.said,
    message: saying.id,
    slot: slotOf(spoken),
    family: familyOf(spoken),
    isDenial: table.negates.test(clause.read),
  };
}
