import { hasCalls, textOf } from "./message.ts";
import type { Message, MessageInput } from "./message.ts";
import { trimMessage } from "./trim-message.ts";

// How much of a session is compared, beyond the length of what the client sent.
const MORE_STORED = 50;

/**
 * What of a client's conversation the session does not hold yet. Clients send everything again with each request, or
 * only the newest part, or drop and edit some: what follows the last message that is known is new. A client that sends
 * no answer of the model's keeps no history, so that the same words said again are new words.
 */
export function newMessages(stored: readonly Message[], sent: readonly MessageInput[]): MessageInput[] {
  const tail = stored.slice(-(sent.length + MORE_STORED)).map(fingerprint);
  const wanted = sent.map((message) => fingerprint(asStored(message)));
  const known = endOfContinuation(tail, wanted);
  if (known > 0) return sent.slice(known);
  if (!sent.some(({ role }) => role === "assistant")) return [...sent];
  return sent.slice(endOfLastMatch(tail, wanted));
}

/** The longest beginning of what was sent that is the end of what is stored. */
function endOfContinuation(tail: readonly string[], wanted: readonly string[]): number {
  for (let length = Math.min(tail.length, wanted.length); length > 0; length--) {
    const start = tail.length - length;
    if (wanted.slice(0, length).every((print, index) => print === tail[start + index])) return length;
  }
  return 0;
}

/** Behind the last message that both hold in the same order: a longest common subsequence, read from its end. */
function endOfLastMatch(tail: readonly string[], wanted: readonly string[]): number {
  let row: Match[] = [];
  for (const [index, print] of wanted.entries()) {
    const next: Match[] = [NONE];
    for (const [column, other] of tail.entries()) {
      const above = row[column + 1] ?? NONE;
      const before = next[column] ?? NONE;
      const best = before.length > above.length ? before : above;
      const diagonal = (row[column] ?? NONE).length + 1;
      next.push(print === other && diagonal >= best.length ? { length: diagonal, end: index + 1 } : best);
    }
    row = next;
  }
  return (row.at(-1) ?? NONE).end;
}

interface Match {
  length: number;
  end: number;
}

const NONE: Match = { length: 0, end: 0 };

/** As it would be stored: long results cut, pictures named. */
function asStored(message: MessageInput): Pick<Message, "role" | "content" | "tool_calls" | "tool_call_id"> {
  const { content, ...rest } = trimMessage(message, "")?.message ?? message;
  return {
    role: rest.role,
    content: typeof content === "string" ? content : content && [...content],
    tool_calls: toCalls(rest.tool_calls),
    tool_call_id: rest.tool_call_id,
  };
}

function toCalls(calls: MessageInput["tool_calls"]): Message["tool_calls"] {
  return calls?.flatMap((call) => {
    if (typeof call !== "object" || call === null || !("id" in call)) return [];
    return typeof call.id === "string" ? [{ id: call.id }] : [];
  });
}

/** What makes a message the same one: who, the words, and which calls; not how a client wraps them. */
function fingerprint(message: Pick<Message, "role" | "content" | "tool_calls" | "tool_call_id">): string {
  // The place of a picture's file depends on the session, its name on the picture alone.
  const words = textOf(message)
    .replaceAll(/(\[(?:image|file): |the whole result is in )[^\s\]]*\//g, "$1")
    // Thoughts are stored apart; some clients keep them in their history, some do not.
    .replaceAll(/<think>[\s\S]*?<\/think>/g, "")
    .trim();
  const calls = hasCalls({ ...message, role: message.role }) ? (message.tool_calls ?? []).map(({ id }) => id) : [];
  return JSON.stringify([message.role, message.tool_call_id ?? "", calls, words]);
}
