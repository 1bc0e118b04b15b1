import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import { onTestFinished } from "vitest";

/** What the provider does with one request. */
export type ProviderReply =
  | {
      text?: string;
      thoughts?: string;
      calls?: { id: string; name: string; input: unknown }[];
      stop?: "length" | "stop_sequence";
    }
  | { status: number; message: string; headers?: Record<string, string> }
  | { breaks: string };

export interface ProviderRequest {
  path: string;
  headers: Record<string, string | string[] | undefined>;
  // oxlint-disable-next-line typescript/no-explicit-any -- a request is looked at field by field
  body: any;
}

export type WireName = "chat" | "responses" | "messages";

/**
 * A provider on the loopback that speaks all three wires, by path, written from their documentation and not with the
 * code under test.
 */
export async function startProvider(script: (request: ProviderRequest, index: number) => ProviderReply) {
  const requests: ProviderRequest[] = [];
  const server = createServer((request, response) => void answer(request, response));
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = { path: request.url ?? "", headers: request.headers, body: JSON.parse(await readText(request)) };
    requests.push(asked);
    const reply = script(asked, requests.length - 1);
    const wire = asked.path.endsWith("/messages") ? MESSAGES : asked.path.endsWith("/responses") ? RESPONSES : CHAT;
    if ("status" in reply) {
      response.writeHead(reply.status, { "content-type": "application/json", ...reply.headers });
      response.end(JSON.stringify(wire.failure(reply.message)));
      return;
    }
    const headers = { "x-ratelimit-remaining-requests": "41", "anthropic-ratelimit-tokens-remaining": "9" };
    if (asked.body.stream !== true) {
      const whole = wire.whole("breaks" in reply ? { text: reply.breaks } : reply);
      response.writeHead(200, { "content-type": "application/json", ...headers }).end(JSON.stringify(whole));
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream", ...headers });
    const events = wire.events("breaks" in reply ? { text: reply.breaks } : reply);
    if (!("breaks" in reply)) {
      response.end(events.join(""));
      return;
    }
    // Torn down once the first half is on its way.
    response.write(events.slice(0, Math.ceil(events.length / 2)).join(""), () =>
      setTimeout(() => response.destroy(), 20),
    );
  }
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  );
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const config = (wire: WireName) => ({
    agents: { defaults: { model: "scripted/tide" } },
    providers: { scripted: { baseUrl: url, wire, apiKey: "provider-key" } },
  });
  return { requests, config };
}

type Spoken = Exclude<ProviderReply, { status: number } | { breaks: string }>;

interface Side {
  whole(reply: Spoken): unknown;
  events(reply: Spoken): string[];
  failure(message: string): unknown;
}

