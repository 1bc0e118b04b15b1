import { z } from "zod";
import { restoreCustom } from "../custom-calls.ts";
import type { Answer, AnswerUsage, Failure, Finish, SaidPart } from "../conversation.ts";
import { lenientArguments, lenientList, lenientText } from "../lenient-fields.ts";
import type { AnswerContext } from "../wire.ts";

/** What a provider counted, as this wire tells it. */
export const ResponsesUsage = z
  .looseObject({
    input_tokens: z.number().catch(0),
    output_tokens: z.number().catch(0),
    input_tokens_details: z
      .looseObject({ cached_tokens: z.number().catch(0) })
      .nullish()
      .catch(undefined),
  })
  .nullish()
  .catch(undefined);

/** One thing that a response holds. */
export const OutputItem = z.looseObject({
  id: lenientText,
  type: z.string(),
  call_id: lenientText,
  name: lenientText,
  arguments: lenientArguments,
  input: lenientText,
  content: lenientList(z.looseObject({ text: lenientText, refusal: lenientText }))
    .nullish()
    .catch(undefined),
  summary: lenientList(z.looseObject({ text: lenientText }))
    .nullish()
    .catch(undefined),
  encrypted_content: lenientText,
});

/** A response as a provider sends it. */
export const ResponseBody = z.looseObject({
  id: lenientText,
  object: z.literal("response").optional(),
  status: lenientText,
  output: lenientList(OutputItem),
  incomplete_details: z.looseObject({ reason: lenientText }).nullish().catch(undefined),
  error: z.looseObject({ code: lenientText, message: lenientText }).nullish().catch(undefined),
  usage: ResponsesUsage,
});

/** Reads a response. */
export function readResponsesAnswer(body: unknown): Answer | undefined {
  const response = ResponseBody.safeParse(body).data;
  if (response === undefined || response.status === "failed" || response.status === "cancelled") return undefined;
  const parts = response.output.flatMap(readItem);
  return {
    id: response.id ?? undefined,
    parts,
    finish: readEnd(
      response,
      parts.some(({ type }) => type === "call"),
    ),
    usage: readResponsesUsage(response.usage),
    itemIds: readItemIds(response.output),
  };
}

/** The ids by which a client may refer to what a response holds. */
export function readItemIds(output: readonly z.infer<typeof OutputItem>[]): string[] {
  return output.flatMap(({ id }) => (id ? [id] : []));
}

/** Why a response ended. */
export function readEnd(
  { status, incomplete_details }: Pick<z.infer<typeof ResponseBody>, "status" | "incomplete_details">,
  hasCalls: boolean,
): Finish {
  if (status === "incomplete") return incomplete_details?.reason === "content_filter" ? "content_filter" : "length";
  return hasCalls ? "tool_calls" : "stop";
}

function readItem(item: z.infer<typeof OutputItem>): SaidPart[] {
  if (item.type === "reasoning") {
    const text = (item.summary?.length ? item.summary : (item.content ?? [])).map((each) => each.text ?? "").join("\n");
    return [{ type: "reasoning", text, signature: item.encrypted_content ?? undefined }];
  }
  const call = { type: "call", id: item.call_id ?? "", name: item.name ?? "" } as const;
  if (item.type === "function_call") return [{ ...call, arguments: item.arguments ?? "" }];
  if (item.type === "custom_tool_call") return [{ ...call, arguments: item.input ?? "", isCustom: true }];
  if (item.type !== "message") return [];
  return (item.content ?? []).flatMap(({ text, refusal }): SaidPart[] => {
    if (refusal) return [{ type: "refusal", text: refusal }];
    return text ? [{ type: "text", text }] : [];
  });
}

/** Reads what a provider counted. */
export function readResponsesUsage(usage: z.infer<typeof ResponsesUsage>): AnswerUsage | undefined {
  if (!usage) return undefined;
  const cachedTokens = usage.input_tokens_details?.cached_tokens ?? 0;
  return { inputTokens: usage.input_tokens, outputTokens: usage.output_tokens, cachedTokens };
}

/** A whole response. */
export function writeResponsesAnswer(answer: Answer, context: AnswerContext): Record<string, unknown> {
  const isCut = answer.finish === "length" || answer.finish === "content_filter";
  const reason = answer.finish === "length" ? "max_output_tokens" : "content_filter";
  return {
    ...writeResponseHead(context),
    status: isCut ? "incomplete" : "completed",
    incomplete_details: isCut ? { reason } : null,
    output: writeOutput(answer.parts, context),
    usage: answer.usage ? writeResponsesUsage(answer.usage) : null,
  };
}

/** What a response holds from its beginning on. */
export function writeResponseHead({ id, model, created, conversation }: AnswerContext): Record<string, unknown> {
  return {
    id,
    object: "response",
    created_at: created,
    status: "in_progress",
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    model,
    output: [],
    parallel_tool_calls: conversation.isParallel ?? true,
    temperature: conversation.temperature ?? null,
    tool_choice: typeof conversation.toolChoice === "string" ? conversation.toolChoice : "auto",
    tools: [],
    top_p: conversation.topP ?? null,
    max_output_tokens: conversation.maxTokens ?? null,
    previous_response_id: null,
    usage: null,
  };
}

/** What was said, item by item. */
function writeOutput(said: readonly SaidPart[], context: AnswerContext): unknown[] {
  const items: unknown[] = [];
  let content: unknown[] = [];
  const endMessage = (): void => {
    if (content.length === 0) return;
    items.push({
      id: `msg_${context.id}_${items.length}`,
      type: "message",
      role: "assistant",
      status: "completed",
      content,
    });
    content = [];
  };
  for (const part of restoreCustom(said, context.conversation)) {
    if (part.type === "text") content.push({ type: "output_text", text: part.text, annotations: [], logprobs: [] });
    else if (part.type === "refusal") content.push({ type: "refusal", refusal: part.text });
    else {
      endMessage();
      items.push(
        part.type === "call" ? writeCall(part, context) : writeReasoning(part, `rs_${context.id}_${items.length}`),
      );
    }
  }
  endMessage();
  return items;
}

/** Thoughts as an item. */
export function writeReasoning({ text, signature }: Extract<SaidPart, { type: "reasoning" }>, id: string): unknown {
  const summary = text === "" ? [] : [{ type: "summary_text", text }];
  return { id, type: "reasoning", summary, ...(signature === undefined ? {} : { encrypted_content: signature }) };
}

/** A call as an item, under the names by which the client knows the tool. */
export function writeCall(
  { id, name, arguments: given, isCustom }: Extract<SaidPart, { type: "call" }>,
  { conversation }: AnswerContext,
  status = "completed",
): Record<string, unknown> {
  const grouped = conversation.tools.find((tool) => tool.name === name)?.grouped;
  const names = grouped ? { name: grouped.name, namespace: grouped.group } : { name };
  if (isCustom) return { id: `ctc_${id}`, type: "custom_tool_call", status, call_id: id, ...names, input: given };
  return { id: `fc_${id}`, type: "function_call", status, call_id: id, ...names, arguments: given };
}

/** Writes what a provider counted. */
function writeResponsesUsage({ inputTokens, outputTokens, cachedTokens }: AnswerUsage): unknown {
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cachedTokens },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: inputTokens + outputTokens,
  };
}

/** A response that failed, as the failure it is. */
export function failureOf(body: unknown): Omit<Failure, "status"> | undefined {
  const error = ResponseBody.safeParse(body).data?.error;
  return error?.message ? { message: error.message, code: error.code ?? null } : undefined;
}
