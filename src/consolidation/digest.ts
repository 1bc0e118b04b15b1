import { parseFacts } from "../change/read-outline.ts";
import { readMessage } from "../belief/read-message.ts";
import { reviseBeliefs } from "../belief/revise-beliefs.ts";
import type { Heard, Revision } from "../belief/revise-beliefs.ts";
import { countOf } from "../language/count-of.ts";
import { createWeights, keyWords } from "../language/similarity.ts";
import { textOf } from "../session/message.ts";
import type { StoredMessage } from "../session/message.ts";
import { formatMinute, parseTimestamp } from "../time.ts";
import type { Answer } from "./answer.ts";
import type { Proposal } from "./ask-model.ts";
import { withoutThoughts } from "./prompt.ts";

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
  const text = withoutThoughts(textOf(message)).replaceAll(/```[\s\S]*?(?:```|$)/g, " ");
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
  const quotes = tellingSentences(sentences).map(({ speaker, text }) => `${speaker}: “${shorten(text)}”`);
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
  const known = parseFacts(memory).map(({ text }) => text);
  const { added, replaced, removed, doubted } = reviseBeliefs(heardMessages(messages, timezone), known);
  let update = memory;
  const fresh = added.map(({ fact }) => `- ${fact}`);
  for (const { before, claim } of replaced) {
    const line = update.split("\n").find((each) => each.includes(before));
    if (line === undefined) fresh.push(`- ${claim.fact}`);
    else update = update.replace(line, () => line.replace(before, () => claim.fact));
  }
  for (const { fact } of removed) {
    update = update
      .split("\n")
      .filter((line) => line.replace(/^\s*[-*+]\s+/, "").trim() !== fact)
      .join("\n");
  }
  const claims = [...added, ...replaced.map(({ claim }) => claim)];
  return {
    doubted,
    memory_update: addLines(update, fresh),
    evidence: claims.map(({ fact, quote, message }) => ({ fact, quote, message })),
    removed: [
      ...removed,
      ...replaced.map(({ before, claim }) => ({ fact: before, reason: `corrected: “${claim.quote}”` })),
    ],
  };
}

/** What was said aloud, as the reader of beliefs takes it. */
export function heardMessages(messages: readonly StoredMessage[], timezone: string): Heard[] {
  return messages.flatMap((message) => {
    const { role, id } = message;
    if (role !== "user" && role !== "assistant") return [];
    const saidAt = parseTimestamp(message.timestamp, timezone);
    return [{ role, id, text: withoutThoughts(textOf(message)), speaker: message.name ?? "User", saidAt, timezone }];
  });
}

function addLines(memory: string, lines: readonly string[]): string {
  if (lines.length === 0) return memory;
  const kept = memory.trimEnd();
  const heading =
    kept === ""
      ? `# Memory\n\n${FACTS_HEADING}\n`
      : kept.split("\n").includes(FACTS_HEADING)
        ? undefined
        : `\n${FACTS_HEADING}\n`;
  if (heading !== undefined) return `${[kept, heading, ...lines].filter((part) => part !== "").join("\n")}\n`;
  // Under the heading that is there, before the next one.
  const all = kept.split("\n");
  const start = all.indexOf(FACTS_HEADING) + 1;
  const next = all.findIndex((line, index) => index >= start && line.startsWith("#"));
  let end = next < 0 ? all.length : next;
  while (end > start && (all[end - 1] ?? "").trim() === "") end--;
  return `${[...all.slice(0, end), ...lines, ...all.slice(end)].join("\n")}\n`;
}

function shorten(text: string): string {
  return text.length <= LONGEST_SENTENCE ? text : `${text.slice(0, LONGEST_SENTENCE).trimEnd()}…`;
}
