import type {
  LanguageModelV4Content,
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4TextPart,
  LanguageModelV4ToolResultPart,
} from "@ai-sdk/provider";
import type { MessageInput } from "../session/message.ts";

/** What was said, as sessions keep it; the caller's own instructions are not part of it. */
export function spokenMessages(prompt: LanguageModelV4Prompt): MessageInput[] {
  return prompt.flatMap((message) => toMessages(message));
}

function toMessages(message: LanguageModelV4Message): MessageInput[] {
  if (message.role === "system") return [];
  if (message.role === "user") return [{ role: "user", content: userContent(message.content) }];
  if (message.role === "assistant") return [assistantMessage(message.content)];
  return message.content.flatMap((part) => (part.type === "tool-result" ? [toolMessage(part)] : []));
}

/** An answer of the model, as sessions keep it. What a provider ran by itself is its own affair. */
export function assistantMessage(parts: readonly AnswerPart[]): MessageInput {
  const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  const calls = parts.flatMap((part) => {
    if (part.type !== "tool-call" || part.providerExecuted) return [];
    const { toolCallId: id, toolName: name, input } = part;
    return [
      {
        id,
        type: "function",
        function: { name, arguments: typeof input === "string" ? input : JSON.stringify(input) },
      },
    ];
  });
  return { role: "assistant", content: text === "" ? null : text, ...(calls.length > 0 ? { tool_calls: calls } : {}) };
}

/** A part of an answer, as it comes from a model or as it goes back to one. */
export type AnswerPart =
  | LanguageModelV4Content
  | Extract<LanguageModelV4Message, { role: "assistant" }>["content"][number];

function toolMessage({ toolCallId, toolName, output }: LanguageModelV4ToolResultPart): MessageInput {
  const content =
    output.type === "text" || output.type === "error-text"
      ? output.value
      : output.type === "execution-denied"
        ? `Not run: ${output.reason ?? "it was not allowed"}`
        : JSON.stringify(output.value);
  return { role: "tool", content, tool_call_id: toolCallId, name: toolName };
}

function userContent(parts: readonly (LanguageModelV4TextPart | LanguageModelV4FilePart)[]): MessageInput["content"] {
  const texts = parts.filter((part) => part.type === "text");
  if (texts.length === parts.length) return texts.map(({ text }) => text).join("\n");
  return parts.map((part) => (part.type === "text" ? { type: "text", text: part.text } : filePart(part)));
}

function filePart({ data, mediaType, filename }: LanguageModelV4FilePart): unknown {
  const type = mediaType.includes("/") && !mediaType.endsWith("/*") ? mediaType : `${mediaType.split("/")[0]}/bin`;
  if (data.type === "url") return { type: "image_url", image_url: { url: String(data.url) } };
  if (data.type === "data") {
    const base64 = typeof data.data === "string" ? data.data : Buffer.from(data.data).toString("base64");
    return { type: "image_url", image_url: { url: `data:${type};base64,${base64}` } };
  }
  return { type: "text", text: data.type === "text" ? data.text : `[file: ${filename ?? type}]` };
}
