import { z } from "zod";
import type { MessageInput } from "../session/message.ts";
import { resultText, toolCall } from "./start-talk.ts";
import type { ToolCall } from "./start-talk.ts";

const Text = z.looseObject({
  type: z.enum(["text", "input_text", "output_text", "Text"]),
  text: z.string(),
});
const Image = z.looseObject({ type: z.enum(["image", "image_url", "input_image", "imageUrl"]) });
/** Anthropic's and OpenClaw's names for the same. */
const Call = z.union([
  z.looseObject({ type: z.literal("tool_use"), id: z.string(), name: z.string(), input: z.unknown().optional() }),
  z
    .looseObject({ type: z.literal("toolCall"), id: z.string(), name: z.string(), arguments: z.unknown().optional() })
    .transform(({ id, name, arguments: input }) => ({ id, name, input })),
]);
const Result = z.looseObject({
  type: z.literal("tool_result"),
  tool_use_id: z.string(),
  name: z.string().optional().catch(undefined),
  content: z.unknown().optional(),
});

/** What the blocks of one message say. */
export interface ReadBlocks {
  text: string;
  images: unknown[];
  calls: ToolCall[];
  results: { id: string; name: string | undefined; text: string }[];
}

/** Reads a message's content: plain text, or the blocks of Anthropic's and OpenAI's APIs and OpenClaw. Thoughts are left out. */
export function readBlocks(content: unknown): ReadBlocks {
  const read: ReadBlocks = { text: "", images: [], calls: [], results: [] };
  if (typeof content === "string") return { ...read, text: content };
  const texts: string[] = [];
  for (const block of Array.isArray(content) ? content : []) {
    const text = Text.safeParse(block).data?.text;
    const call = Call.safeParse(block).data;
    const result = Result.safeParse(block).data;
    if (text !== undefined) texts.push(text);
    if (call) read.calls.push(toolCall(call.id, call.name, call.input));
    if (result) read.results.push({ id: result.tool_use_id, name: result.name, text: resultText(result.content) });
    if (Image.safeParse(block).success) read.images.push(block);
  }
  return { ...read, text: texts.join("\n") };
}

/** The content of a user's message: text alone where there is nothing else. */
export function userContent({ text, images }: Pick<ReadBlocks, "text" | "images">): MessageInput["content"] {
  return images.length === 0 ? text : [...(text === "" ? [] : [{ type: "text", text }]), ...images];
}

/** Whether a user said or showed anything. */
export function hasWords({ text, images }: Pick<ReadBlocks, "text" | "images">): boolean {
  return text.trim() !== "" || images.length > 0;
}
