import { z } from "zod";
import type { MessageInput } from "../session/message.ts";

const Text = z.looseObject({ type: z.literal("text"), text: z.string() });
const Image = z.looseObject({ type: z.literal("image") });
/** Anthropic's and OpenClaw's names for the same. */
const Call = z.union([
  z.looseObject({ type: z.literal("tool_use"), id: z.string(), name: z.string(), input: z.unknown() }),
  z
    .looseObject({ type: z.literal("toolCall"), id: z.string(), name: z.string(), arguments: z.unknown() })
    .transform(({ id, name, arguments: input }) => ({ id, name, input })),
]);
const Result = z.looseObject({
  type: z.literal("tool_result"),
  tool_use_id: z.string(),
  content: z
    .union([z.string(), z.array(z.unknown())])
    .optional()
    .catch(undefined),
});

/** What the blocks of one message say. */
export interface ReadBlocks {
  text: string;
  images: unknown[];
  calls: { id: string; type: "function"; function: { name: string; arguments: string } }[];
  results: { id: string; text: string }[];
}

/** Reads a message's content: plain text, or the blocks that Anthropic's API and OpenClaw use. Thoughts are left out. */
export function readBlocks(content: unknown): ReadBlocks {
  const read: ReadBlocks = { text: "", images: [], calls: [], results: [] };
  if (typeof content === "string") return { ...read, text: content };
  const texts: string[] = [];
  for (const block of Array.isArray(content) ? content : []) {
    const text = Text.safeParse(block).data?.text;
    const call = Call.safeParse(block).data;
    const result = Result.safeParse(block).data;
    if (text !== undefined) texts.push(text);
    if (call)
      read.calls.push({
        id: call.id,
        type: "function",
        function: { name: call.name, arguments: JSON.stringify(call.input ?? {}) },
      });
    if (result) read.results.push({ id: result.tool_use_id, text: readBlocks(result.content).text });
    if (Image.safeParse(block).success) read.images.push(block);
  }
  return { ...read, text: texts.join("\n") };
}

/** The content of a user's message: text alone where there is nothing else. */
export function userContent({ text, images }: ReadBlocks): MessageInput["content"] {
  return images.length === 0 ? text : [...(text === "" ? [] : [{ type: "text", text }]), ...images];
}
