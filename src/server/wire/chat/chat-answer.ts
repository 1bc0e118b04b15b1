import { z } from "zod";
import type { Answer, AnswerUsage, Failure, Finish, SaidPart } from "../conversation.ts";
import type { AnswerContext } from "../wire.ts";
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

const Completion = z.looseObject({
  id: z.string().nullish().catch(undefined),
  choices: z
    .array(
      z.looseObject({
        message: z.looseObject({
          content: z.union([z.string(), z.array(z.looseObject({ text: z.string().nullish() }))]).nullish(),
          refusal: z.string().nullish().catch(undefined),
          reasoning_content: z.string().nullish().catch(undefined),
          reasoning: z.string().nullish().catch(undefined),
          tool_calls: z
            .array(
              z.looseObject({
                id: z.string().nullish(),
                function: z.looseObject({ name: z.string(), arguments: z.unknown() }).nullish(),
                custom: z.looseObject({ name: z.string(), input: z.string() }).nullish(),
              }),
            )
            .nullish(),
        }),
        finish_reason: z.string().nullish(),
      }),
    )
    .min(1),
  usage: ChatUsage,
});

/** Reads a chat completion: its first choice. */
export function readChatAnswer(body: unknown): Answer | undefined {
  const completion = Completion.safeParse(body).data;
  const choice = completion?.choices[0];
  if (completion === undefined || choice === undefined) return undefined;
  const { content, refusal, reasoning_content, reasoning, tool_calls } = choice.message;
  const parts: SaidPart[] = [];
  const thoughts = reasoning_content ?? reasoning;
  if (thoughts) parts.push({ type: "reasoning", text: thoughts });
  const texts = typeof content === "string" ? [content] : (content ?? []).map(({ text }) => text ?? "");
  for (const text of texts) if (text !== "") parts.push({ type: "text", text });
  if (refusal) parts.push({ type: "refusal", text: refusal });
  for (const { id, function: asked, custom } of tool_calls ?? []) {
    if (custom) parts.push({ type: "call", id: id ?? "", name: custom.name, arguments: custom.input, isCustom: true });
    if (!asked) continue;
    const given = asked.arguments ?? "";
    const text = typeof given === "string" ? given : JSON.stringify(given);
    parts.push({ type: "call", id: id ?? "", name: asked.name, arguments: text });
  }
  const finish = readFinish(choice.finish_reason ?? "stop");
  return { id: completion.id ?? undefined, parts, finish, usage: readChatUsage(completion.usage) };
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
    z.string(),
    z.looseObject({
      message: z.string(),
      code: z.union([z.string(), z.number()]).nullish(),
      type: z.string().nullish(),
      param: z.string().nullish().catch(undefined),
    }),
  ]),
});

/** Reads a failure in OpenAI's form. */
export function readOpenAiFailure(body: unknown): Omit<Failure, "status"> | undefined {
  const error = FailureBody.safeParse(body).data?.error;
  if (error === undefined) return undefined;
  if (typeof error === "string") return { message: error, code: null };
  const code = error.code ?? error.type;
  return {
    message: error.message,
    code: code === null || code === undefined ? null : String(code),
    param: error.param,
  };
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
