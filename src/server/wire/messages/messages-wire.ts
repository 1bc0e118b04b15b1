import { z } from "zod";
import type { CallerKey } from "../../caller-key.ts";
import type { Addition, Wire } from "../wire.ts";
import {
  readMessagesAnswer,
  readMessagesFailure,
  writeMessagesAnswer,
  writeMessagesFailure,
} from "./messages-answer.ts";
import { createMessagesReader, createMessagesWriter } from "./messages-stream.ts";
import { readMessagesRequest } from "./read-messages-request.ts";
import { writeMessagesRequest } from "./write-messages-request.ts";

/** Anthropic's messages. */
export const messagesWire: Wire = {
  name: "messages",
  path: "/messages",
  idPrefix: "msg_",
  keepsAnswers: false,
  tellsFailures: false,
  keyHeaders,
  // Whatever it has that others have not can be left out.
  findUntranslatable: () => undefined,
  readRequest: readMessagesRequest,
  writeRequest: writeMessagesRequest,
  addMemory,
  readAnswer: readMessagesAnswer,
  writeAnswer: writeMessagesAnswer,
  readFailure: readMessagesFailure,
  writeFailure: writeMessagesFailure,
  createReader: createMessagesReader,
  createWriter: createMessagesWriter,
};

const VERSION = { "anthropic-version": "2023-06-01" };

/** A client of this wire sends a key or a bearer token, and means it so; every other key is a key. */
function keyHeaders(key: string | undefined, given?: CallerKey["header"]): Record<string, string> {
  if (!key) return VERSION;
  return { ...VERSION, ...(given === "authorization" ? { authorization: `Bearer ${key}` } : { "x-api-key": key }) };
}

const Body = z.looseObject({
  system: z.union([z.string(), z.array(z.unknown())]).nullish(),
  messages: z.array(z.looseObject({ role: z.string(), content: z.union([z.string(), z.array(z.unknown())]) })),
});
const Result = z.looseObject({ type: z.literal("tool_result") });

/** Memory stands behind the caller's own instructions; what is recalled before the newest words. */
function addMemory(body: Readonly<Record<string, unknown>>, { section, recalled }: Addition): Record<string, unknown> {
  const { system, messages } = Body.parse(body);
  const added: Record<string, unknown> = { ...body };
  if (section !== "") {
    const own = typeof system === "string" && system !== "" ? [textBlock(system)] : Array.isArray(system) ? system : [];
    added["system"] = own.length === 0 ? section : [...own, textBlock(section)];
  }
  const at = messages.findLastIndex(({ role }) => role === "user");
  const last = messages[at];
  if (recalled === undefined || !last) return added;
  const blocks = typeof last.content === "string" ? [textBlock(last.content)] : last.content;
  // Results come first, or the provider refuses the message.
  const results = blocks.filter((block) => Result.safeParse(block).success);
  const rest = blocks.filter((block) => !results.includes(block));
  const content = [...results, textBlock(recalled), ...rest];
  return { ...added, messages: messages.with(at, { ...last, content }) };
}

function textBlock(text: string): object {
  return { type: "text", text };
}
