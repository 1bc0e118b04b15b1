import { z } from "zod";
import type { MessageInput } from "../session/message.ts";

const Usage = z
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
  choices: z
    .array(
      z.looseObject({
        message: z.looseObject({
          content: z.union([z.string(), z.array(z.unknown())]).nullish(),
          tool_calls: z.array(z.unknown()).nullish(),
        }),
      }),
    )
    .min(1),
  usage: Usage,
});

const CallDelta = z.looseObject({
  index: z.number().int().min(0).catch(0),
  id: z.string().nullish(),
  type: z.string().nullish(),
  function: z.looseObject({ name: z.string().nullish(), arguments: z.string().nullish() }).nullish(),
});

const Chunk = z.looseObject({
  choices: z
    .array(
      z.looseObject({
        index: z.number().catch(0),
        delta: z.looseObject({ content: z.string().nullish(), tool_calls: z.array(CallDelta).nullish() }).nullish(),
        finish_reason: z.string().nullish(),
      }),
    )
    .catch([]),
  usage: Usage,
  error: z.unknown().optional(),
});

/** What a provider counted. */
export interface AnswerUsage {
  inputTokens: number;
  outputTokens: number;
  cachedTokens: number;
}

/** An answer as sessions keep it, and what it took. */
export interface Answer {
  message: MessageInput;
  usage: AnswerUsage | undefined;
}

/** Reads a whole answer; undefined for what is no completion. */
export function readAnswer(text: string): Answer | undefined {
  const completion = Completion.safeParse(parseJson(text)).data;
  const spoken = completion?.choices[0]?.message;
  if (completion === undefined || spoken === undefined) return undefined;
  const { content, tool_calls } = spoken;
  return {
    message: { role: "assistant", content: content ?? null, ...(tool_calls?.length ? { tool_calls } : {}) },
    usage: usageOf(completion.usage),
  };
}

/** An answer that comes in pieces. */
export interface GrowingAnswer {
  /** Takes one event of the stream. */
  add(event: string): void;
  /** Whether the provider has said that the answer is complete. */
  readonly isFinished: boolean;
  /** Whether the provider has sent an error in place of the rest. */
  readonly hasFailed: boolean;
  read(): Answer;
}

/** Puts the pieces of the first choice together. */
export function createGrowingAnswer(): GrowingAnswer {
  let content = "";
  let isFinished = false;
  let hasFailed = false;
  let usage: AnswerUsage | undefined;
  const calls: { id: string; type: string; function: { name: string; arguments: string } }[] = [];
  const addCall = ({ index, id, type, function: asked }: z.infer<typeof CallDelta>): void => {
    const call = (calls[index] ??= { id: "", type: "function", function: { name: "", arguments: "" } });
    if (id) call.id = id;
    if (type) call.type = type;
    if (asked?.name) call.function.name += asked.name;
    call.function.arguments += asked?.arguments ?? "";
  };
  return {
    add(event) {
      const data = dataOf(event);
      const chunk = Chunk.safeParse(parseJson(data)).data;
      const isError = /^event:[ ]?error\r?$/m.test(event) || (chunk?.error ?? undefined) !== undefined;
      // What comes after the end takes nothing from the answer.
      if (isError && !isFinished) hasFailed = true;
      if (data === "[DONE]") isFinished = true;
      usage = usageOf(chunk?.usage) ?? usage;
      for (const choice of chunk?.choices ?? []) {
        if (choice.index !== 0) continue;
        content += choice.delta?.content ?? "";
        for (const call of choice.delta?.tool_calls ?? []) addCall(call);
        if (choice.finish_reason) isFinished = true;
      }
    },
    get isFinished() {
      return isFinished;
    },
    get hasFailed() {
      return hasFailed;
    },
    read: () => ({
      message: {
        role: "assistant",
        content: content === "" ? null : content,
        ...(calls.length > 0 ? { tool_calls: calls.filter(Boolean) } : {}),
      },
      usage,
    }),
  };
}

function dataOf(event: string): string {
  return event
    .split(/\r?\n/)
    .filter((line) => line.startsWith("data:"))
    .map((line) => line.slice(5).trimStart())
    .join("\n")
    .trim();
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function usageOf(usage: z.infer<typeof Usage>): AnswerUsage | undefined {
  if (!usage) return undefined;
  return {
    inputTokens: usage.prompt_tokens,
    outputTokens: usage.completion_tokens,
    cachedTokens: usage.prompt_tokens_details?.cached_tokens ?? 0,
  };
}
