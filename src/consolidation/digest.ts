import { formatQuotation } from "../belief/quotation.ts";
import type { Quotation } from "../belief/quotation.ts";
import { readClauses } from "../belief/reader.ts";
import type { Topic } from "../belief/reader.ts";
import { reviseBeliefs } from "../belief/revise-beliefs.ts";
import type { Heard } from "../belief/read-message.ts";
import { applyEdits } from "../change/apply-edits.ts";
import { addition, removal, replacement } from "../change/edits-between.ts";
import { findOwnFacts } from "../change/find-own-facts.ts";
import { readOutline } from "../change/read-outline.ts";
import { countOf } from "../language/count-of.ts";
import { createWeights, keyWords } from "../language/similarity.ts";
import type { StoredMessage } from "../session/message.ts";
import type { Edit } from "../state/edit.ts";
import { formatMinute, parseTimestamp } from "../time.ts";
import type { Answer } from "./answer.ts";
import type { Proposal } from "./ask-model.ts";
import { spokenText } from "./prompt.ts";

/** What the digest calls itself, in the log and in the entry. */
export const DIGEST = "digest";

const MOST_SENTENCES = 5;
const LONGEST_SENTENCE = 240;

/** The headings of MEMORY.md, in their order, by what a quotation is about. */
const HEADINGS: Readonly<Record<Topic, string>> = {
  about: "About you",
  health: "Health",
  people: "People",
  work: "Work",
  home: "Home",
  plans: "Plans",
  likes: "Likes",
  style: "How to answer",
  other: "Other",
};

interface Sentence {
  text: string;
  message: StoredMessage;
  speaker: string;
  /** How likely it says something to keep. */
  keep: number;
}

/** A digest without any model: the most telling sentences as they were said, and what is to be kept as quotations. */
export function digestStretch(
  messages: readonly StoredMessage[],
  memory: string,
  timezone: string,
): Extract<Proposal, { kind: "proposed" }> {
  const sentences = messages.flatMap((message) => splitSentences(message));
  const answer: Answer = {
    history_entry: buildEntry(messages, sentences, timezone),
    ...proposeQuotations(messages, memory, timezone),
  };
  return { kind: "proposed", model: DIGEST, answer, usage: { inputTokens: 0, outputTokens: 0, cachedTokens: 0 } };
}

/** What a person or the assistant said, sentence by sentence. */
export function splitSentences(message: StoredMessage): Sentence[] {
  if (message.role !== "user" && message.role !== "assistant") return [];
  const speaker = message.name ?? (message.role === "user" ? "User" : "Assistant");
  const text = spokenText(message);
  const told = readClauses(text).filter(({ kind }) => kind !== "code" && kind !== "table");
  return [...Map.groupBy(told, ({ sentence }) => sentence).values()].map((clauses) => ({
    text: text.slice(clauses[0]?.start ?? 0, clauses.at(-1)?.end ?? 0),
    message,
    speaker,
    keep: message.role === "user" ? Math.max(...clauses.map(({ keep }) => keep)) : 0,
  }));
}

function buildEntry(messages: readonly StoredMessage[], sentences: readonly Sentence[], timezone: string): string {
  const times = messages.flatMap(({ timestamp }) => parseTimestamp(timestamp, timezone) ?? []);
  const last = times.at(-1);
  const stamp = last === undefined ? "" : `[${formatMinute(last, timezone)}] `;
  const users = messages.filter(({ role }) => role === "user").length;
  const since = times[0] === undefined ? "" : ` since ${formatMinute(times[0], timezone)}`;
  const quotes = tellingSentences(sentences).map(({ speaker, text }) => `${speaker}: “${shorten(text)}”`);
  const said = quotes.length === 0 ? "Nothing notable was said." : quotes.join(" ");
  return `${stamp}Extract without a model, ${countOf(messages.length, "message")}${since} (${users} from the user). ${said}`;
}

/** The sentences with most to say: what is to be kept, rare words, names and numbers; in the order they were said. */
export function tellingSentences(sentences: readonly Sentence[]): Sentence[] {
  const weigh = createWeights(sentences.map(({ text }) => text));
  const scored = sentences.map((sentence, index) => ({ sentence, index, score: tellingScore(sentence, weigh) }));
  const best = scored.filter(({ score }) => score > 0).toSorted((one, other) => other.score - one.score);
  return best
    .slice(0, MOST_SENTENCES)
    .toSorted((one, other) => one.index - other.index)
    .map(({ sentence }) => sentence);
}

