import { customNames } from "../custom-calls.ts";
import type { Answer, AnswerEvent, AnswerUsage, SaidPart } from "../conversation.ts";
import { inOrder } from "../in-order.ts";
import { customInput } from "../read-arguments.ts";
import { formatEvent } from "../wire.ts";
import type { AnswerContext, StreamWriter } from "../wire.ts";
import { writeCall, writeReasoning, writeResponseHead, writeResponsesAnswer } from "./responses-answer.ts";

type OpenItem = { at: number; id: string; part: SaidPart };

/** Writes the events of a streamed response. */
export function createResponsesWriter(context: AnswerContext): StreamWriter {
  return inOrder(createItemWriter(context));
}

function createItemWriter(context: AnswerContext): StreamWriter {
  const custom = customNames(context.conversation);
  const items: OpenItem[] = [];
  let open: OpenItem | undefined;
  let number = 0;
  let end: Pick<Answer, "finish"> = { finish: "stop" };
  let usage: AnswerUsage | undefined;
  const send = (type: string, fields: object): string =>
    formatEvent({ type, sequence_number: number++, ...fields }, type);
  const begin = (part: SaidPart): OpenItem => {
    const prefix = part.type === "reasoning" ? "rs" : "msg";
    const id =
      part.type === "call" ? `${part.isCustom ? "ctc" : "fc"}_${part.id}` : `${prefix}_${context.id}_${items.length}`;
    const item = { at: items.length, id, part };
    items.push(item);
    return item;
  };
  const close = (): string => {
    const closing = open;
    open = undefined;
    if (!closing) return "";
    const { part } = closing;
    if (part.type === "call" && part.isCustom) part.arguments = customInput(part.arguments);
    return closeItem(closing, context, send);
  };
  const speak = (type: "text" | "reasoning" | "refusal", text: string): string => {
    let sent = "";
    if (open?.part.type !== type) {
      sent += close();
      open = begin({ type, text: "" });
      sent += openItem(open, send);
    }
    const { at, id, part } = open;
    if (part.type !== "call") part.text += text;
    const place = { item_id: id, output_index: at, delta: text };
    if (type === "reasoning")
      return sent + send("response.reasoning_summary_text.delta", { ...place, summary_index: 0 });
    if (type === "refusal") return sent + send("response.refusal.delta", { ...place, content_index: 0 });
    return sent + send("response.output_text.delta", { ...place, content_index: 0, logprobs: [] });
  };
  const call = (event: Extract<AnswerEvent, { type: "call" }>): string => {
    const isCustom = event.isCustom ?? (custom.has(event.name) ? true : undefined);
    const sent = close();
    open = begin({ type: "call", id: event.id, name: event.name, arguments: "", isCustom });
    return sent + openCall(open, context, send);
  };
  const addArguments = (text: string): string => {
    if (open?.part.type !== "call") return "";
    open.part.arguments += text;
    // What is wrapped as JSON is unwrapped when it is whole.
    if (open.part.isCustom) return "";
    return send("response.function_call_arguments.delta", { item_id: open.id, output_index: open.at, delta: text });
  };
  return {
    write(event) {
      if (event.type === "start") {
        const response = writeResponseHead(context);
        return send("response.created", { response }) + send("response.in_progress", { response });
      }
      if (event.type === "text" || event.type === "reasoning" || event.type === "refusal")
        return speak(event.type, event.text);
      if (event.type === "signature") return seal(event.signature);
      if (event.type === "call") return call(event);
      if (event.type === "arguments") return addArguments(event.text);
      if (event.type === "finish") {
        end = event;
        return close();
      }
      if (event.type === "usage") {
        usage = event.usage;
        return "";
      }
      const { message, code } = event.failure;
      const response = {
        ...writeResponseHead(context),
        status: "failed",
        error: { code: code ?? "server_error", message },
      };
      // Clients look for one or the other.
      return send("response.failed", { response }) + send("error", { code, message, param: null });
    },
    end() {
      const answer = { parts: items.map(({ part }) => part), finish: end.finish, usage };
      const response = writeResponsesAnswer(answer, context);
      return send(response["status"] === "incomplete" ? "response.incomplete" : "response.completed", { response });
    },
  };

  function seal(signature: string): string {
    if (open?.part.type !== "reasoning") {
      const sent = close();
      open = begin({ type: "reasoning", text: "", signature });
      return sent + openItem(open, send);
    }
    open.part.signature = signature;
    return "";
  }
}

type Send = (type: string, fields: object) => string;

function openItem({ at, id, part }: OpenItem, send: Send): string {
  const output_index = at;
  if (part.type === "reasoning") {
    return (
      send("response.output_item.added", { output_index, item: { id, type: "reasoning", summary: [] } }) +
      send("response.reasoning_summary_part.added", {
        item_id: id,
        output_index,
        summary_index: 0,
        part: { type: "summary_text", text: "" },
      })
    );
  }
  const item = { id, type: "message", role: "assistant", status: "in_progress", content: [] };
  const empty = part.type === "refusal" ? { type: "refusal", refusal: "" } : outputText("");
  return (
    send("response.output_item.added", { output_index, item }) +
    send("response.content_part.added", { item_id: id, output_index, content_index: 0, part: empty })
  );
}

function openCall({ at, part }: OpenItem, context: AnswerContext, send: Send): string {
  if (part.type !== "call") return "";
  return send("response.output_item.added", { output_index: at, item: writeCall(part, context, "in_progress") });
}

function closeItem({ at, id, part }: OpenItem, context: AnswerContext, send: Send): string {
  const output_index = at;
  const place = { item_id: id, output_index };
  if (part.type === "call") {
    const item = writeCall(part, context);
    const { arguments: given } = part;
    const done = part.isCustom
      ? send("response.custom_tool_call_input.delta", { ...place, delta: given }) +
        send("response.custom_tool_call_input.done", { ...place, input: given })
      : send("response.function_call_arguments.done", { ...place, name: part.name, arguments: given });
    return done + send("response.output_item.done", { output_index, item });
  }
  if (part.type === "reasoning") {
    const summary = { ...place, summary_index: 0 };
    return (
      send("response.reasoning_summary_text.done", { ...summary, text: part.text }) +
      send("response.reasoning_summary_part.done", { ...summary, part: { type: "summary_text", text: part.text } }) +
      send("response.output_item.done", { output_index, item: writeReasoning(part, id) })
    );
  }
  const content = part.type === "refusal" ? { type: "refusal", refusal: part.text } : outputText(part.text);
  const spot = { ...place, content_index: 0 };
  const done =
    part.type === "refusal"
      ? send("response.refusal.done", { ...spot, refusal: part.text })
      : send("response.output_text.done", { ...spot, text: part.text, logprobs: [] });
  const item = { id, type: "message", role: "assistant", status: "completed", content: [content] };
  return (
    done +
    send("response.content_part.done", { ...spot, part: content }) +
    send("response.output_item.done", { output_index, item })
  );
}

function outputText(text: string): object {
  return { type: "output_text", text, annotations: [], logprobs: [] };
}
