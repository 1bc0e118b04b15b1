import { contentWords, shareOf } from "../language/content-words.ts";
import { LIKE_ENOUGH, SAME_FACT } from "../language/similarity.ts";
import { readClauses } from "./reader.ts";
import type { ReadClause } from "./reader.ts";
import type { Heard } from "./read-message.ts";
import { reviseBeliefs } from "./revise-beliefs.ts";
import { speaksAgainst, subjectOf, subjectOfLine } from "./speaks-against.ts";

/** Whether a fact that someone proposes may be believed, going by what was said. */
export type BeliefVerdict = { kind: "fine" } | { kind: "held"; reason: string } | { kind: "unproven" };

/** What is said to bear a fact out. */
export interface Evidence {
  fact: string;
  quote: string;
  message: string;
}

const FINE: BeliefVerdict = { kind: "fine" };
const SAID_ENOUGH = 0.7;
// A fact that says itself that it is a wish, a plan or hearsay claims no more than was said.
const CAREFUL =
  /\b(?:may|might|maybe|perhaps|possibly|considering|consider|wants?|wishes|hopes?|plans?|planning|thinking|thinks|asked|asks|unsure|would|could|dreams?|if|says|said|according|believes?|reported|reportedly|claims?|wonders?|joked|role-?plays?|story|character)\b/i;
// Words that deny without a "not": a fact that uses one of them may well stand on a denial.
const OPPOSITE =
  /\b(?:not|no|never|without|avoids?|dislikes?|hates?|former|ex-?\p{L}*|intolerant|allergic|free|stopped|quit|prefers?|only|instead|un\p{L}+|lacks?|teetotal\p{L}*|vegan|vegetarian)\b|n['’]t\b|[不没]|nicht|kein/iu;

/**
 * Checks a fact against the words that it is drawn from. It is held where all that supports it is a question, a quotation,
 * a paste, a game, a hedge, hearsay or a denial, and where the newest word of the user says otherwise; it is unproven
 * where nothing like it was said.
 */
export function checkBelief(fact: string, evidence: readonly Evidence[], messages: readonly Heard[]): BeliefVerdict {
  const sources = sourcesOf(fact, evidence, messages);
  if (sources.length === 0) return { kind: "unproven" };
  const newest = contradiction(fact, messages);
  if (newest !== undefined) return { kind: "held", reason: `the newest word is “${newest}”` };
  const objections = sources.map(({ message, quote }) =>
    message.role === "user" ? objectionTo(message.text, quote, fact) : undefined,
  );
  const [first] = objections;
  return first === undefined || objections.includes(undefined) ? FINE : { kind: "held", reason: first };
}

/** Whether what the user says takes the place of a fact, or denies it. */
export function givesWay(fact: string, messages: readonly Heard[]): boolean {
  return contradiction(fact, messages) !== undefined;
}

interface Source {
  message: Heard;
  quote: string;
}

/** The messages that a fact names as its source; where it names none, those that have most of its words. */
function sourcesOf(fact: string, evidence: readonly Evidence[], messages: readonly Heard[]): Source[] {
  const words = contentWords(fact);
  const named = evidence
    .filter((item) => isSame(contentWords(item.fact), words))
    .flatMap(({ quote, message: id }) => {
      const message = messages.find((each) => each.id === id);
      return message && isSaid(message.text, quote) ? [{ message, quote }] : [];
    });
  if (named.length > 0) return named;
  return messages
    .filter(({ text }) => shareOf(words, contentWords(text)) >= LIKE_ENOUGH)
    .map((message) => ({ message, quote: fact }));
}

/** Whether evidence is given for this fact: it names most of it; a name alone ("Ana said") is no evidence for all of Ana. */
function isSame(named: ReadonlySet<string>, fact: ReadonlySet<string>): boolean {
  return shareOf(fact, named) >= SAME_FACT || (named.size > 1 && shareOf(named, fact) >= SAME_FACT);
}

function isSaid(text: string, quote: string): boolean {
  const words = contentWords(quote);
  return words.size > 0 && shareOf(words, contentWords(text)) >= SAID_ENOUGH;
}

/** The user's newest words that contradict a fact, if there are any. */
function contradiction(fact: string, messages: readonly Heard[]): string | undefined {
  const subject = subjectOfLine(fact);
  if (!subject.isOwn) return undefined;
  return reviseBeliefs(messages, []).added.findLast((quotation) => speaksAgainst(subjectOf(quotation), subject))?.words;
}

/** Whether a "not" stands before what is said, and not only behind it. */
function isDenied({ pack, text }: ReadClause, words: ReadonlySet<string>): boolean {
  const said = [...text.matchAll(/[\p{L}\p{N}]+/gu)].filter(([word]) =>
    [...contentWords(word)].some((each) => words.has(each)),
  );
  const last = pack.isSpaced ? said.at(-1) : undefined;
  return pack.has("denies", pack.plain(last === undefined ? text : text.slice(0, last.index + last[0].length)));
}

/** Why the words that a quote stands in assert nothing, or undefined where they do. */
function objectionTo(text: string, quote: string, fact: string): string | undefined {
  const words = contentWords(quote);
  const clauses = readClauses(text);
  if (clauses.slice(0, 3).some(({ classes }) => classes.has("plays"))) return "it was said in a game or as a joke";
  const clause =
    clauses.find((each) => shareOf(words, contentWords(each.text)) >= LIKE_ENOUGH) ??
    clauses.toSorted(
      (one, other) => shareOf(words, contentWords(other.text)) - shareOf(words, contentWords(one.text)),
    )[0];
  if (clause === undefined) return undefined;
  const { kind, isQuoted, opens, classes } = clause;
  if (kind === "quoted" || isQuoted) return "it stands in quoted or pasted text";
  const before = clauses.slice(0, clause.index);
  if (
    opens.has("works") ||
    before.some((each) => each.opens.has("works") && (clause.isIntroduced || each.sentence === clause.sentence))
  )
    return "it is part of a text to work on";
  if (opens.has("forgets")) return "the user asked to forget it";
  if (clause.isAsked) return "it was asked, not said";
  if (CAREFUL.test(fact) || opens.has("remembers")) return undefined;
  if (classes.has("hedges")) return "the user was not sure of it";
  if (classes.has("reports")) return "someone else is said to have said it";
  return !OPPOSITE.test(fact) && isSame(words, contentWords(clause.text)) && isDenied(clause, words)
    ? "the user denied it"
    : undefined;
}
