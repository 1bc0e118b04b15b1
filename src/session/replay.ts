import { hasCalls, textOf } from "./message.ts";
import type { Message } from "./message.ts";

/** A message as it goes out to a model: nothing but what providers know. */
export interface SentMessage {
  role: "user" | "assistant" | "tool";
  content: string | readonly unknown[] | null;
  tool_calls?: readonly unknown[];
  tool_call_id?: string;
  name?: string;
  reasoning?: unknown;
  reasoning_content?: unknown;
}

/** How much of the past may be sent. */
export interface ReplayLimits {
  /** The ordinal to begin at; the cursor when not given. */
  from?: number;
  maxMessages?: number;
  maxTokens?: number;
  countTokens?: (message: SentMessage) => number;
}

/**
 * What may be sent to a model: the newest messages, begun at a user's, with every call answered directly after it and
 * every answer called for. The messages themselves are not touched.
 */
export function replay(messages: readonly Message[], limits: ReplayLimits = {}): SentMessage[] {
  const newest = messages.slice(Math.max(0, messages.length - (limits.maxMessages ?? 500)));
  const sent = fromFirstUser(pairCalls(newest)).map(toSent);
  return limits.maxTokens === undefined ? sent : dropOldestTurns(sent, limits.maxTokens, limits.countTokens);
}

/** Keeps what a strict provider accepts; each orphan removes itself alone. */
function pairCalls(messages: readonly Message[]): Message[] {
  const kept: Message[] = [];
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index];
    if (message === undefined || message.role === "tool") continue;
    if (message.role === "assistant" && hasCalls(message)) {
      const group = answeredCall(message, messages, index + 1);
      if (group) kept.push(...group);
      continue;
    }
    if (message.role === "user" || (message.role === "assistant" && hasText(message))) kept.push(message);
  }
  return kept;
}

/**
 * The call with the first result of each of its parts, if all of them are there. Others may have said something while
 * the tools ran: their words come after the results. A later call under the same id has results of its own.
 */
function answeredCall(call: Message, messages: readonly Message[], from: number): Message[] | undefined {
  const ids = (call.tool_calls ?? []).map(({ id }) => id);
  const wanted = new Set(ids);
  if (wanted.has(undefined) || wanted.has("") || wanted.size !== ids.length) return undefined;
  const results = new Map<string, Message>();
  const open = new Set(wanted);
  for (let index = from; index < messages.length && open.size > 0; index++) {
    const message = messages[index];
    for (const { id } of message?.tool_calls ?? []) open.delete(id);
    const id = message?.role === "tool" ? message.tool_call_id : undefined;
    if (message && typeof id === "string" && open.delete(id)) results.set(id, message);
  }
  return results.size === wanted.size ? [call, ...results.values()] : undefined;
}

function hasText(message: Message): boolean {
  if (Array.isArray(message.content)) return message.content.length > 0;
  return textOf(message).trim() !== "";
}

function fromFirstUser(messages: readonly Message[]): Message[] {
  const first = messages.findIndex(({ role }) => role === "user");
  return first < 0 ? [] : messages.slice(first);
}

/** A stored message as it goes out. */
export function toSent(message: Message): SentMessage {
  const sent: SentMessage = { role: sentRole(message.role), content: contentWithContext(message) };
  if (hasCalls(message)) sent.tool_calls = message.tool_calls ?? [];
  if (message.role === "tool" && typeof message.tool_call_id === "string") sent.tool_call_id = message.tool_call_id;
  if (message.name !== undefined) sent.name = message.name;
  if (message["reasoning"] !== undefined) sent.reasoning = message["reasoning"];
  if (message["reasoning_content"] !== undefined) sent.reasoning_content = message["reasoning_content"];
  return sent;
}

function sentRole(role: string): SentMessage["role"] {
  return role === "assistant" || role === "tool" ? role : "user";
}

/** The run-time context goes out before the user's words, each time the same bytes. */
function contentWithContext({ content, context }: Message): SentMessage["content"] {
  if (context === undefined) return content ?? null;
  if (Array.isArray(content)) return [{ type: "text", text: context }, ...content];
  return `${context}\n\n${content ?? ""}`;
}

function dropOldestTurns(sent: SentMessage[], maxTokens: number, countTokens = cautiousCount): SentMessage[] {
  let rest = 0;
  let start = sent.length;
  for (const [index, message] of [...sent.entries()].toReversed()) {
    rest += countTokens(message);
    if (rest > maxTokens) break;
    if (message.role === "user") start = index;
  }
  return sent.slice(start);
}

/** No tokenizer yields more tokens than there are bytes. */
function cautiousCount(message: SentMessage): number {
  return Buffer.byteLength(JSON.stringify(message));
}
