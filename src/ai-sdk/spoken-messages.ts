import { z } from "zod";
import type { MessageInput } from "../session/message.ts";
import { isLookedUp } from "./is-looked-up.ts";

const Text = z.looseObject({ type: z.literal("text"), text: z.string() });
const Call = z.looseObject({
  type: z.literal("tool-call"),
  toolCallId: z.string(),
  toolName: z.string(),
  input: z.unknown().optional(),
  providerExecuted: z.boolean().nullish(),
});
const Result = z.looseObject({
  type: z.literal("tool-result"),
  toolCallId: z.string(),
  toolName: z.string(),
  output: z.looseObject({ type: z.string(), value: z.unknown().optional(), reason: z.string().nullish() }),
});
const Bytes = z.union([z.string(), z.instanceof(Uint8Array)]);
const File = z.looseObject({
  type: z.literal("file"),
  mediaType: z.string(),
  filename: z.string().nullish(),
  // Models of version 4 name what the data is; those before give it as it is.
  data: z.union([
    Bytes,
    z.instanceof(URL),
    z.looseObject({
      type: z.string(),
      data: Bytes.optional(),
      url: z.union([z.string(), z.instanceof(URL)]).optional(),
      text: z.string().optional(),
    }),
  ]),
});
const PromptMessage = z.looseObject({ role: z.string(), content: z.union([z.string(), z.array(z.unknown())]) });

/** What was said, as sessions keep it; the caller's own instructions are not part of it. Prompts of any version. */
export function spokenMessages(prompt: readonly unknown[]): MessageInput[] {
  return prompt.flatMap((given) => {
    const message = PromptMessage.safeParse(given).data;
    if (message === undefined || message.role === "system") return [];
    const parts = typeof message.content === "string" ? [{ type: "text", text: message.content }] : message.content;
    if (message.role === "user") return [{ role: "user", content: userContent(parts) }];
    if (message.role === "assistant") return [assistantMessage(parts)];
    return parts.flatMap((part) => toolMessage(part));
  });
}

/** An answer of the model, as sessions keep it. What a provider ran by itself is its own affair, and comes from outside. */
export function assistantMessage(parts: readonly unknown[]): MessageInput {
  const text = parts.map((part) => Text.safeParse(part).data?.text ?? "").join("");
  const calls = parts.flatMap((part) => {
    const call = Call.safeParse(part).data;
    if (call === undefined || call.providerExecuted) return [];
    const { toolCallId: id, toolName: name, input } = call;
    const given = typeof input === "string" ? input : JSON.stringify(input ?? {});
    return [{ id, type: "function", function: { name, arguments: given } }];
  });
  return {
    role: "assistant",
    content: text === "" ? null : text,
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
    ...(parts.some((part) => isLookedUp(part)) ? { origin: "untrusted" } : {}),
  };
}

function toolMessage(part: unknown): MessageInput[] {
  const result = Result.safeParse(part).data;
  if (result === undefined) return [];
  const { toolCallId, toolName, output } = result;
  const content =
    output.type === "execution-denied"
      ? `Not run: ${output.reason ?? "it was not allowed"}`
      : typeof output.value === "string" && output.type !== "json"
        ? output.value
        : JSON.stringify(output.value);
  return [{ role: "tool", content, tool_call_id: toolCallId, name: toolName }];
}

function userContent(parts: readonly unknown[]): MessageInput["content"] {
  const texts = parts.flatMap((part) => Text.safeParse(part).data?.text ?? []);
  if (texts.length === parts.length) return texts.join("\n");
  return parts.flatMap((part) => {
    const text = Text.safeParse(part).data?.text;
    if (text !== undefined) return [{ type: "text", text }];
    const file = File.safeParse(part).data;
    return file === undefined ? [] : [filePart(file)];
  });
}

function filePart({ data, mediaType, filename }: z.infer<typeof File>): unknown {
  const type = mediaType.includes("/") && !mediaType.endsWith("/*") ? mediaType : `${mediaType.split("/")[0]}/bin`;
  const isNamed = typeof data === "object" && !(data instanceof URL) && !(data instanceof Uint8Array);
  const given = isNamed ? (data.url ?? data.data) : data;
  if (given === undefined)
    return { type: "text", text: (isNamed ? data.text : undefined) ?? `[file: ${filename ?? type}]` };
  const isAddress = given instanceof URL || (typeof given === "string" && /^(?:https?|data):/i.test(given));
  if (isAddress) return { type: "image_url", image_url: { url: String(given) } };
  const base64 = typeof given === "string" ? given : Buffer.from(given).toString("base64");
  return { type: "image_url", image_url: { url: `data:${type};base64,${base64}` } };
}
