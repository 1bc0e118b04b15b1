import { z } from "zod";
import { readOpenAiFailure, writeOpenAiFailure } from "../chat/chat-answer.ts";
import type { Addition, Wire } from "../wire.ts";
import { bearerHeaders, findUntranslatable } from "../openai.ts";
import { readResponsesRequest } from "./read-responses-request.ts";
import { createResponsesReader } from "./responses-reader.ts";
import { failureOf, readResponsesAnswer, writeResponsesAnswer } from "./responses-answer.ts";
import { writeResponsesRequest } from "./write-responses-request.ts";
import { createResponsesWriter } from "./responses-writer.ts";

/** OpenAI's responses. */
export const responsesWire: Wire = {
  name: "responses",
  path: "/responses",
  idPrefix: "resp_",
  keepsAnswers: true,
  tellsFailures: true,
  keyHeaders: bearerHeaders,
  findUntranslatable,
  readRequest: readResponsesRequest,
  writeRequest: writeResponsesRequest,
  addMemory,
  readAnswer: readResponsesAnswer,
  writeAnswer: writeResponsesAnswer,
  readFailure: (body) => failureOf(body) ?? readOpenAiFailure(body),
  writeFailure: writeOpenAiFailure,
  createReader: createResponsesReader,
  createWriter: createResponsesWriter,
};

const Content = z.union([z.string(), z.array(z.unknown())]).nullish();
const Input = z.looseObject({
  instructions: z.string().nullish(),
  input: z.union([z.string(), z.array(z.looseObject({ role: z.string().nullish(), content: Content }))]).nullish(),
});

/** Memory stands behind the caller's own instructions; what is recalled before the newest words. */
function addMemory(body: Readonly<Record<string, unknown>>, { section, recalled }: Addition): Record<string, unknown> {
  const { instructions, input } = Input.parse(body);
  const added: Record<string, unknown> = { ...body };
  const items = Array.isArray(input) ? [...input] : undefined;
  const lead = items ? items.findIndex(({ role }) => role !== "developer" && role !== "system") : 0;
  if (section !== "" && !instructions && items && lead !== 0) {
    // The caller's instructions are the first messages: ours stands behind them.
    items.splice(lead < 0 ? items.length : lead, 0, {
      type: "message",
      role: "developer",
      content: [inputText(section)],
    });
  } else if (section !== "") added["instructions"] = instructions ? `${instructions}\n\n---\n\n${section}` : section;
  if (recalled !== undefined && typeof input === "string") added["input"] = `${recalled}\n\n${input}`;
  const at = items?.findLastIndex(({ role }) => role === "user") ?? -1;
  const last = items?.[at];
  if (recalled !== undefined && items && last) {
    const content = Array.isArray(last.content) ? last.content : [inputText(last.content ?? "")];
    items[at] = { ...last, content: [inputText(recalled), ...content] };
  }
  return items ? { ...added, input: items } : added;
}

function inputText(text: string): object {
  return { type: "input_text", text };
}
