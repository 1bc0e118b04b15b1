import { parseQuotation } from "../belief/quotation.ts";
import { expandIdeas, ideasOf, isNamedIdea } from "../belief/ideas.ts";
import { ownStatements } from "../belief/own-statements.ts";
import { readQuestion } from "../belief/question.ts";
import { subjectOfLine } from "../belief/speaks-against.ts";
import { givesUp, rankStatements } from "../belief/rank-statements.ts";
import type { Statement } from "../belief/rank-statements.ts";
import { parseFacts } from "../change/read-outline.ts";
import type { Memory } from "../memory.ts";
import { scopeOf } from "../session/scope-of.ts";
import { RELATIONS } from "../language/packs.ts";
import type { Relation } from "../language/packs.ts";
import { showName } from "../visible-text.ts";
import type { FactRecord } from "../state/state.ts";
import { sourceOf } from "./source-of.ts";
import type { Hit } from "./source-of.ts";

/** Something on record that answers, ready to be shown. */
export interface Found extends Statement {
  /** What is believed of it, or the words themselves. */
  shown: string;
  quote: string;
  source: string;
  hit: Hit | undefined;
}

const MOST_SEARCHED = 40;
const MOST_FOLLOWED = 20;
const MOST_NAMED = 3;
const MOST_EXPANDED = 40;
const MOST_SHOWN = 3;
const MOST_LISTED = 12;
const MOST_OF_ALL = 40;

/** What on record answers a question, best first; empty where nothing does. The message that asks it is no answer. */
export async function findAnswers(memory: Memory, key: string, text: string, asking?: string): Promise<Found[]> {
  const question = readQuestion(text);
  const facts = await readFacts(memory, key);
  if (question.isEverything) return facts.current.toSorted(byNewest).slice(0, MOST_OF_ALL);
  const pool = new Map(facts.current.map((found) => [found.id, found]));
  const more = async (query: string, limit: number, isWanted?: (hit: Hit) => boolean): Promise<void> => {
    const { results } = await memory.search(query, { key, limit });
    for (const hit of results) {
      const isAsked = asking !== undefined && hit.messages[0] === asking;
      if (!isAsked && (isWanted?.(hit) ?? true)) collect(pool, hit, await facts.drawnFrom(hit));
    }
  };
  const wide = [text, ...expandIdeas(text).slice(0, MOST_EXPANDED)].join(" ");
  await more(text, MOST_SEARCHED);
  if (wide !== text) await more(wide, MOST_SEARCHED);
  // What changed since may name only the thing itself: "sold the Yeti" says nothing of cars.
  const best = rankStatements(question, [...pool.values()])
    .slice(0, 4)
    .map(({ item }) => item.text);
  const words = [...new Set(best.flatMap((each) => [...namesIn(each), ...tellingIdeas(each)]))];
  if (words.length > 0) await more(words.slice(0, 14).join(" "), MOST_FOLLOWED);
  // And each name alone, for what gives it up: beside the other words that is far behind all that repeats the statement.
  const names = [...new Set(best.flatMap(namesIn))].filter((name) => !text.includes(name));
  for (const name of question.isYesNo ? [] : names.slice(0, MOST_NAMED))
    await more(name, MOST_FOLLOWED, (hit) => givesUp(hit.text)?.toLowerCase() === name.toLowerCase());
  const ranked = rankStatements(question, [...pool.values()]).map(({ item }) => item);
  return withoutRepeats(ranked).slice(0, question.isList ? MOST_LISTED : MOST_SHOWN);
}

// Notes of a session repeat what was said in it.
const RETOLD = /^\s*(?:[-*]\s*)?\[\d{4}-\d{2}-\d{2}[^\]]*\] \S+:/;

interface Known {
  current: Found[];
  /** All that was ever drawn from the message that was found. */
  drawnFrom: (hit: Hit) => Promise<FactRecord[]>;
}

/** Reads what is on record of the facts that stand, and later of the sessions that a search leads to: not all of history. */
async function readFacts(memory: Memory, key: string): Promise<Known> {
  const scope = scopeOf(key, memory.config.memory.scope);
  const texts = parseFacts(await memory.readMemory(key)).map((fact) => fact.text);
  const records = await readRecords(memory, scope, texts);
  const current = texts.map((text): Found => {
    const record = records.get(text);
    const quoted = parseQuotation(text);
    const quote = quoted === undefined ? (record?.quote ?? "") : "";
    return {
      id: `fact:${text}`,
      text: quoted === undefined ? `${text}\n${quote}` : `${quoted.subject ?? ""} ${quoted.words}`.trim(),
      date: record?.addedAt.startsWith(quoted?.saidOn ?? "") ? record.addedAt : (quoted?.saidOn ?? ""),
      shown: text,
      quote,
      isOver: quoted?.earlier !== undefined,
      families: familiesOf([text]),
      source: record ? `said in ${showName(record.session ?? "")} · ${record.addedAt.slice(0, 10)}` : "MEMORY.md",
      hit: undefined,
    };
  });
  const sessions = new Map<string, FactRecord[]>();
  return {
    current,
    async drawnFrom({ session, messages: [message] }) {
      if (message === undefined) return [];
      const drawn = sessions.get(session) ?? (await memory.state.listFacts({ session }));
      sessions.set(session, drawn);
      return drawn.filter((record) => record.message === message);
    },
  };
}

