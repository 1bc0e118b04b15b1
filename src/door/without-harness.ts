import { takeOutHarness } from "../language/take-out-harness.ts";
import type { MessageInput } from "../session/message.ts";

/** A message with what is the speaker's own apart from what the program around the model put beside it. */
interface Split {
  /** Undefined where nothing of it is the speaker's own. */
  own: MessageInput | undefined;
  added: string;
}

/** Takes apart what a message says and what was added to it. */
function splitHarness(message: MessageInput): Split {
  if (message.role !== "user") return { own: message.role === "tool" ? withoutTail(message) : message, added: "" };
  const { content } = message;
  if (typeof content === "string") return splitText(message, content);
  if (!Array.isArray(content)) return { own: message, added: "" };
  const added: string[] = [];
  const kept = content.flatMap((part: unknown): unknown[] => {
    const text = textOfPart(part);
    if (text === undefined) return [part];
    const split = takeOutHarness(text);
    if (split.added !== "") added.push(split.added);
    if (split.own === "" && split.added !== "") return [];
    return [typeof part === "object" ? { ...part, text: split.added === "" ? text : split.own } : split.own];
  });
  const [first] = kept;
  const words = kept.length === 1 ? textOfPart(first) : undefined;
  return { own: kept.length === 0 ? undefined : { ...message, content: words ?? kept }, added: added.join("\n") };
}

function splitText(message: MessageInput, text: string): Split {
  const { own, added } = takeOutHarness(text);
  if (added === "") return { own: message, added };
  return { own: own === "" ? undefined : { ...message, content: own }, added };
}

/** Reminders that a program hangs behind what a tool returned. */
function withoutTail(message: MessageInput): MessageInput {
  const { content } = message;
  if (typeof content === "string") return { ...message, content: cutTail(content) };
  if (!Array.isArray(content)) return message;
  const kept = content.flatMap((part: unknown): unknown[] => {
    const text = textOfPart(part);
    if (text === undefined || typeof part !== "object") return [part];
    const cut = cutTail(text);
    return cut === "" && text !== "" ? [] : [{ ...part, text: cut }];
  });
  const [first] = kept;
  return { ...message, content: (kept.length === 1 ? textOfPart(first) : undefined) ?? kept };
}

const OPEN = "<system-reminder>";
const CLOSE = "</system-reminder>";

/** From the end backwards: a pattern for the same tries every space of a long result as its beginning. */
function cutTail(text: string): string {
  let kept = text;
  for (let rest = text.trimEnd(); rest.endsWith(CLOSE); rest = kept) {
    const from = rest.lastIndexOf(OPEN);
    if (from < 0) break;
    kept = rest.slice(0, from).trimEnd();
  }
  return kept;
}

function textOfPart(part: unknown): string | undefined {
  if (typeof part === "string") return part;
  if (typeof part !== "object" || part === null || !("text" in part)) return undefined;
  return typeof part.text === "string" ? part.text : undefined;
}

/** What was said, each message with what was added to it in a field of its own; what is only added goes with the next. */
export function withoutHarness(messages: readonly MessageInput[]): MessageInput[] {
  const kept: MessageInput[] = [];
  let waiting: string[] = [];
  let isNobodys = false;
  for (const message of messages) {
    const { own, added } = splitHarness(message);
    if (added !== "") waiting.push(added);
    if (message.role === "user") isNobodys = own === undefined;
    // The answer to what nobody said is as little a part of the conversation.
    const isStock = isNobodys && message.role === "assistant" && !message.tool_calls?.length;
    if (own === undefined || isStock) continue;
    const context = own.role === "user" && waiting.length > 0 ? { context: waiting.join("\n") } : {};
    if (own.role === "user") waiting = [];
    kept.push({ ...own, ...context });
  }
  return kept;
}