const event = (data: unknown, name?: string) =>
  `${name ? `event: ${name}\n` : ""}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
const pieces = (text: string) => text.match(/[\s\S]{1,7}/g) ?? [];

export const CHAT: Side = {
  whole({ text, thoughts, calls = [], stop }) {
    const tool_calls = calls.map(({ id, name, input }) => ({
      id,
      type: "function",
      function: { name, arguments: JSON.stringify(input) },
    }));
    return {
      id: "c1",
      object: "chat.completion",
      created: 1,
      model: "tide",
      choices: [
        {
          index: 0,
          message: {
            role: "assistant",
            content: text ?? null,
            ...(thoughts ? { reasoning_content: thoughts } : {}),
            ...(calls.length > 0 ? { tool_calls } : {}),
          },
          finish_reason: stop === "length" ? "length" : calls.length > 0 ? "tool_calls" : "stop",
        },
      ],
      usage: {
        prompt_tokens: 50,
        completion_tokens: 7,
        total_tokens: 57,
        prompt_tokens_details: { cached_tokens: 20 },
      },
    };
  },
  events({ text = "", thoughts = "", calls = [], stop }) {
    const chunk = (delta: object, finish_reason: string | null = null) =>
      event({
        id: "c1",
        object: "chat.completion.chunk",
        created: 1,
        model: "tide",
        choices: [{ index: 0, delta, finish_reason }],
      });
    return [
      chunk({ role: "assistant", content: "" }),
      ...pieces(thoughts).map((piece) => chunk({ reasoning_content: piece })),
      ...pieces(text).map((piece) => chunk({ content: piece })),
      ...calls.flatMap(({ id, name, input }, index) => [
        chunk({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] }),
        ...pieces(JSON.stringify(input)).map((piece) =>
          chunk({ tool_calls: [{ index, function: { arguments: piece } }] }),
        ),
      ]),
      chunk({}, stop === "length" ? "length" : calls.length > 0 ? "tool_calls" : "stop"),
      event({
        id: "c1",
        object: "chat.completion.chunk",
        created: 1,
        model: "tide",
        choices: [],
        usage: {
          prompt_tokens: 50,
          completion_tokens: 7,
          total_tokens: 57,
          prompt_tokens_details: { cached_tokens: 20 },
        },
      }),
      event("[DONE]"),
    ];
  },
  failure: (message) => ({ error: { message, type: "rate_limit_error", param: null, code: "rate_limited" } }),
};

export const RESPONSES: Side = {
  whole({ text, thoughts, calls = [], stop }) {
    const output = [
      ...(thoughts
        ? [
            {
              id: "rs_1",
              type: "reasoning",
              summary: [{ type: "summary_text", text: thoughts }],
              encrypted_content: "sealed",
            },
          ]
        : []),
      ...(text
        ? [
            {
              id: "msg_1",
              type: "message",
              role: "assistant",
              status: "completed",
              content: [{ type: "output_text", text, annotations: [] }],
            },
          ]
        : []),
      ...calls.map(({ id, name, input }) => ({
        id: `fc_${id}`,
        type: "function_call",
        status: "completed",
        call_id: id,
        name,
        arguments: JSON.stringify(input),
      })),
    ];
    return {
      id: "resp_1",
      object: "response",
      created_at: 1,
      model: "tide",
      status: stop === "length" ? "incomplete" : "completed",
      incomplete_details: stop === "length" ? { reason: "max_output_tokens" } : null,
      error: null,
      output,
      usage: { input_tokens: 50, input_tokens_details: { cached_tokens: 20 }, output_tokens: 7, total_tokens: 57 },
    };
  },
  events(reply) {
    const { text = "", thoughts = "", calls = [], stop } = reply;
    let sequence_number = 0;
    const send = (type: string, fields: object) => event({ type, sequence_number: sequence_number++, ...fields }, type);
    const sent = [
      send("response.created", {
        response: { id: "resp_1", object: "response", created_at: 1, model: "tide", status: "in_progress", output: [] },
      }),
    ];
    let output_index = 0;
    if (thoughts) {
      sent.push(
        send("response.output_item.added", { output_index, item: { id: "rs_1", type: "reasoning", summary: [] } }),
      );
      for (const delta of pieces(thoughts)) {
        sent.push(
          send("response.reasoning_summary_text.delta", { item_id: "rs_1", output_index, summary_index: 0, delta }),
        );
      }
      const item = {
        id: "rs_1",
        type: "reasoning",
        summary: [{ type: "summary_text", text: thoughts }],
        encrypted_content: "sealed",
      };
      sent.push(send("response.output_item.done", { output_index, item }));
      output_index += 1;
    }
    if (text) {
      const item = { id: "msg_1", type: "message", role: "assistant", content: [] };
      sent.push(send("response.output_item.added", { output_index, item }));
      sent.push(
        send("response.content_part.added", {
          item_id: "msg_1",
          output_index,
          content_index: 0,
          part: { type: "output_text", text: "", annotations: [] },
        }),
      );
      for (const delta of pieces(text)) {
        sent.push(send("response.output_text.delta", { item_id: "msg_1", output_index, content_index: 0, delta }));
      }
      const content = [{ type: "output_text", text, annotations: [] }];
      sent.push(send("response.output_item.done", { output_index, item: { ...item, content } }));
      output_index += 1;
    }
    for (const { id, name, input } of calls) {
      const item = { id: `fc_${id}`, type: "function_call", call_id: id, name, arguments: "" };
      sent.push(send("response.output_item.added", { output_index, item }));
      for (const delta of pieces(JSON.stringify(input))) {
        sent.push(send("response.function_call_arguments.delta", { item_id: `fc_${id}`, output_index, delta }));
      }
      sent.push(
        send("response.output_item.done", {
          output_index,
          item: { ...item, status: "completed", arguments: JSON.stringify(input) },
        }),
      );
      output_index += 1;
    }
    const type = stop === "length" ? "response.incomplete" : "response.completed";
    return [...sent, send(type, { response: RESPONSES.whole(reply) })];
  },
  failure: (message) => ({ error: { message, type: "rate_limit_error", param: null, code: "rate_limited" } }),
};

const USAGE = { input_tokens: 30, cache_read_input_tokens: 20, cache_creation_input_tokens: 0 };

export const MESSAGES: Side = {
  whole({ text, thoughts, calls = [], stop }) {
    return {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "tide",
      content: [
        ...(thoughts ? [{ type: "thinking", thinking: thoughts, signature: "sealed" }] : []),
        ...(text ? [{ type: "text", text }] : []),
        ...calls.map(({ id, name, input }) => ({ type: "tool_use", id, name, input })),
      ],
      stop_reason:
        stop === "length"
          ? "max_tokens"
          : stop === "stop_sequence"
            ? "stop_sequence"
            : calls.length > 0
              ? "tool_use"
              : "end_turn",
      stop_sequence: stop === "stop_sequence" ? "END" : null,
      usage: { ...USAGE, output_tokens: 7 },
    };
  },
  events(reply) {
    const { text = "", thoughts = "", calls = [] } = reply;
    const whole = MESSAGES.whole(reply) as { stop_reason: string; stop_sequence: string | null };
    const send = (type: string, fields: object) => event({ type, ...fields }, type);
    const message = {
      id: "msg_1",
      type: "message",
      role: "assistant",
      content: [],
      usage: { ...USAGE, output_tokens: 1 },
    };
    const sent = [send("message_start", { message }), send("ping", {})];
    let index = 0;
    const block = (content_block: object, deltas: object[]): void => {
      sent.push(send("content_block_start", { index, content_block }));
      for (const delta of deltas) sent.push(send("content_block_delta", { index, delta }));
      sent.push(send("content_block_stop", { index }));
      index += 1;
    };
    if (thoughts) {
      const deltas = pieces(thoughts).map((thinking) => ({ type: "thinking_delta", thinking }));
      block({ type: "thinking", thinking: "", signature: "" }, [
        ...deltas,
        { type: "signature_delta", signature: "sealed" },
      ]);
    }
    if (text)
      block(
        { type: "text", text: "" },
        pieces(text).map((piece) => ({ type: "text_delta", text: piece })),
      );
    for (const { id, name, input } of calls) {
      const deltas = pieces(JSON.stringify(input)).map((partial_json) => ({ type: "input_json_delta", partial_json }));
      block({ type: "tool_use", id, name, input: {} }, deltas);
    }
    const delta = { stop_reason: whole.stop_reason, stop_sequence: whole.stop_sequence };
    return [...sent, send("message_delta", { delta, usage: { output_tokens: 7 } }), send("message_stop", {})];
  },
  failure: (message) => ({ type: "error", error: { type: "rate_limit_error", message } }),
};
