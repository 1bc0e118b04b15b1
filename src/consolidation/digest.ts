import { applyEdits } from "../change/apply-edits.ts";
import { addition, removal, replacement } from "../change/edits-between.ts";
import { findOwnFacts } from "../change/find-own-facts.ts";
import { readOutline } from "../change/read-outline.ts";
import type { Fact } from "../change/read-outline.ts";
import { readMessage } from "../belief/read-message.ts";
import { reviseBeliefs } from "../belief/revise-beliefs.ts";
import type { Heard, Revision } from "../belief/revise-beliefs.ts";
import { countOf } from "../language/count-of.ts";
import { createWeights, keyWords } from "../language/similarity.ts";
import type { StoredMessage } from "../session/message.ts";
import type { Edit } from "../history/edit.ts";
import { formatMinute, parseTimestamp } from "../time.ts";
import type { Answer } from "./answer.ts";
import type { Proposal } from "./ask-model.ts";
import { spokenText } from "./prompt.ts";
import { shorten } from "../visible-text.ts";

/** What the digest calls itself, in the log and in the entry. */
export const DIGEST = "digest";

const MOST_SENTENCES = 5;
const LONGEST_SENTENCE = 240;
const FACTS_HEADING = "## Facts";

interface Sentence {
  text: string;
  message: StoredMessage;
  speaker: string;
}

/** A digest without any model: the most telling sentences as they were said, and facts by the patterns of plain speech. */
export function digestStretch(
  messages: readonly StoredMessage[],
  memory: string,
  timezone: string,
): Extract<Proposal, { kind: "proposed" }> {
  const sentences = messages.flatMap((message) => splitSentences(message));
  const { doubted, ...facts } = proposeFacts(messages, memory, timezone);
  const answer: Answer = { history_entry: buildEntry(messages, sentences, timezone), ...facts };
  const usage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 };
  return { kind: "proposed", model: DIGEST, answer, usage, doubted };
}

/** What a person or the assistant said, sentence by sentence. */
export function splitSentences(message: StoredMessage): Sentence[] {
  if (message.role !== "user" && message.role !== "assistant") return [];
  const speaker = message.name ?? (message.role === "user" ? "User" : "Assistant");
  const segmenter = new Intl.Segmenter(undefined, { granularity: "sentence" });
  const text = spokenText(message).replaceAll(/```[\s\S]*?(?:```|$)/g, " ");
  return text
    .split("\n")
    .flatMap((line) => [...segmenter.segment(line)].map(({ segment }) => segment.trim()))
    .filter((sentence) => sentence !== "")
    .map((sentence) => ({ text: sentence, message, speaker }));
}

function buildEntry(messages: readonly StoredMessage[], sentences: readonly Sentence[], timezone: string): string {
  const times = messages.flatMap(({ timestamp }) => parseTimestamp(timestamp, timezone) ?? []);
  const last = times.at(-1);
  const stamp = last === undefined ? "" : `[${formatMinute(last, timezone)}] `;
  const users = messages.filter(({ role }) => role === "user").length;
  const since = times[0] === undefined ? "" : ` since ${formatMinute(times[0], timezone)}`;
  const quotes = tellingSentences(sentences).map(
    ({ speaker, text }) => `${speaker}: “${shorten(text, LONGEST_SENTENCE)}”`,
  );
  const said = quotes.length === 0 ? "Nothing notable was said." : quotes.join(" ");
  return `${stamp}Extract without a model, ${countOf(messages.length, "message")}${since} (${users} from the user). ${said}`;
}

/** The sentences with most to say: rare words, names, numbers and dates, decisions; in the order they were said. */
export function tellingSentences(sentences: readonly Sentence[]): Sentence[] {
  const weigh = createWeights(sentences.map(({ text }) => text));
  const scored = sentences.map((sentence, index) => ({ sentence, index, score: tellingScore(sentence, weigh) }));
  const best = scored.filter(({ score }) => score > 0).toSorted((one, other) => other.score - one.score);
  return best
    .slice(0, MOST_SENTENCES)
    .toSorted((one, other) => one.index - other.index)
    .map(({ sentence }) => sentence);
}

function tellingScore({ text, speaker, message }: Sentence, weigh: (word: string) => number): number {
  const words = [...keyWords(text)];
  if (words.length < 2) return 0;
  const rarity = words.reduce((sum, word) => sum + weigh(word), 0) / Math.sqrt(words.length + 4);
  const names = (text.slice(1).match(/\p{Lu}\p{Ll}+/gu) ?? []).length;
  const numbers = (text.match(/\d+/g) ?? []).length;
  const isDecision = /\b(?:decid|agree|plan|will|must|deadline|remember|prefer|chose|book|moved?|because)/i.test(text);
  const isStatement =
    message.role === "user" &&
    readMessage({ id: message.id, text, speaker, saidAt: undefined, timezone: "UTC" }).some(
      ({ kind }) => kind === "claim",
    );
  const own = message.role === "user" ? 1.5 : 1;
  const question = text.endsWith("?") ? 0.5 : 1;
  return (
    (rarity + Math.min(names, 3) + Math.min(numbers, 3) + (isDecision ? 2 : 0) + (isStatement ? 4 : 0)) * own * question
  );
}

/** The memory with what the user stated; a newer statement takes the place of the one it corrects. */
function proposeFacts(
  messages: readonly StoredMessage[],
  memory: string,
  timezone: string,
): Pick<Answer, "memory_update" | "evidence" | "removed"> & Pick<Revision, "doubted"> {
  const { facts } = readOutline(memory);
  const known = [...new Set(facts.map(({ text }) => text))];
  const { added, replaced, removed, doubted } = reviseBeliefs(heardMessages(messages, timezone), known);
  const gone: { fact: Fact; reason: string }[] = [];
  const edits: Edit[] = [];
  const fresh = added.map(({ fact }) => fact);
  for (const { before, claim } of replaced) {
    const [old, ...equals] = findOwnFacts(facts, before);
    const [by] = readOutline(`- ${claim.fact}`).facts;
    const reason = `corrected: “${claim.quote}”`;
    if (old && by) edits.push(replacement(old, by, reason, null));
    else fresh.push(claim.fact);
    gone.push(...[...(old ? [old] : []), ...equals].map((fact) => ({ fact, reason })));
    edits.push(...equals.map((fact) => removal(fact, reason)));
  }
  for (const { fact: words, reason } of removed)
    for (const fact of findOwnFacts(facts, words)) {
      gone.push({ fact, reason });
      edits.push(removal(fact, reason));
    }
  const claims = [...added, ...replaced.map(({ claim }) => claim)];
  return {
    doubted,
    memory_update: applyEdits(memory, [...edits, ...additions(fresh, memory)]).text,
    evidence: claims.map(({ fact, quote, message }) => ({ fact, quote, message })),
    removed: gone.map(({ fact, reason }) => ({ fact: fact.text, reason })),
  };
}

/** New facts under their heading, with a title above it where there is nothing yet. */
function additions(facts: readonly string[], memory: string): Edit[] {
  const title = memory.trim() === "" ? "# Memory\n\n" : "";
  const section = readOutline(`${title}${FACTS_HEADING}\n\n${facts.map((fact) => `- ${fact}\n`).join("")}`);
  return section.facts.map((fact) => addition(fact, section, null));
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
