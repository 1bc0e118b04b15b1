import { z } from "zod";
import type { Addition, Wire } from "../wire.ts";
import { readChatAnswer, readChatFailure, writeChatAnswer, writeOpenAiFailure } from "./chat-answer.ts";
import { createChatReader, createChatWriter } from "./chat-stream.ts";
import { bearerHeaders, findUntranslatable } from "../openai.ts";
import { readChatRequest } from "./read-chat-request.ts";
import { writeChatRequest } from "./write-chat-request.ts";

/** OpenAI's chat completions, which nearly every provider speaks. */
export const chatWire: Wire = {
  name: "chat",
  path: "/chat/completions",
  idPrefix: "chatcmpl-",
  keepsAnswers: false,
  tellsFailures: false,
  keyHeaders: bearerHeaders,
  findUntranslatable,
  readRequest: readChatRequest,
  writeRequest: writeChatRequest,
  addMemory,
  readAnswer: readChatAnswer,
  writeAnswer: writeChatAnswer,
  readFailure: readChatFailure,
  writeFailure: writeOpenAiFailure,
  createReader: createChatReader,
  createWriter: createChatWriter,
};

const Content = z.union([z.string(), z.array(z.unknown())]).nullish();
const Messages = z.looseObject({ messages: z.array(z.looseObject({ role: z.string(), content: Content })) });
type Content = z.infer<typeof Content>;

/** Memory stands behind the caller's own instructions, or as one of ours; what is recalled before the newest words. */
function addMemory(body: Readonly<Record<string, unknown>>, { section, recalled }: Addition): Record<string, unknown> {
  const { messages } = Messages.parse(body);
  const [first] = messages;
  if (section !== "" && (first?.role === "system" || first?.role === "developer")) {
    messages[0] = { ...first, content: joinPrompt(first.content, section) };
  } else if (section !== "") messages.unshift({ role: "system", content: section });
  const at = messages.findLastIndex(({ role }) => role === "user");
  const last = messages[at];
  if (recalled !== undefined && last) messages[at] = { ...last, content: putBefore(recalled, last.content) };
  return { ...body, messages };
}

function joinPrompt(content: Content, section: string): Content {
  if (Array.isArray(content)) return [...content, { type: "text", text: section }];
  return content ? `${content}\n\n---\n\n${section}` : section;
}

function putBefore(recalled: string, content: Content): Content {
  return Array.isArray(content) ? [{ type: "text", text: recalled }, ...content] : `${recalled}\n\n${content ?? ""}`;
}