function tellingScore({ text, message, keep }: Sentence, weigh: (word: string) => number): number {
  const words = [...keyWords(text)];
  if (words.length < 2) return 0;
  const rarity = words.reduce((sum, word) => sum + weigh(word), 0) / Math.sqrt(words.length + 4);
  const names = (text.slice(1).match(/\p{Lu}\p{Ll}+/gu) ?? []).length;
  const numbers = (text.match(/\d+/g) ?? []).length;
  const own = message.role === "user" ? 1.5 : 1;
  const question = text.endsWith("?") ? 0.5 : 1;
  return (rarity + Math.min(names, 3) + Math.min(numbers, 3) + 4 * keep) * own * question;
}

/** The memory with what the user said, each under its heading and above what was said before; nothing is taken out unasked. */
function proposeQuotations(
  messages: readonly StoredMessage[],
  memory: string,
  timezone: string,
): Pick<Answer, "memory_update" | "evidence" | "removed"> {
  const { facts } = readOutline(memory);
  const known = [...new Set(facts.map(({ text }) => text))];
  const { added, marked, removed } = reviseBeliefs(heardMessages(messages, timezone), known);
  const edits: Edit[] = [];
  const gone: { fact: string; reason: string }[] = [];
  const lines = added.map((quotation) => ({ quotation, line: formatQuotation(quotation) }));
  for (const { before, after, by } of marked) {
    if (before === "") lines.push({ quotation: by, line: after });
    const [by2] = readOutline(`- ${after}`).facts;
    for (const fact of before === "" || !by2 ? [] : findOwnFacts(facts, before)) {
      const reason = `earlier: “${by.words}”`;
      if (by2) edits.push(replacement(fact, by2, reason, null));
      gone.push({ fact: before, reason });
      lines.push({ quotation: by, line: after });
    }
  }
  for (const { fact: words, reason } of removed)
    for (const fact of findOwnFacts(facts, words)) {
      gone.push({ fact: words, reason });
      edits.push(removal(fact, reason));
    }
  const fresh = lines.filter(({ line }) => !marked.some(({ before, after }) => before !== "" && after === line));
  return {
    memory_update: applyEdits(memory, [...edits, ...additions(fresh, memory)]).text,
    evidence: lines.map(({ quotation, line }) => ({
      fact: line,
      quote: quotation.evidence,
      message: quotation.message,
    })),
    removed: gone,
  };
}

/** New quotations, the newest first, each under its heading; a title above all where there is nothing yet. */
function additions(lines: readonly { quotation: Quotation; line: string }[], memory: string): Edit[] {
  const [first, ...others] = readOutline(memory).headings;
  const isTitled = first?.level === 1 && others.every(({ level }) => level > 1);
  const title = memory.trim() === "" ? "# Memory\n\n" : isTitled ? `# ${first.title}\n\n` : "";
  const groups = Map.groupBy(lines.toReversed(), ({ quotation }) => HEADINGS[quotation.topic]);
  const sections = Object.values(HEADINGS).flatMap((heading) => {
    const group = groups.get(heading);
    return group === undefined ? [] : [`## ${heading}\n\n${group.map(({ line }) => `- ${line}\n`).join("")}\n`];
  });
  const outline = readOutline(`${title}${sections.join("")}`);
  return outline.facts.map((fact) => {
    const edit = addition(fact, outline, null);
    return edit.follows === null ? { ...edit, isFirst: true } : edit;
  });
}

/** What was said aloud, as the reader of beliefs takes it. */
export function heardMessages(messages: readonly StoredMessage[], timezone: string): Heard[] {
  return messages.flatMap((message) => {
    const { role, id } = message;
    if (role !== "user" && role !== "assistant") return [];
    const saidAt = parseTimestamp(message.timestamp, timezone);
    return [{ role, id, text: spokenText(message), speaker: message.name ?? "User", saidAt, timezone }];
  });
}

function shorten(text: string): string {
  return text.length <= LONGEST_SENTENCE ? text : `${text.slice(0, LONGEST_SENTENCE).trimEnd()}…`;
}
