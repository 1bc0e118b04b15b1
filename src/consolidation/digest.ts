import { parseFacts } from "../change/read-outline.ts";
import { containment, createWeights, keyWords } from "../language/similarity.ts";
import { textOf } from "../session/message.ts";
import type { StoredMessage } from "../session/message.ts";
import { formatMinute, parseTimestamp } from "../time.ts";
import type { Answer } from "./answer.ts";
import type { Proposal } from "./ask.ts";
import { withoutThoughts } from "./prompt.ts";
import { matchStatement, splitClauses } from "./statements.ts";

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
  const answer: Answer = {
    history_entry: buildEntry(messages, sentences, timezone),
    ...proposeFacts(sentences, memory),
  };
  return { kind: "proposed", model: DIGEST, answer, usage: { inputTokens: 0, outputTokens: 0, cachedTokens: 0 } };
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
  const said = quotes.length === 0 ? "Nothing telling was said." : quotes.join(" ");
  return `${stamp}Extract without a model, ${messages.length} messages${since} (${users} from the user). ${said}`;
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
  const isStatement = matchStatement(text, speaker) !== undefined;
  const own = message.role === "user" ? 1.5 : 1;
  const question = text.endsWith("?") ? 0.5 : 1;
  return (
    (rarity + Math.min(names, 3) + Math.min(numbers, 3) + (isDecision ? 2 : 0) + (isStatement ? 4 : 0)) * own * question
  );
}

/** The memory with what the user stated about themselves; a newer statement takes the place of the one it corrects. */
function proposeFacts(
  sentences: readonly Sentence[],
  memory: string,
): Pick<Answer, "memory_update" | "evidence" | "removed"> {
  const known = parseFacts(memory).map(({ text }) => text);
  const believed = new Map<string, { evidence: Answer["evidence"][number]; replaces: string | undefined }>();
  const clauses = sentences
    .filter(({ message }) => message.role === "user")
    .flatMap(({ text, ...said }) => splitClauses(text).map((clause) => ({ ...said, text: clause })));
  for (const { text, message, speaker } of clauses) {
    const statement = matchStatement(text, speaker);
    if (!statement || known.includes(statement.fact)) continue;
    for (const earlier of believed.keys()) if (isCorrectedBy(earlier, statement)) believed.delete(earlier);
    const replaces = known.find((fact) => isCorrectedBy(fact, statement));
    believed.set(statement.fact, { evidence: { fact: statement.fact, quote: text, message: message.id }, replaces });
  }
  let update = memory;
  const removed: Answer["removed"] = [];
  const fresh: string[] = [];
  for (const [fact, { replaces, evidence }] of believed) {
    const line = replaces === undefined ? undefined : update.split("\n").find((each) => each.includes(replaces));
    if (replaces === undefined || line === undefined) fresh.push(`- ${fact}`);
    else {
      update = update.replace(line, () => line.replace(replaces, () => fact));
      removed.push({ fact: replaces, reason: `corrected: “${evidence.quote}”` });
    }
  }
  return {
    memory_update: addLines(update, fresh),
    evidence: [...believed.values()].map(({ evidence }) => evidence),
    removed,
  };
}

function isCorrectedBy(
  fact: string,
  statement: { fact: string; slot: string | undefined; isDenial: boolean },
): boolean {
  if (fact === statement.fact) return false;
  if (statement.slot !== undefined && fact.toLowerCase().startsWith(statement.slot.toLowerCase())) return true;
  return statement.isDenial && containment(keyWords(fact), keyWords(statement.fact), () => 1) >= 0.99;
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
