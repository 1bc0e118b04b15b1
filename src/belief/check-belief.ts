import { contentWords, shareOf } from "../language/content-words.ts";
import { detectLanguage } from "../language/language.ts";
import { LIKE_ENOUGH, SAME_FACT } from "../language/similarity.ts";
import { endsInQuestionMark } from "../language/question-mark.ts";
import { splitIntoSentences } from "../language/sentences.ts";
import { normalise, splitClauses } from "./clauses.ts";
import { isDenial } from "./give-way.ts";
import { isAsking } from "./is-asking.ts";
import { readOwnWords } from "./read-own-words.ts";
import { reviseBeliefs } from "./revise-beliefs.ts";
import type { Heard } from "./revise-beliefs.ts";
import { slotOf } from "./slots.ts";
import type { Table } from "./table.ts";
import { tableOf } from "./tables.ts";

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

/**
 * Checks a fact against the words that it is drawn from. It is held where all that supports it is a question, an order,
 * a quotation, a paste, a hedge, hearsay or a denial, and where the newest word of the user says otherwise; it is
 * unproven where nothing like it was said.
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

/** The user's words that contradict a fact, if there are any. */
function contradiction(fact: string, messages: readonly Heard[]): string | undefined {
  const words = contentWords(fact.replace(/^User(?:'s)?:? /, ""));
  const slot = slotOf(fact);
  const denies = isDenial(fact);
  return reviseBeliefs(messages, []).added.find((claim) => {
    const claimed = contentWords(withoutBrackets(claim.fact.replace(/^User(?:'s)?:? /, "")));
    // "Lives in Thun, Switzerland" says more than "lives in Thun"; "lives in Bern" says something else.
    if (slot !== undefined && slot === claim.slot) return shareOf(claimed, words) < 1 && shareOf(words, claimed) < 1;
    return claim.isDenial && !denies && words.size > 0 && shareOf(words, claimed) >= 0.99;
  })?.quote;
}

/** Without what stands between the first bracket and the last. */
function withoutBrackets(text: string): string {
  const [open, close] = [text.indexOf("("), text.lastIndexOf(")")];
  return open >= 0 && close > open ? `${text.slice(0, open)}${text.slice(close + 1)}` : text;
}

/** Why the words that a quote stands in assert nothing, or undefined where they do. */
function objectionTo(text: string, quote: string, fact: string): string | undefined {
  const table = tableOf(detectLanguage(text));
  const words = contentWords(quote);
  const own = readOwnWords(text, table).map((line) => line.text);
  const whole = own.join(" ");
  if (table.plays.test(whole) || table.jokes.test(whole)) return "it was said in a game or as a joke";
  const sentences = own.flatMap((line) => splitIntoSentences(line));
  const at = sentences.findIndex((sentence) => shareOf(words, contentWords(sentence)) >= LIKE_ENOUGH);
  const sentence = sentences[at];
  if (sentence === undefined)
    return shareOf(words, contentWords(whole)) >= LIKE_ENOUGH ? undefined : "it stands in quoted or pasted text";
  if (sentences.slice(0, at + 1).some((each) => table.handles.test(each))) return "it is part of a text to work on";
  if (table.forgets.test(sentence)) return "the user asked to forget it";
  return moodOf(sentence, words, table, fact);
}

function moodOf(sentence: string, words: ReadonlySet<string>, table: Table, fact: string): string | undefined {
  const clauses = splitClauses(sentence, table);
  const clause = clauses.find(({ said }) => shareOf(words, contentWords(said)) >= LIKE_ENOUGH);
  const read = clause?.read ?? normalise(sentence, table);
  const isAsked = endsInQuestionMark(sentence);
  if (isAsking(read, table) || (isAsked && (clauses.length < 2 || clause === undefined || clause === clauses.at(-1))))
    return "it was asked, not said";
  if (CAREFUL.test(fact) || table.remembers.test(sentence)) return undefined;
  if (table.doubts.test(sentence) || table.hedges.test(read)) return "the user was not sure of it";
  if (table.reports.test(read)) return "someone else is said to have said it";
  return table.negates.test(read) && !isDenial(fact) && isSame(words, contentWords(read)) && !hasOpposite(fact)
    ? "the user denied it"
    : undefined;
}

/** Words that deny without a "not": a fact that uses one of them may well stand on a denial. */
function hasOpposite(fact: string): boolean {
  return /\b(?:avoids?|dislikes?|hates?|former|ex-?\p{L}*|intolerant|allergic|free|without|stopped|quit|prefers?|only|instead|un\p{L}+|lacks?|teetotal\p{L}*|vegan|vegetarian)\b/iu.test(
    fact,
  );
}
