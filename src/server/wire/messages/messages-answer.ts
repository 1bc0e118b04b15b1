import { z } from "zod";
import type { Answer, AnswerUsage, Failure, Finish, SaidPart } from "../conversation.ts";
import { readArguments } from "../read-arguments.ts";
import { lenientList, lenientText } from "../lenient-fields.ts";
import type { AnswerContext } from "../wire.ts";
import { OWN_SEAL, readSeal } from "./own-seal.ts";

const count = z.number().nullish().catch(undefined);

/** What a provider counted, as this wire tells it: what was cached is counted apart. */
export const MessagesUsage = z
  .looseObject({
    input_tokens: count,
    output_tokens: count,
    cache_read_input_tokens: count,
    cache_creation_input_tokens: count,
  })
  .nullish()
  .catch(undefined);
export type MessagesUsage = z.infer<typeof MessagesUsage>;

const MessageBody = z.looseObject({
  id: lenientText,
  type: z.literal("message"),
  content: lenientList(
    z.looseObject({
      type: z.string(),
      text: lenientText,
      thinking: lenientText,
      signature: lenientText,
      data: lenientText,
      id: lenientText,
      name: lenientText,
      input: z.unknown().optional(),
    }),
  ),
  stop_reason: lenientText,
  stop_sequence: lenientText,
  usage: MessagesUsage,
});

/** Reads a message. */
export function readMessagesAnswer(body: unknown): Answer | undefined {
  const message = MessageBody.safeParse(body).data;
  if (message === undefined) return undefined;
  const parts = message.content.flatMap((block): SaidPart[] => {
    if (block.type === "text") return block.text ? [{ type: "text", text: block.text }] : [];
    if (block.type === "thinking") {
      return [{ type: "reasoning", text: block.thinking ?? "", signature: readSeal(block.signature) }];
    }
    if (block.type === "redacted_thinking")
      return [{ type: "reasoning", text: "", signature: block.data ?? undefined }];
    if (block.type !== "tool_use") return [];
    return [{ type: "call", id: block.id ?? "", name: block.name ?? "", arguments: JSON.stringify(block.input ?? {}) }];
  });
  return {
    id: message.id ?? undefined,
    parts,
    finish: readStop(message.stop_reason),
    stopSequence: message.stop_sequence ?? undefined,
    usage: readMessagesUsage(message.usage),
  };
}

const STOPS: Readonly<Record<string, Finish>> = {
  end_turn: "stop",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  stop_sequence: "stop_sequence",
  tool_use: "tool_calls",
  refusal: "content_filter",
};

/** Why a message ended. */
export function readStop(reason: string | null | undefined): Finish {
  return STOPS[reason ?? ""] ?? "stop";
}

/** The same in this wire's words. */
export function writeStop(finish: Finish): string {
  if (finish === "length") return "max_tokens";
  if (finish === "tool_calls") return "tool_use";
  if (finish === "content_filter") return "refusal";
  return finish === "stop_sequence" ? finish : "end_turn";
}

/** Reads what a provider counted. */
export function readMessagesUsage(usage: MessagesUsage): AnswerUsage | undefined {
  if (!usage) return undefined;
  const cachedTokens = usage.cache_read_input_tokens ?? 0;
  return {
    inputTokens: (usage.input_tokens ?? 0) + cachedTokens + (usage.cache_creation_input_tokens ?? 0),
    outputTokens: usage.output_tokens ?? 0,
    cachedTokens,
  };
}

/** Writes it. */
export function writeMessagesUsage(usage: AnswerUsage | undefined): object {
  const { inputTokens, outputTokens, cachedTokens } = usage ?? { inputTokens: 0, outputTokens: 0, cachedTokens: 0 };
  return {
    input_tokens: inputTokens - cachedTokens,
    output_tokens: outputTokens,
    cache_read_input_tokens: cachedTokens,
    cache_creation_input_tokens: 0,
  };
}

/** A whole message. */
export function writeMessagesAnswer(answer: Answer, { id, model }: AnswerContext): unknown {
  return {
    id,
    type: "message",
    role: "assistant",
    model,
    content: answer.parts.map(writeBlock),
    stop_reason: writeStop(answer.finish),
    stop_sequence: answer.stopSequence ?? null,
    usage: writeMessagesUsage(answer.usage),
  };
}

function writeBlock(part: SaidPart): unknown {
  if (part.type === "text") return { type: "text", text: part.text, citations: null };
  if (part.type === "refusal") return { type: "text", text: part.text, citations: null };
  if (part.type === "call") {
    const input = part.isCustom ? { input: part.arguments } : readArguments(part.arguments);
    return { type: "tool_use", id: part.id, name: part.name, input };
  }
  const { text, signature } = part;
  return text === "" && signature
    ? { type: "redacted_thinking", data: signature }
    : { type: "thinking", thinking: text, signature: signature || OWN_SEAL };
}

const FailureBody = z.looseObject({ error: z.looseObject({ type: lenientText, message: z.string() }) });

/** Reads a failure in Anthropic's form. */
export function readMessagesFailure(body: unknown): Omit<Failure, "status"> | undefined {
  const error = FailureBody.safeParse(body).data?.error;
  return error && { message: error.message, code: error.type ?? null };
}

const FAILURES: Readonly<Record<number, string>> = {
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  504: "timeout_error",
  529: "overloaded_error",
};

/** A failure in Anthropic's form. */
export function writeMessagesFailure({ status, message }: Pick<Failure, "status" | "message">) {
  const type = FAILURES[status] ?? (status < 500 ? "invalid_request_error" : "api_error");
  return { type: "error", error: { type, message }, request_id: null };
}