// With more facts than fit a prompt, one look at all records is cheaper than one for each.
const MANY_FACTS = 2_000;

/** For the words of each fact its newest record that names a session. */
async function readRecords(memory: Memory, scope: string, texts: readonly string[]): Promise<Map<string, FactRecord>> {
  const { state } = memory;
  const rows =
    texts.length > MANY_FACTS
      ? await state.listFacts({ scope })
      : (await Promise.all([...new Set(texts)].map((text) => state.listFacts({ scope, text })))).flat();
  return new Map(rows.filter(({ session }) => session !== null).map((row) => [row.text, row]));
}

/** Adds what a search found: people's own statements, and what stands in files. */
function collect(pool: Map<string, Found>, hit: Hit, drawn: readonly FactRecord[]): void {
  const [message] = hit.messages;
  if (hit.voice === "assistant" || hit.untrusted) return;
  if (message === undefined) {
    // Facts are in the pool already; the diary retells what was said.
    if (/(?:MEMORY|HISTORY)\.md$/.test(hit.path) || RETOLD.test(hit.text)) return;
    const id = `${hit.path}:${hit.startLine}`;
    pool.set(id, {
      id,
      text: hit.text,
      date: hit.date ?? "",
      shown: shorten(hit.text),
      quote: "",
      source: sourceOf(hit),
      hit,
    });
    return;
  }
  const stated = ownStatements(hit.text);
  if (stated === "") return;
  const standing = drawn.filter(({ retiredAt }) => retiredAt === null).map(({ text }) => text);
  const retired = drawn.filter(({ retiredAt }) => retiredAt !== null);
  const isOver = standing.length === 0 && retired.length > 0;
  const over = retired.at(-1);
  // Of a message that was taken back in part, the rest still counts.
  const gone = isOver ? [] : retired.filter(({ replacedBy }) => replacedBy === null);
  const rest = gone.reduce((words, { quote }) => words.replace(quote ?? "", "…"), stated);
  // The message says what its facts say, and what stands around them.
  for (const line of standing) if (parseQuotation(line)?.earlier === undefined) pool.delete(`fact:${line}`);
  pool.set(message, {
    id: message,
    text: rest,
    date: hit.date ?? "",
    shown: isOver
      ? `${shorten(stated)} (no longer so${over?.retiredAt ? ` since ${over.retiredAt.slice(0, 10)}` : ""})`
      : shorten(rest),
    quote: "",
    source: sourceOf(hit),
    hit,
    isOver,
    families: familiesOf(standing),
  });
}

function familiesOf(facts: readonly string[]): Set<Relation> {
  return new Set(facts.flatMap((fact) => RELATIONS.find((name) => name === subjectOfLine(fact).relation) ?? []));
}

function byNewest(one: Found, other: Found): number {
  return other.date.localeCompare(one.date);
}

/** The names by which something is talked about later. */
function namesIn(text: string): string[] {
  return text.replaceAll(/\bUser(?:'s)?\b/g, "").match(/(?<=\S\s)\p{Lu}[\p{L}\d]+/gu) ?? [];
}

/** What else it is talked about by: what is no everyday word. */
function tellingIdeas(text: string): string[] {
  return [...ideasOf(text)].filter((idea) => idea.length > 4 && !isNamedIdea(idea)).slice(0, 4);
}

/** What only says again what a better answer said is left out. */
function withoutRepeats(found: readonly Found[]): Found[] {
  const kept: Found[] = [];
  for (const each of found) {
    const words = wordsOf(each.text);
    const isRepeat = kept.some((other) => {
      const others = wordsOf(other.text);
      return [...words].filter((word) => others.has(word)).length >= 0.8 * Math.min(words.size, others.size);
    });
    if (!isRepeat) kept.push(each);
  }
  return kept;
}

function wordsOf(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
}

function shorten(text: string): string {
  const words = text
    .trim()
    .replace(/^[-*+]\s+/, "")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join(" ");
  return words.length > 300 ? `${words.slice(0, 300)}…` : words;
}
