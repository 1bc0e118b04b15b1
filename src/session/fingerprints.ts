import { textOf } from "./message.ts";
import type { Message, MessageInput } from "./message.ts";
import { trimMessage } from "./trim-message.ts";

interface Call {
  id: string;
  name: string;
  arguments: string;
}

/**
 * What makes each message of a list the same one as another's: who, the words, and which tools with which arguments; for
 * a result the call that it answers, by its place. Not how a client wraps or names things: some rewrite the ids of calls.
 */
export function fingerprints(messages: readonly (Message | MessageInput)[]): string[] {
  let open: Call[] = [];
  let answered = 0;
  return messages.map((message) => {
    const { role, content, tool_calls, tool_call_id } = asStored(message);
    const words = plainWords(content, role);
    if (role === "tool") {
      const at = open.findIndex(({ id }) => id !== "" && id === tool_call_id);
      const call = open[at < 0 ? answered : at];
      answered += 1;
      return JSON.stringify([role, at < 0 ? answered - 1 : at, call?.name ?? "", call?.arguments ?? "", words]);
    }
    const calls = role === "assistant" ? (tool_calls ?? []).flatMap((call) => readCall(call)) : [];
    if (role === "assistant") {
      open = calls;
      answered = 0;
    }
    // Some clients drop the words beside calls, or put thoughts before them: the calls tell enough.
    return JSON.stringify([
      role,
      calls.map(({ name, arguments: given }) => [name, given]),
      calls.length > 0 ? "" : words,
    ]);
  });
}

/** As it would be stored: long results cut, pictures named. */
function asStored({ role, content, tool_calls, tool_call_id }: Message | MessageInput) {
  const input: MessageInput = { role: asRole(role), content: content ?? null, tool_calls, tool_call_id };
  return trimMessage(input, "")?.message ?? input;
}

function asRole(role: string): MessageInput["role"] {
  return role === "user" || role === "assistant" || role === "tool" ? role : "system";
}

function plainWords(content: MessageInput["content"], role: string): string {
  const parts = typeof content === "string" ? content : content ? [...content] : null;
  // The place of a picture's file depends on the session, its name on the picture alone.
  const words = textOf({ content: parts }).replaceAll(/(\[(?:image|file): |the whole result is in )[^\s\]]*\//g, "$1");
  // A model's thoughts are stored apart; some clients keep them in their history, some do not.
  return (role === "assistant" ? withoutClosed(words, "<think>", "</think>") : words).trim();
}

/** A pattern for the same looks through all of the rest for every opening that nothing closes. */
function withoutClosed(text: string, opening: string, closing: string): string {
  const kept: string[] = [];
  let end = 0;
  for (let at = text.indexOf(opening); at >= 0; at = text.indexOf(opening, end)) {
    const close = text.indexOf(closing, at);
    if (close < 0) break;
    kept.push(text.slice(end, at));
    end = close + closing.length;
  }
  return kept.join("") + text.slice(end);
}

function readCall(call: unknown): Call[] {
  if (typeof call !== "object" || call === null) return [];
  const id = "id" in call && typeof call.id === "string" ? call.id : "";
  const asked = "function" in call && typeof call.function === "object" ? call.function : null;
  const name = asked && "name" in asked ? String(asked.name) : "";
  return [{ id, name, arguments: canonical(asked && "arguments" in asked ? asked.arguments : "") }];
}

/** Arguments without what may differ in writing: the order of their names, and spaces. */
function canonical(given: unknown): string {
  const value = typeof given === "string" ? parseArguments(given) : given;
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === "object" && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : each,
  );
}

function parseArguments(text: string): unknown {
  if (text.trim() === "") return {};
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}
