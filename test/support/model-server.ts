import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import { onTestFinished } from "vitest";

/** A request as it came over the wire. */
export interface WireRequest {
  model: string;
  messages: { role: string; content: unknown; tool_calls?: unknown[]; tool_call_id?: string }[];
  tools?: { function: { name: string } }[];
  tool_choice?: unknown;
  stream?: boolean;
}

/** What the scripted model does with one request. */
export type Reply =
  | { text: string; finish?: string; usage?: { prompt_tokens: number; completion_tokens: number } }
  | {
      call: string;
      arguments: unknown;
      text?: string;
      finish?: string;
      usage?: { prompt_tokens: number; completion_tokens: number };
    }
  | { calls: { name: string; arguments: unknown }[]; text?: string }
  | { status: number; body?: unknown; headers?: Record<string, string> }
  | { html: string }
  | { hang: true };

/** Decides on each request; the index counts from 0. */
export type Script = (request: WireRequest, index: number) => Reply | Promise<Reply>;

/** A model behind a real HTTP server on loopback that speaks the chat-completions wire format. */
export interface ModelServer {
  url: string;
  requests: WireRequest[];
  /** The part of a configuration that leads here. */
  config: { agents: { defaults: { model: string } }; providers: { scripted: { baseUrl: string } } };
  script: Script;
  close(): Promise<void>;
}

/** Starts a scripted model; it stops with the test. */
export async function startModel(script: Script): Promise<ModelServer> {
  const requests: WireRequest[] = [];
  const server = createServer((request, response) => {
    void answer(request, response, requests, (wire, index) => model.script(wire, index));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const close = () =>
    new Promise<void>((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  const model: ModelServer = {
    url,
    requests,
    config: { agents: { defaults: { model: "scripted/tide" } }, providers: { scripted: { baseUrl: url } } },
    script,
    close,
  };
  onTestFinished(close);
  return model;
}

/** The requests that ask for a digest, without those for flushes and notes. */
export function digestRequests({ requests }: ModelServer): WireRequest[] {
  return requests.filter(({ tools }) => tools?.some((tool) => tool.function.name === "save_memory"));
}

/** The usual answer of a consolidation. */
export function saveMemory(
  memory: string,
  entry = "[2026-11-15 09:00] They talked.",
  more: Record<string, unknown> = {},
): Reply {
  return { call: "save_memory", arguments: { history_entry: entry, memory_update: memory, ...more } };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  requests: WireRequest[],
  script: Script,
): Promise<void> {
  if (request.method === "GET") {
    const list = { object: "list", data: [{ id: "tide", object: "model" }] };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(list));
    return;
  }
  const wire = JSON.parse(await readText(request)) as WireRequest;
  requests.push(wire);
  const reply = await script(wire, requests.length - 1);
  if ("hang" in reply) return;
  if ("html" in reply) {
    response.writeHead(200, { "content-type": "text/html" }).end(reply.html);
    return;
  }
  if ("status" in reply) {
    const body = reply.body ?? { error: { message: `scripted failure ${reply.status}` } };
    response
      .writeHead(reply.status, { "content-type": "application/json", ...reply.headers })
      .end(JSON.stringify(body));
    return;
  }
  if (wire.stream) stream(response, reply);
  else response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(completion(reply)));
}

type Spoken = Exclude<Reply, { status: number } | { html: string } | { hang: true }>;

function parts(reply: Spoken) {
  const calls =
    "calls" in reply ? reply.calls : "call" in reply ? [{ name: reply.call, arguments: reply.arguments }] : [];
  const tool_calls = calls.map((call, index) => ({
    id: `call_${index}_${Math.random().toString(36).slice(2, 8)}`,
    type: "function",
    function: {
      name: call.name,
      arguments: typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments),
    },
  }));
  const finish = "finish" in reply && reply.finish ? reply.finish : calls.length > 0 ? "tool_calls" : "stop";
  const usage = "usage" in reply && reply.usage ? reply.usage : { prompt_tokens: 100, completion_tokens: 20 };
  return {
    text: reply.text ?? null,
    tool_calls,
    finish,
    usage: { ...usage, total_tokens: usage.prompt_tokens + usage.completion_tokens },
  };
}

function completion(reply: Spoken): object {
  const { text, tool_calls, finish, usage } = parts(reply);
  const message = { role: "assistant", content: text, ...(tool_calls.length > 0 ? { tool_calls } : {}) };
  return {
    id: "c1",
    object: "chat.completion",
    created: 0,
    model: "tide",
    choices: [{ index: 0, message, finish_reason: finish }],
    usage,
  };
}

function stream(response: ServerResponse, reply: Spoken): void {
  const { text, tool_calls, finish, usage } = parts(reply);
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (delta: object, finish_reason: string | null = null) =>
    response.write(
      `data: ${JSON.stringify({ id: "c1", object: "chat.completion.chunk", created: 0, model: "tide", choices: [{ index: 0, delta, finish_reason }] })}\n\n`,
    );
  send({ role: "assistant", content: "" });
  for (const piece of (text ?? "").match(/[\s\S]{1,12}/g) ?? []) send({ content: piece });
  for (const [index, call] of tool_calls.entries()) send({ tool_calls: [{ index, ...call }] });
  send({}, finish);
  response.write(
    `data: ${JSON.stringify({ id: "c1", object: "chat.completion.chunk", created: 0, model: "tide", choices: [], usage })}\n\n`,
  );
  response.end("data: [DONE]\n\n");
}
