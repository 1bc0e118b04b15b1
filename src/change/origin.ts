import { containment, createWeights, keyWords, LIKE_ENOUGH } from "../language/similarity.ts";
import { textOf } from "../session/message.ts";
import type { StoredMessage } from "../session/message.ts";
import { holdsQuote } from "./quote.ts";

/** The messages of a stretch by whose word they are. */
export interface Origins {
  /** What came from outside, and what the assistant said in the same turn after reading it. */
  outside: string[];
  /** The user's own statements. */
  own: string[];
  /** All that the user said, questions and requests too. */
  asked: string[];
  other: string[];
  /** The tools that read the outside. */
  tools: string[];
}

// The assistant may repeat in a later turn what it read in an earlier one: it must say clearly more than the page did.
const MARGIN = 0.2;
const MENTIONED = 0.3;

/** Where one sentence ends and the next begins, roughly. */
export const SENTENCES = /(?<=[.!?。！？])\s*/u;

/** Stands at the end of a diary entry that tells what came from outside. */
export const OUTSIDE_MARK = "[untrusted: from outside, by ";

/** Sorts messages by origin; `rules` name the tools that read the outside world, `exec curl` one of exec's commands. */
export function sortByOrigin(messages: readonly StoredMessage[], rules: readonly string[]): Origins {
  const origins: Origins = { outside: [], own: [], asked: [], other: [], tools: [] };
  const calls = new Map<string, { name: string; input: string }>();
  let isTainted = false;
  for (const message of messages) {
    for (const { id, function: call } of message.tool_calls ?? []) {
      if (id !== undefined && call) calls.set(id, { name: call.name, input: JSON.stringify(call.arguments ?? "") });
    }
    const text = `${message.name ?? ""} ${textOf(message)}`;
    const tool = outsideTool(message, calls.get(message.tool_call_id ?? ""), rules);
    if (message.role === "user") isTainted = false;
    if (tool !== undefined) {
      isTainted = true;
      origins.tools.push(tool);
    }
    if (tool !== undefined || (isTainted && message.role === "assistant")) origins.outside.push(text);
    else if (message.role === "user") {
      origins.own.push(...statementsIn(text));
      origins.asked.push(text);
    } else origins.other.push(text);
  }
  origins.tools = [...new Set(origins.tools)];
  return origins;
}

/** Judges texts by where they come from. */
export interface OriginJudge {
  /** Whether a fact stands on what came from outside rather than on the user's word. */
  isOutside(text: string): boolean;
  /** Whether the user spoke of it at all. */
  isMentioned(text: string): boolean;
}

/** What else a judge may know. */
export interface OriginHints {
  /** What was said before the stretch. */
  earlier?: Origins;
  /** What the model gives for evidence: its quotes of the user count where they are really the user's. */
  evidence?: readonly { fact: string; quote: string }[];
}

/**
 * Makes a judge of a stretch. Where tools read the outside within it, a fact must be borne out by the talk; where they
 * did only before it, a fact is held that says what the outside said. Otherwise everything is the talk's own.
 */
export function createOriginJudge(origins: Origins, { earlier, evidence = [] }: OriginHints = {}): OriginJudge {
  const outside = [...origins.outside, ...(earlier?.outside ?? [])];
  if (outside.length === 0) return { isOutside: () => false, isMentioned: () => true };
  const pools = { outside, own: origins.own, asked: origins.asked, other: origins.other };
  const words = Object.fromEntries(
    Object.entries(pools).map(([name, texts]) => [name, texts.map((text) => keyWords(text))] as const),
  );
  const weigh = createWeights([...outside, ...origins.asked, ...origins.other]);
  const best = (text: string, pool: keyof typeof pools): number => {
    const wanted = keyWords(text);
    return Math.max(0, ...(words[pool] ?? []).map((known) => containment(wanted, known, weigh)));
  };
  const isStrict = origins.outside.length > 0;
  return {
    isOutside(text) {
      const score = best(text, "outside");
      const own = best(text, "own");
      if (own >= LIKE_ENOUGH && own >= score) return false;
      const other = best(text, "other");
      if (other >= LIKE_ENOUGH && other >= score + MARGIN) return false;
      if (score < MENTIONED && isQuoted(text, evidence, origins.own)) return false;
      return isStrict || score >= LIKE_ENOUGH;
    },
    isMentioned: (text) => best(text, "asked") >= MENTIONED || (!isStrict && best(text, "outside") < LIKE_ENOUGH),
  };
}

/** Whether the user's own statement is quoted for a fact, and has something to do with it. */
function isQuoted(fact: string, evidence: NonNullable<OriginHints["evidence"]>, own: readonly string[]): boolean {
  const words = keyWords(fact);
  return evidence.some(({ fact: claimed, quote }) => {
    if (containment(keyWords(claimed), words, () => 1) < LIKE_ENOUGH) return false;
    const isRelated = [...keyWords(quote)].some((word) => words.has(word));
    return isRelated && own.some((statement) => holdsQuote(statement, quote));
  });
}

/** Marks the lines that tell what came from outside, so that whoever finds them later knows. */
export function markOutside(
  lines: readonly string[],
  messages: readonly StoredMessage[],
  rules: readonly string[],
): string[] {
  const origins = sortByOrigin(messages, rules);
  const judge = createOriginJudge(origins);
  const isOutside = (line: string) =>
    line.split(SENTENCES).some((sentence) => keyWords(sentence).size > 1 && judge.isOutside(sentence));
  return lines.map((line) => (isOutside(line) ? `${line} ${OUTSIDE_MARK}${origins.tools.join(", ")}]` : line));
}

function outsideTool(
  message: StoredMessage,
  call: { name: string; input: string } | undefined,
  rules: readonly string[],
): string | undefined {
  const name = call?.name ?? message.name ?? "";
  if (message["origin"] === "untrusted") return name === "" ? message.role : name;
  if (message.role !== "tool") return undefined;
  const isNamed = rules.some((rule) => {
    const [tool = "", command] = rule.split(" ");
    if (tool.toLowerCase() !== name.toLowerCase()) return false;
    return (
      command === undefined || (call !== undefined && new RegExp(`\\b${escape(command)}\\b`, "i").test(call.input))
    );
  });
  return isNamed ? name : undefined;
}

function escape(text: string): string {
  return text.replaceAll(/[^\w]/g, String.raw`\$&`);
}

// A question or a request names things without saying that they are so.
const ASKING =
  /\?\s*$|https?:\/\/|^\s*(?:please\s+|can you\s+|could you\s+)*(?:read|open|fetch|get|visit|browse|look|check|search|find|summari[sz]e|tell|show|what|who|where|when|why|how|which|is|are|do|does|did|can|could|would|translate|explain|compare|list|download|go)\b/i;

function statementsIn(text: string): string[] {
  const sentences = [...new Intl.Segmenter(undefined, { granularity: "sentence" }).segment(text)];
  return sentences.map(({ segment }) => segment.trim()).filter((sentence) => sentence !== "" && !ASKING.test(sentence));
}
