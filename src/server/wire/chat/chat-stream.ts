import { z } from "zod";
import type { AnswerEvent } from "../conversation.ts";
import { parseIfJson } from "../../../parse-if-json.ts";
import { lenientArguments, lenientList, lenientText } from "../lenient-fields.ts";
import { formatEvent } from "../wire.ts";
import type { AnswerContext, SentEvent, StreamWriter } from "../wire.ts";
import {
  ChatUsage,
  readChatUsage,
  readChoiceFailure,
  readContent,
  readFinish,
  readOpenAiFailure,
  writeChatUsage,
  writeFinish,
  writeOpenAiFailure,
} from "./chat-answer.ts";

const CallDelta = z.looseObject({
  index: z.number().int().min(0).nullish().catch(undefined),
  id: lenientText,
  function: z.looseObject({ name: lenientText, arguments: lenientArguments }).nullish().catch(undefined),
});
const Delta = z.looseObject({
  content: z.unknown().optional(),
  refusal: lenientText,
  reasoning_content: lenientText,
  reasoning: lenientText,
  tool_calls: lenientList(CallDelta).nullish().catch(undefined),
});

const Chunk = z.looseObject({
  id: lenientText,
  choices: lenientList(
    z.looseObject({
      index: z.number().catch(0),
      delta: Delta.nullish().catch(undefined),
      finish_reason: lenientText,
    }),
  ).catch([]),
  usage: ChatUsage,
});
type CallDelta = z.infer<typeof CallDelta>;

/** Reads the chunks of a streamed chat completion: those of its first choice. */
export function createChatReader(): (event: SentEvent) => AnswerEvent[] {
  const begun = new Map<number, string>();
  let isStarted = false;
  let isFinished = false;
  const readCall = ({ index, id, function: asked }: CallDelta): AnswerEvent[] => {
    // Some providers number no calls, and send each whole.
    const known = index ?? (id && ![...begun.values()].includes(id) ? begun.size : Math.max(0, begun.size - 1));
    const events: AnswerEvent[] = [];
    if (!begun.has(known)) {
      begun.set(known, id ?? "");
      events.push({ type: "call", index: known, id: id || `call_${known}`, name: asked?.name ?? "" });
    }
    if (asked?.arguments) events.push({ type: "arguments", index: known, text: asked.arguments });
    return events;
  };
  return ({ name, data }) => {
    if (data === "[DONE]") {
      if (isFinished) return [];
      isFinished = true;
      return [{ type: "finish", finish: begun.size > 0 ? "tool_calls" : "stop" }];
    }
    const body = parseIfJson(data);
    const failure = readOpenAiFailure(body);
    // What comes after the end takes nothing from the answer.
    if ((failure || name === "error") && !isFinished) {
      isFinished = true;
      const { message = "The model's answer broke off", code = null } = failure ?? {};
      return [{ type: "failure", failure: { status: 502, message, code } }];
    }
    const chunk = Chunk.safeParse(body).data;
    if (chunk === undefined) return [];
    const events: AnswerEvent[] = isStarted ? [] : [{ type: "start", id: chunk.id ?? undefined }];
    isStarted = true;
    for (const choice of chunk.choices) {
      const { index, delta, finish_reason } = choice;
      if (index !== 0) continue;
      const thoughts = delta?.reasoning_content ?? delta?.reasoning;
      if (thoughts) events.push({ type: "reasoning", text: thoughts });
      events.push(...readContent(delta?.content));
      if (delta?.refusal) events.push({ type: "refusal", text: delta.refusal });
      for (const call of delta?.tool_calls ?? []) events.push(...readCall(call));
      const broken = isFinished ? undefined : readChoiceFailure(choice);
      if (broken) {
        isFinished = true;
        events.push({ type: "failure", failure: { status: 502, ...broken } });
      } else if (finish_reason && !isFinished) {
        isFinished = true;
        const finish = readFinish(finish_reason);
        events.push({ type: "finish", finish: finish === "stop" && begun.size > 0 ? "tool_calls" : finish });
      }
    }
    const usage = readChatUsage(chunk.usage);
    if (usage) events.push({ type: "usage", usage });
    return events;
  };
}

/** Writes the chunks of a streamed chat completion. */
export function createChatWriter({ id, model, created }: AnswerContext): StreamWriter {
  const chunk = (choices: unknown[], more: object = {}): string =>
    formatEvent({ id, object: "chat.completion.chunk", created, model, choices, ...more });
  const piece = (delta: object, finish_reason: string | null = null): string =>
    chunk([{ index: 0, delta, logprobs: null, finish_reason }]);
  return {
    write(event) {
      if (event.type === "start") return piece({ role: "assistant", content: "" });
      if (event.type === "text") return piece({ content: event.text });
      if (event.type === "reasoning") return piece({ reasoning_content: event.text });
      if (event.type === "refusal") return piece({ refusal: event.text });
      if (event.type === "call") {
        const { index, id: callId, name } = event;
        return piece({ tool_calls: [{ index, id: callId, type: "function", function: { name, arguments: "" } }] });
      }
      if (event.type === "arguments") {
        return piece({ tool_calls: [{ index: event.index, function: { arguments: event.text } }] });
      }
      if (event.type === "finish") return piece({}, writeFinish(event.finish));
      if (event.type === "usage") return chunk([], { usage: writeChatUsage(event.usage) });
      return event.type === "failure" ? formatEvent(writeOpenAiFailure(event.failure)) : "";
    },
    end: () => formatEvent("[DONE]"),
  };
}
