import { z } from "zod";
import type { AnswerEvent, Failure } from "../conversation.ts";
import { parseIfJson } from "../../../parse-if-json.ts";
import { lenientText } from "../lenient-fields.ts";
import type { SentEvent } from "../wire.ts";
import { failureOf, OutputItem, readEnd, readItemIds, readResponsesUsage, ResponseBody } from "./responses-answer.ts";

const StreamEvent = z.looseObject({
  type: z.string(),
  delta: lenientText,
  item_id: lenientText,
  item: OutputItem.nullish().catch(undefined),
  response: z.unknown().optional(),
  code: lenientText,
  message: lenientText,
  error: z.looseObject({ message: z.string(), code: lenientText }).nullish().catch(undefined),
});
type StreamEvent = z.infer<typeof StreamEvent>;

/** Reads the events of a streamed response. */
export function createResponsesReader(): (event: SentEvent) => AnswerEvent[] {
  /** The numbers of the calls, by the item that holds them, and whether their arguments have come. */
  const calls = new Map<string, { index: number; hasArguments: boolean }>();
  const readAdded = ({ item }: StreamEvent): AnswerEvent[] => {
    if (item?.type !== "function_call" && item?.type !== "custom_tool_call") return [];
    const index = calls.size;
    calls.set(item.id ?? item.call_id ?? "", { index, hasArguments: false });
    const isCustom = item.type === "custom_tool_call" ? ({ isCustom: true } as const) : {};
    return [{ type: "call", index, id: item.call_id ?? "", name: item.name ?? "", ...isCustom }];
  };
  const readDone = (event: StreamEvent): AnswerEvent[] => {
    const { item } = event;
    if (item?.type === "reasoning" && item.encrypted_content) {
      return [{ type: "signature", signature: item.encrypted_content }];
    }
    if (item?.type !== "function_call" && item?.type !== "custom_tool_call") return [];
    const key = item.id ?? item.call_id ?? "";
    const begun = calls.has(key) ? [] : readAdded(event);
    const call = calls.get(key);
    const text = item.arguments ?? item.input ?? "";
    if (!call || call.hasArguments || text === "") return begun;
    return [...begun, { type: "arguments", index: call.index, text }];
  };
  const readDelta = ({ item_id, delta }: StreamEvent): AnswerEvent[] => {
    const call = calls.get(item_id ?? "");
    if (!call || !delta) return [];
    call.hasArguments = true;
    return [{ type: "arguments", index: call.index, text: delta }];
  };
  return ({ data }) => {
    const event = StreamEvent.safeParse(parseIfJson(data)).data;
    if (event === undefined) return [];
    const { type, delta } = event;
    if (type === "response.created")
      return [{ type: "start", id: ResponseBody.safeParse(event.response).data?.id ?? undefined }];
    if (type === "response.output_item.added") return readAdded(event);
    if (type === "response.output_item.done") return readDone(event);
    if (type === "response.function_call_arguments.delta") return readDelta(event);
    if (type === "response.custom_tool_call_input.delta") return readDelta(event);
    if (type === "response.output_text.delta") return delta ? [{ type: "text", text: delta }] : [];
    if (type === "response.refusal.delta") return delta ? [{ type: "refusal", text: delta }] : [];
    if (type === "response.reasoning_summary_text.delta" || type === "response.reasoning_text.delta") {
      return delta ? [{ type: "reasoning", text: delta }] : [];
    }
    if (type === "response.completed" || type === "response.incomplete") return readLast(event, calls.size > 0);
    if (type === "response.failed" || type === "error") return [{ type: "failure", failure: readFailed(event) }];
    return [];
  };
}

function readLast({ type, response }: StreamEvent, hasCalls: boolean): AnswerEvent[] {
  const body = ResponseBody.safeParse(response).data;
  const status = type === "response.incomplete" ? "incomplete" : "completed";
  const finish = readEnd({ status, incomplete_details: body?.incomplete_details }, hasCalls);
  const usage = readResponsesUsage(body?.usage);
  return [
    { type: "finish", finish, itemIds: readItemIds(body?.output ?? []) },
    ...(usage ? [{ type: "usage", usage } as const] : []),
  ];
}

function readFailed({ response, error, message, code }: StreamEvent): Failure {
  const known = failureOf(response) ?? error;
  return {
    status: 502,
    message: known?.message ?? message ?? "The model's answer broke off",
    code: known?.code ?? code ?? null,
  };
}
