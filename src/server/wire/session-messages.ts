import type { MessageInput } from "../../session/message.ts";
import type { Conversation, Part, SaidPart, Turn } from "./conversation.ts";

/** What was said, as sessions keep it; a client's own instructions are not part of it. */
export function spokenMessages({ turns }: Conversation): MessageInput[] {
  return turns.flatMap((turn) => toMessage(turn));
}

function toMessage(turn: Turn): MessageInput[] {
  if (turn.role === "system") return [];
  if (turn.role === "assistant") return [{ ...answerMessage(turn.parts), ...originOf(turn) }];
  const content = toContent(turn.parts);
  const known = {
    ...(turn.name === undefined ? {} : { name: turn.name }),
    ...originOf(turn),
  };
  if (turn.role === "user") return [{ role: "user", content, ...known }];
  return [{ role: "tool", content, ...known, ...(turn.callId === "" ? {} : { tool_call_id: turn.callId }) }];
}

function originOf({ origin }: { origin?: "untrusted" | undefined }): Pick<MessageInput, "origin"> {
  return origin === undefined ? {} : { origin };
}

/** An answer, as sessions keep it. */
export function answerMessage(parts: readonly SaidPart[]): MessageInput {
  const texts = parts.flatMap((part) => (part.type === "text" || part.type === "refusal" ? [part.text] : []));
  const calls = parts.flatMap((part) => {
    if (part.type !== "call") return [];
    // A tool that takes any text is kept like one that takes it as its only argument.
    const text = part.isCustom ? JSON.stringify({ input: part.arguments }) : part.arguments;
    return [{ id: part.id, type: "function", function: { name: part.name, arguments: text } }];
  });
  const content = texts.length > 1 ? texts.map((text) => ({ type: "text", text })) : (texts[0] ?? null);
  return { role: "assistant", content, ...(calls.length > 0 ? { tool_calls: calls } : {}) };
}

function toContent(parts: readonly Part[]): MessageInput["content"] {
  const [first] = parts;
  if (parts.length === 0) return "";
  if (parts.length === 1 && first?.type === "text") return first.text;
  return parts.map((part) => {
    if (part.type === "text") return { type: "text", text: part.text };
    if (part.type === "audio") return { type: "input_audio", input_audio: { data: part.data, format: part.format } };
    const url = part.url ?? `file:${part.fileId ?? ""}`;
    if (part.type === "image") return { type: "image_url", image_url: { url } };
    return { type: "file", file: { file_data: url, ...(part.name === undefined ? {} : { filename: part.name }) } };
  });
}
