import { z } from "zod";
import type { MessageInput } from "../session/message.ts";
import { idOf } from "./found.ts";
import type { Found, NamedMessage } from "./found.ts";

/** One call of a tool, as sessions keep it. */
export interface ToolCall {
  id: string;
  type: "function";
  function: { name: string; arguments: string };
}

/** Where the messages of one conversation are put, in the order in which they were said. */
export interface Talk {
  user(content: MessageInput["content"], stamp: Stamp): void;
  /** An answer; one that holds calls alone joins the calls right before it, as they were made together. */
  answer(text: string, calls: readonly ToolCall[], stamp: Stamp): void;
  result(call: string, text: string, stamp: Stamp & { name?: string | undefined }): void;
  /** A message that is in our form already. */
  say(message: MessageInput): void;
}

/** What identifies a message in its original, and when it was said. */
export interface Stamp {
  id?: string | undefined;
  timestamp?: unknown;
  /** `untrusted` where the original says that the words came from outside. */
  origin?: "untrusted" | undefined;
}

/** What a message held when it was read, before it got the time of its neighbours. */
const ownWords = new WeakMap<object, string>();

/**
 * Begins or goes on with a conversation. Messages without an id get one of their words, so that the next import knows
 * them again; an id that comes twice with other words is made two. Results get the name of the tool that was called.
 */
export function startTalk(found: Found, session: string): Talk {
  const messages = found.talks.get(session) ?? [];
  const seen = new Map(messages.map((message) => [message.id, ownWords.get(message) ?? wordsOf(message)]));
  const tools = new Map<string, string>();
  const say = ({ id, timestamp, ...rest }: MessageInput): void => {
    if (isWordless(rest)) return;
    const time = readTime(timestamp);
    const said = { ...rest, ...(time === undefined ? {} : { timestamp: time }) };
    const words = wordsOf(said);
    const named = id === undefined ? idOf(session, words) : id;
    let unique = named;
    for (let count = 2; seen.has(unique); count += 1) {
      // The same line twice, as programs write it that copy their history.
      if (id !== undefined && seen.get(unique) === words) return;
      unique = `${named}-${count}`;
    }
    seen.set(unique, words);
    found.talks.set(session, messages);
    // What has no time of its own was said when its neighbours were, and not when it is imported.
    const then = time ?? messages.at(-1)?.timestamp;
    if (time !== undefined) for (const message of messages) message.timestamp ??= time;
    const kept = { ...said, ...(then === undefined ? {} : { timestamp: then }), id: unique };
    ownWords.set(kept, words);
    messages.push(kept);
  };
  return {
    say,
    user: (content, stamp) => say({ role: "user", content: content ?? null, ...fieldsOf(stamp) }),
    answer(text, calls, stamp) {
      for (const call of calls) tools.set(call.id, call.function.name);
      const last = messages.at(-1);
      if (text === "" && calls.length > 0 && last && hasCalls(last)) last.tool_calls = [...last.tool_calls, ...calls];
      else
        say({
          role: "assistant",
          content: text === "" ? null : text,
          ...(calls.length > 0 ? { tool_calls: calls } : {}),
          ...fieldsOf(stamp),
        });
    },
    result(call, text, { name = tools.get(call), ...stamp }) {
      const tool = name === undefined ? {} : { name };
      say({ role: "tool", content: text, tool_call_id: call, ...tool, ...fieldsOf(stamp) });
    },
  };
}

/** A call of a tool; arguments that are no text yet become JSON. */
export function toolCall(id: string, name: string, input: unknown): ToolCall {
  const text = typeof input === "string" ? input : JSON.stringify(input ?? {});
  return { id, type: "function", function: { name, arguments: text } };
}

/** What a tool returned, as text: parts with words are joined, anything else is JSON. */
export function resultText(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === undefined || value === null) return "";
  if (Array.isArray(value)) return value.map(resultText).join("\n");
  if (typeof value !== "object") return JSON.stringify(value);
  for (const field of ["text", "output", "error", "result", "content"]) {
    const inner: unknown = Reflect.get(value, field);
    if (typeof inner === "string") return inner;
  }
  return JSON.stringify(value);
}

const Called = z.looseObject({ id: z.string() });

/** The ids of the calls that a message makes. */
export function calledIds({ tool_calls }: Pick<MessageInput, "tool_calls">): string[] {
  return (tool_calls ?? []).flatMap((call) => Called.safeParse(call).data?.id ?? []);
}

function fieldsOf({ id, timestamp, origin }: Stamp): Pick<MessageInput, "id" | "timestamp" | "origin"> {
  const time = typeof timestamp === "string" || typeof timestamp === "number" ? { timestamp } : {};
  return { ...(id ? { id } : {}), ...time, ...(origin ? { origin } : {}) };
}

/**
 * Numbers become the text that sessions hold, whatever unit they count in; text without a zone is someone's wall time,
 * and stays. What is no time, or the zero that programs write for none, is undefined.
 */
function readTime(timestamp: MessageInput["timestamp"]): string | undefined {
  const given = typeof timestamp === "string" && /^\d+(?:\.\d+)?$/.test(timestamp) ? Number(timestamp) : timestamp;
  if (typeof given === "string") return Number.isNaN(Date.parse(given)) ? undefined : given;
  if (typeof given !== "number" || given === 0) return undefined;
  const date = new Date(given * UNITS_MS[unitOf(Math.abs(given))]);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

const UNITS_MS = { seconds: 1000, milliseconds: 1, microseconds: 1e-3, nanoseconds: 1e-6 } as const;

/** Since 1970, and for some thousand years to come, each unit has numbers of a length of its own. */
function unitOf(size: number): keyof typeof UNITS_MS {
  if (size < 1e11) return "seconds";
  if (size < 1e14) return "milliseconds";
  return size < 1e17 ? "microseconds" : "nanoseconds";
}

function wordsOf({ role, content, tool_calls, tool_call_id, timestamp }: MessageInput): string {
  return JSON.stringify([role, content, tool_calls, tool_call_id, timestamp]);
}

function hasCalls(message: NamedMessage): message is NamedMessage & { tool_calls: readonly unknown[] } {
  return message.role === "assistant" && (message.tool_calls?.length ?? 0) > 0;
}

/** Such answers are never stored. */
function isWordless({ role, content, tool_calls }: MessageInput): boolean {
  if (role !== "assistant" || (tool_calls?.length ?? 0) > 0) return false;
  return typeof content === "string" ? content.trim() === "" : (content?.length ?? 0) === 0;
}
