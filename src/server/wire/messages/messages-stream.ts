import { z } from "zod";
import type { AnswerEvent, AnswerUsage, Finish } from "../conversation.ts";
import { inOrder } from "../in-order.ts";
import { parseIfJson } from "../../../parse-if-json.ts";
import { lenientText } from "../lenient-fields.ts";
import { formatEvent } from "../wire.ts";
import type { AnswerContext, SentEvent, StreamWriter } from "../wire.ts";
import {
  MessagesUsage,
  readMessagesFailure,
  readMessagesUsage,
  readStop,
  writeMessagesFailure,
  writeMessagesUsage,
  writeStop,
} from "./messages-answer.ts";
import { OWN_SEAL, readSeal } from "./own-seal.ts";

const StreamEvent = z.looseObject({
  type: z.string(),
  index: z.number().nullish().catch(undefined),
  message: z.looseObject({ id: lenientText, usage: MessagesUsage }).nullish().catch(undefined),
  content_block: z
    .looseObject({
      type: lenientText,
      text: lenientText,
      thinking: lenientText,
      data: lenientText,
      id: lenientText,
      name: lenientText,
      input: z.record(z.string(), z.unknown()).nullish().catch(undefined),
    })
    .nullish()
    .catch(undefined),
  delta: z
    .looseObject({
      text: lenientText,
      thinking: lenientText,
      signature: lenientText,
      partial_json: lenientText,
      stop_reason: lenientText,
      stop_sequence: lenientText,
    })
    .nullish()
    .catch(undefined),
  usage: MessagesUsage,
});
type StreamEvent = z.infer<typeof StreamEvent>;

/** Reads the events of a streamed message. */
export function createMessagesReader(): (event: SentEvent) => AnswerEvent[] {
  const calls = new Map<number, number>();
  let counted: NonNullable<MessagesUsage> = {};
  const readBlock = ({ index, content_block: block }: StreamEvent): AnswerEvent[] => {
    if (block?.type === "text" && block.text) return [{ type: "text", text: block.text }];
    if (block?.type === "thinking" && block.thinking) return [{ type: "reasoning", text: block.thinking }];
    if (block?.type === "redacted_thinking" && block.data) return [{ type: "signature", signature: block.data }];
    if (block?.type !== "tool_use") return [];
    const number = calls.size;
    calls.set(index ?? 0, number);
    const begun: AnswerEvent = { type: "call", index: number, id: block.id ?? "", name: block.name ?? "" };
    const input = block.input ?? {};
    if (Object.keys(input).length === 0) return [begun];
    return [begun, { type: "arguments", index: number, text: JSON.stringify(input) }];
  };
  const readDelta = ({ index, delta }: StreamEvent): AnswerEvent[] => {
    if (delta?.text) return [{ type: "text", text: delta.text }];
    if (delta?.thinking) return [{ type: "reasoning", text: delta.thinking }];
    const signature = readSeal(delta?.signature);
    if (signature) return [{ type: "signature", signature }];
    const number = calls.get(index ?? 0);
    if (number === undefined || !delta?.partial_json) return [];
    return [{ type: "arguments", index: number, text: delta.partial_json }];
  };
  const count = (usage: MessagesUsage): AnswerEvent[] => {
    const given = Object.entries(usage ?? {}).filter(([, value]) => value !== null && value !== undefined);
    counted = { ...counted, ...Object.fromEntries(given) };
    const whole = readMessagesUsage(counted);
    return whole ? [{ type: "usage", usage: whole }] : [];
  };
  return ({ data }) => {
    const body = parseIfJson(data);
    const event = StreamEvent.safeParse(body).data;
    if (event?.type === "error") {
      const { message, code } = readMessagesFailure(body) ?? { message: "The model's answer broke off", code: null };
      return [{ type: "failure", failure: { status: 502, message, code } }];
    }
    if (event?.type === "message_start") {
      return [{ type: "start", id: event.message?.id ?? undefined }, ...count(event.message?.usage)];
    }
    if (event?.type === "content_block_start") return readBlock(event);
    if (event?.type === "content_block_delta") return readDelta(event);
    if (event?.type !== "message_delta") return [];
    const usage = count(event.usage);
    const { stop_reason, stop_sequence } = event.delta ?? {};
    if (!stop_reason) return usage;
    return [...usage, { type: "finish", finish: readStop(stop_reason), stopSequence: stop_sequence ?? undefined }];
  };
}

const send = (type: string, fields: object): string => formatEvent({ type, ...fields }, type);

/** Writes the events of a streamed message. */
export function createMessagesWriter(context: AnswerContext): StreamWriter {
  return inOrder(createBlockWriter(context));
}

function createBlockWriter({ id, model }: AnswerContext): StreamWriter {
  let index = -1;
  let open: string | undefined;
  let isSealed = false;
  let end: { finish: Finish; stopSequence?: string | undefined } = { finish: "stop" };
  let usage: AnswerUsage | undefined;
  const close = (): string => {
    if (open === undefined) return "";
    const seal = open === "thinking" && !isSealed ? delta({ type: "signature_delta", signature: OWN_SEAL }) : "";
    open = undefined;
    isSealed = false;
    return seal + send("content_block_stop", { index });
  };
  const begin = (type: string, content_block: object): string => {
    const sent = close();
    open = type;
    index += 1;
    return sent + send("content_block_start", { index, content_block: { type, ...content_block } });
  };
  const delta = (fields: object): string => send("content_block_delta", { index, delta: fields });
  const speak = (text: string): string =>
    (open === "text" ? "" : begin("text", { text: "" })) + delta({ type: "text_delta", text });
  return {
    write(event) {
      if (event.type === "start") {
        const message = {
          id,
          type: "message",
          role: "assistant",
          model,
          content: [],
          stop_reason: null,
          stop_sequence: null,
        };
        return send("message_start", { message: { ...message, usage: writeMessagesUsage(undefined) } });
      }
      if (event.type === "text" || event.type === "refusal") return speak(event.text);
      if (event.type === "reasoning") {
        const begun = open === "thinking" ? "" : begin("thinking", { thinking: "", signature: "" });
        return begun + delta({ type: "thinking_delta", thinking: event.text });
      }
      if (event.type === "signature") {
        if (open !== "thinking") return begin("redacted_thinking", { data: event.signature });
        isSealed = true;
        return delta({ type: "signature_delta", signature: event.signature });
      }
      if (event.type === "call") return begin("tool_use", { id: event.id, name: event.name, input: {} });
      if (event.type === "arguments") return delta({ type: "input_json_delta", partial_json: event.text });
      if (event.type === "usage") {
        usage = event.usage;
        return "";
      }
      if (event.type === "failure") return formatEvent(writeMessagesFailure(event.failure), "error");
      end = event;
      return close();
    },
    end() {
      const stop = { stop_reason: writeStop(end.finish), stop_sequence: end.stopSequence ?? null };
      return send("message_delta", { delta: stop, usage: writeMessagesUsage(usage) }) + send("message_stop", {});
    },
  };
}
