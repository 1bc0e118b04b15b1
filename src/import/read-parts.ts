import { z } from "zod";
import { resultText, toolCall } from "./start-talk.ts";
import type { ToolCall } from "./start-talk.ts";

const Part = z.looseObject({
  text: z.string().optional().catch(undefined),
  thought: z.unknown().optional(),
  inlineData: z.unknown().optional(),
  functionCall: z
    .looseObject({ id: z.string().optional().catch(undefined), name: z.string(), args: z.unknown().optional() })
    .optional()
    .catch(undefined),
  functionResponse: z
    .looseObject({ id: z.string().optional().catch(undefined), name: z.string(), response: z.unknown().optional() })
    .optional()
    .catch(undefined),
});

/** What the parts of one message of Gemini's API say. */
export interface ReadParts {
  text: string;
  images: unknown[];
  calls: ToolCall[];
  results: { id: string; name: string; text: string }[];
}

/** Reads a list of parts, one part, or plain text. Thoughts are left out. */
export function readParts(content: unknown): ReadParts {
  const read: ReadParts = { text: "", images: [], calls: [], results: [] };
  if (typeof content === "string") return { ...read, text: content };
  const texts: string[] = [];
  for (const each of Array.isArray(content) ? content : [content]) {
    const part = typeof each === "string" ? { text: each } : Part.safeParse(each).data;
    if (!part) continue;
    if (part.text !== undefined && !("thought" in part && part.thought)) texts.push(part.text);
    if ("inlineData" in part && part.inlineData) read.images.push({ type: "image", ...part.inlineData });
    const call = "functionCall" in part ? part.functionCall : undefined;
    if (call) read.calls.push(toolCall(call.id ?? call.name, call.name, call.args));
    const response = "functionResponse" in part ? part.functionResponse : undefined;
    if (response) {
      const { id, name } = response;
      read.results.push({ id: id ?? name, name, text: withoutFence(resultText(response.response)) });
    }
  }
  return { ...read, text: texts.join("\n") };
}

/** The program marks for the model what came from outside; here the role says so. */
function withoutFence(text: string): string {
  return text.replace(/^<untrusted_context>\n([\s\S]*)\n<\/untrusted_context>$/, "$1");
}
