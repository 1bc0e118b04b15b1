import { z } from "zod";
import type { Answer, AnswerUsage, Failure, Finish, SaidPart } from "../conversation.ts";
import type { AnswerContext } from "../wire.ts";
import { lenientArguments, lenientList, lenientText } from "../lenient-fields.ts";
import { writeSaid } from "./write-chat-request.ts";

/** What a provider counted, as this wire tells it. */
export const ChatUsage = z
  .looseObject({
    prompt_tokens: z.number().catch(0),
    completion_tokens: z.number().catch(0),
    prompt_tokens_details: z
      .looseObject({ cached_tokens: z.number().catch(0) })
      .nullish()
      .catch(undefined),
  })
  .nullish()
  .catch(undefined);

const Choice = z.looseObject({
  message: z.looseObject({
    content: z.unknown().optional(),
    refusal: lenientText,
    reasoning_content: lenientText,
    reasoning: lenientText,
    tool_calls: lenientList(
      z.looseObject({
        id: lenientText,
        function: z.looseObject({ name: z.string(), arguments: lenientArguments }).nullish().catch(undefined),
        custom: z.looseObject({ name: z.string(), input: z.string() }).nullish().catch(undefined),
      }),
    )
      .nullish()
      .catch(undefined),
  }),
  finish_reason: lenientText,
});
const Completion = z.looseObject({ id: lenientText, choices: z.array(Choice).min(1), usage: ChatUsage });

/** Reads a chat completion: its first choice. */
export function readChatAnswer(body: unknown): Answer | undefined {
  const completion = Completion.safeParse(body).data;
  const choice = completion?.choices[0];
  if (completion === undefined || choice === undefined || readChoiceFailure(choice)) return undefined;
  const { content, refusal, reasoning_content, reasoning, tool_calls } = choice.message;
  const parts: SaidPart[] = [];
  const thoughts = reasoning_content ?? reasoning;
  if (thoughts) parts.push({ type: "reasoning", text: thoughts });
  parts.push(...readContent(content));
  if (refusal) parts.push({ type: "refusal", text: refusal });
  for (const { id, function: asked, custom } of tool_calls ?? []) {
    if (custom) parts.push({ type: "call", id: id ?? "", name: custom.name, arguments: custom.input, isCustom: true });
    if (asked) parts.push({ type: "call", id: id ?? "", name: asked.name, arguments: asked.arguments ?? "" });
  }
  const finish = readFinish(choice.finish_reason ?? "stop");
  return { id: completion.id ?? undefined, parts, finish, usage: readChatUsage(completion.usage) };
}

const ContentPart = z.looseObject({ type: lenientText, text: lenientText, thinking: z.unknown().optional() });

/** What the content of an answer says, or of a piece of one: text, or a list of parts, thoughts among them. */
export function readContent(content: unknown): { type: "text" | "reasoning"; text: string }[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  if (!Array.isArray(content)) return [];
  return content.flatMap((given: unknown) => {
    if (typeof given === "string") return readContent(given);
    const { type, text, thinking } = ContentPart.safeParse(given).data ?? {};
    const isThought = type === "thinking" || type === "reasoning";
    return readContent(isThought ? (thinking ?? text) : text).map((part) =>
      isThought ? { ...part, type: "reasoning" as const } : part,
    );
  });
}

const Failing = z.looseObject({ finish_reason: lenientText, error: z.unknown().optional() });
// An answer that ends so is none, whatever was said before.
const FAILED = /^(?:.*error|abort|insufficient_system_resource)$/;

/** Why a choice is no answer, where it says so. */
export function readChoiceFailure(choice: unknown): Omit<Failure, "status"> | undefined {
  const { finish_reason: reason, error } = Failing.safeParse(choice).data ?? {};
  const known = readOpenAiFailure({ error });
  if (known) return known;
  return FAILED.test(reason ?? "")
    ? { message: `The model's answer broke off: it ended with ${reason}`, code: null }
    : undefined;
}

/** Reads why there is no answer: from an error in its place, or from the answer itself. */
export function readChatFailure(body: unknown): Omit<Failure, "status"> | undefined {
  const { choices } = z.looseObject({ choices: z.array(z.unknown()).catch([]) }).safeParse(body).data ?? {};
  return readOpenAiFailure(body) ?? readChoiceFailure(choices?.[0]);
}

/** Why a completion ended; some providers say "stop" where they call tools. */
export function readFinish(reason: string): Finish {
  if (reason === "length" || reason === "content_filter") return reason;
  return reason === "tool_calls" || reason === "function_call" ? "tool_calls" : "stop";
}

/** The same in this wire's words. */
export function writeFinish(finish: Finish): string {
  return finish === "stop_sequence" ? "stop" : finish;
}

/** Reads what a provider counted. */
export function readChatUsage(usage: z.infer<typeof ChatUsage>): AnswerUsage | undefined {
  if (!usage) return undefined;
  return {
    inputTokens: usage.prompt_tokens,
    outputTokens: usage.completion_tokens,
    cachedTokens: usage.prompt_tokens_details?.cached_tokens ?? 0,
  };
}

/** Writes it. */
export function writeChatUsage({ inputTokens, outputTokens, cachedTokens }: AnswerUsage): unknown {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: cachedTokens },
  };
}

/** A whole chat completion. */
export function writeChatAnswer(answer: Answer, { id, model, created }: AnswerContext): unknown {
  const message = { role: "assistant", refusal: null, ...writeSaid(answer.parts) };
  return {
    id,
    object: "chat.completion",
    created,
    model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: writeFinish(answer.finish) }],
    ...(answer.usage ? { usage: writeChatUsage(answer.usage) } : {}),
  };
}

const FailureBody = z.looseObject({
  error: z.union([
    z.string().min(1),
    z.looseObject({
      message: lenientText,
      code: z.union([z.string(), z.number()]).nullish().catch(undefined),
      type: lenientText,
      param: lenientText,
    }),
  ]),
});

/** Reads a failure in OpenAI's form. */
export function readOpenAiFailure(body: unknown): Omit<Failure, "status"> | undefined {
  const error = FailureBody.safeParse(body).data?.error;
  if (error === undefined) return undefined;
  if (typeof error === "string") return { message: error, code: null };
  const { message, param } = error;
  const code = error.code ?? error.type;
  // Some send an empty one with each answer.
  if (!message && !code) return undefined;
  return { message: message || `The provider failed: ${code}`, code: code ? String(code) : null, param };
}

/** A failure in OpenAI's form. */
export function writeOpenAiFailure({ status, message, code, param = null }: Failure) {
  return { error: { message, type: typeFor(status, code), param, code } };
}

function typeFor(status: number, code: string | null): string {
  if (status === 401) return "authentication_error";
  if (status === 403) return "permission_error";
  if (status === 429) return code === "spend_capped" ? "insufficient_quota" : "rate_limit_error";
  return status < 500 ? "invalid_request_error" : "server_error";
}
