import type {
  JSONValue,
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4TextPart,
} from "@ai-sdk/provider";
import { z } from "zod";
import type { ModelMessage, ModelRequest } from "./model.ts";

const CACHE_BREAKPOINT = { anthropic: { cacheControl: { type: "ephemeral" } } } as const;

const WireCall = z.looseObject({
  id: z.string(),
  function: z.looseObject({ name: z.string(), arguments: z.unknown().optional() }),
});
const ImagePart = z.looseObject({ image_url: z.union([z.string(), z.looseObject({ url: z.string() })]) });
const TextPart = z.looseObject({ type: z.literal("text"), text: z.string() });

/**
 * Puts a request into the AI SDK's form. Providers that want cache breakpoints get one after each block of the system
 * prompt and one after the last message; the others get the system prompt in one piece.
 */
export function toPrompt(
  { system, messages }: Pick<ModelRequest, "system" | "messages">,
  hasBreakpoints: boolean,
): LanguageModelV4Message[] {
  const names = new Map(
    messages.flatMap((message) => parseCalls(message).map((call) => [call.id, call.function.name] as const)),
  );
  const filled = system.filter((block) => block !== "");
  const blocks = hasBreakpoints || filled.length === 0 ? filled : [filled.join("")];
  const prompt: LanguageModelV4Message[] = blocks.map((content) => ({ role: "system", content }));
  for (const message of messages) prompt.push(toPromptMessage(message, names));
  if (!hasBreakpoints) return prompt;
  return prompt.map((message, index) =>
    message.role === "system" || index === prompt.length - 1
      ? { ...message, providerOptions: CACHE_BREAKPOINT }
      : message,
  );
}

function toPromptMessage(message: ModelMessage, names: ReadonlyMap<string, string>): LanguageModelV4Message {
  if (message.role === "tool") {
    const toolCallId = message.tool_call_id ?? "";
    const toolName = names.get(toolCallId) ?? message.name ?? "unknown";
    return {
      role: "tool",
      content: [
        { type: "tool-result", toolCallId, toolName, output: { type: "text", value: plainText(message.content) } },
      ],
    };
  }
  if (message.role === "user") return { role: "user", content: userParts(message.content) };
  const text = plainText(message.content);
  const thought = message.reasoning ?? message.reasoning_content;
  return {
    role: "assistant",
    content: [
      ...(typeof thought === "string" && thought !== "" ? [{ type: "reasoning" as const, text: thought }] : []),
      ...(text === "" ? [] : [{ type: "text" as const, text }]),
      ...parseCalls(message).map((call) => ({
        type: "tool-call" as const,
        toolCallId: call.id,
        toolName: call.function.name,
        input: parseInput(call.function.arguments),
      })),
    ],
  };
}

function userParts(content: ModelMessage["content"]): (LanguageModelV4TextPart | LanguageModelV4FilePart)[] {
  if (!Array.isArray(content)) return [{ type: "text", text: plainText(content) }];
  return content.map((part: unknown) => {
    const image = ImagePart.safeParse(part).data?.image_url;
    if (image === undefined) return { type: "text", text: partText(part) };
    const url = new URL(typeof image === "string" ? image : image.url);
    return { type: "file", mediaType: "image/*", data: { type: "url", url } };
  });
}

function plainText(content: ModelMessage["content"]): string {
  if (typeof content === "string") return content;
  return (content ?? []).map((part) => partText(part)).join("\n");
}

function partText(part: unknown): string {
  if (typeof part === "string") return part;
  return TextPart.safeParse(part).data?.text ?? JSON.stringify(part);
}

function parseCalls(message: ModelMessage): z.infer<typeof WireCall>[] {
  return (message.tool_calls ?? []).flatMap((call) => WireCall.safeParse(call).data ?? []);
}

function parseInput(input: unknown): JSONValue {
  if (typeof input !== "string") return z.json().parse(input ?? {});
  try {
    return z.json().parse(JSON.parse(input));
  } catch (error) {
    // Broken arguments were the model's; it gets them back as it wrote them.
    if (error instanceof SyntaxError) return { arguments: input };
    throw error;
  }
}
