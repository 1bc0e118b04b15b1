import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { open } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { startServer } from "./start-server.ts";

const WIRES = ["chat", "responses", "messages"] as const;
type WireName = (typeof WIRES)[number];
const PATHS = { chat: "/v1/chat/completions", responses: "/v1/responses", messages: "/v1/messages" };

/** What a provider sends, word for word: an answer, or the events of a stream. */
type Sent = object | object[];

/** Asks over one wire a provider of another that sends this, and tells what the client got and what is stored. */
async function ask(client: WireName, behind: WireName, sent: Sent) {
  const isStreamed = Array.isArray(sent);
  const provider = createServer((request, response) => {
    request.resume();
    response.setHeader("content-type", isStreamed ? "text/event-stream" : "application/json");
    const events = isStreamed ? sent.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("") : "";
    response.end(isStreamed ? `${events}${behind === "chat" ? "data: [DONE]\n\n" : ""}` : JSON.stringify(sent));
  });
  await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void provider.close());
  const baseUrl = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`;
  const config = {
    agents: { defaults: { model: "scripted/tide" } },
    providers: { scripted: { baseUrl, wire: behind } },
  };
  const memory = await open({ workspace: temporaryFolder(), config });
  const url = await startServer(memory);
  const said = [{ role: "user", content: "Where is my bank?" }];
  const asked = client === "responses" ? { input: said } : { messages: said, max_tokens: 100 };
  const response = await fetch(url + PATHS[client], {
    method: "POST",
    headers: { "x-tidemark-session": "app:1" },
    body: JSON.stringify({ model: "tidemark", stream: isStreamed, ...asked }),
  });
  const text = await response.text();
  const stored = (await memory.session("app:1")).messages().slice(1);
  return { status: response.status, text, stored };
}

const SAID = "It is in Zurich.";
const piece = (delta: object, more: object = {}) => ({ id: "x", choices: [{ index: 0, delta, ...more }] });
const whole = (message: object, more: object = {}) => ({
  id: "x",
  choices: [{ index: 0, message: { role: "assistant", content: SAID, ...message }, finish_reason: "stop", ...more }],
});
const END = piece({}, { finish_reason: "stop" });

describe("an answer that was looked up", () => {
  const URL = "https://evil.example";
  it.each<[string, Sent]>([
    ["addresses beside it", { ...whole({}), citations: [URL] }],
    ["what was found beside it", { ...whole({}), search_results: [{ title: "t", url: URL }] }],
    ["an annotation", whole({ annotations: [{ type: "url_citation", url_citation: { url: URL } }] })],
    ["grounds", whole({ extra_content: { google: { grounding_metadata: { grounding_chunks: [{ web: {} }] } } } })],
    ["grounds in Google's own words", whole({}, { groundingMetadata: { webSearchQueries: ["bank"] } })],
    ["tools that were run", whole({ executed_tools: [{ type: "search", output: "…" }] })],
    ["addresses beside a piece", [piece({ content: SAID }), { ...END, citations: [URL] }]],
    ["what was found beside a piece", [{ ...piece({ content: SAID }), search_results: [{ url: URL }] }, END]],
    ["an annotation of a piece", [piece({ content: SAID, annotations: [{ type: "url_citation" }] }), END]],
  ])("is known by %s", async (_, sent) => {
    const { stored } = await ask("chat", "chat", sent);
    expect(stored).toMatchObject([{ role: "assistant", content: SAID, origin: "untrusted" }]);
  });

  it("is not taken for one where nothing was found", async () => {
    const empty = { citations: [], search_results: null, num_sources_used: 0 };
    const message = { annotations: [], content: `{"citations":["${URL}"]}`, groundingMetadata: {} };
    const { stored } = await ask("chat", "chat", { ...whole(message), ...empty });
    expect(stored[0]?.origin).toBeUndefined();
  });
});

describe.each(WIRES)("a client of %s", (client) => {
  const error = { code: 502, message: "Provider disconnected" };
  it.each<[string, Sent]>([
    ["with error", [piece({ content: "Half" }), piece({}, { finish_reason: "error" })]],
    ["with a choice's error", [piece({ content: "Half" }), piece({}, { error, finish_reason: null })]],
    ["with an error without words", [piece({ content: "Half" }), { id: "x", choices: [], error: { code: 500 } }]],
    [
      "for want of resources",
      [piece({ content: "Half" }), piece({}, { finish_reason: "insufficient_system_resource" })],
    ],
  ])("is told that a stream ended %s, and nothing of it is stored", async (_, sent) => {
    const { text, stored } = await ask(client, "chat", sent);
    expect(stored).toEqual([]);
    expect(text).toMatch(/error|insufficient_system_resource/);
    expect(text).not.toMatch(/"finish_reason":"stop"|"stop_reason":"end_turn"|response\.completed/);
  });

  it.each([
    ["error", whole({}, { finish_reason: "error" })],
    ["a choice's error", whole({}, { error })],
    ["an error alone", { error }],
  ])("is told of a whole answer that holds %s", async (_, sent) => {
    const { status, text, stored } = await ask(client, "chat", sent);
    expect([status, stored]).toEqual([502, []]);
    expect(text).toContain("error");
  });

  it("gets words that come as a list of parts, streamed or not", async () => {
    const thoughts = { type: "thinking", thinking: [{ type: "text", text: "hm" }] };
    const parts = (text: string) => [{ type: "text", text }];
    const streamed = [
      piece({ content: [thoughts] }),
      piece({ content: parts("It is ") }),
      piece({ content: "in Zurich." }),
      END,
    ];
    for (const sent of [streamed, whole({ content: [thoughts, ...parts(SAID)] })]) {
      const { text, stored } = await ask(client, "chat", sent);
      expect(text).toContain("in Zurich.");
      expect(stored).toMatchObject([{ role: "assistant", content: SAID }]);
    }
  });
});

describe("one odd field", () => {
  const call = { id: "c1", type: "function", function: { name: "look" } };
  const usage = { prompt_tokens: "many", completion_tokens: 3 };
  const odd = { refusal: 5, reasoning: { a: 1 }, tool_calls: "none" };
  const block = { type: "text", text: SAID, signature: 5, name: 7 };
  const item = {
    id: "m",
    type: "message",
    call_id: 5,
    name: {},
    content: [{ type: "output_text", text: SAID, refusal: 5 }],
  };
  it.each<[WireName, string, Sent]>([
    ["chat", "a piece", [piece({ content: SAID, ...odd }), { ...END, usage }]],
    ["chat", "an end", [piece({ content: SAID }), piece({ content: 7 }, { finish_reason: "stop" })]],
    ["chat", "an answer", { ...whole({ ...odd, content: SAID }), usage }],
    [
      "messages",
      "a piece",
      [
        { type: "message_start", message: { id: 5, usage: { input_tokens: "x" } } },
        { type: "content_block_delta", index: "0", delta: { type: "text_delta", text: SAID, signature: 5 } },
        { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: 5 }, usage: { output_tokens: 3 } },
      ],
    ],
    ["messages", "an answer", { type: "message", content: [block, 5], stop_reason: "end_turn", stop_sequence: 5 }],
    [
      "responses",
      "a piece",
      [
        { type: "response.created", response: { id: "r", output: [] } },
        { type: "response.output_text.delta", item_id: 5, delta: SAID },
        { type: "response.completed", response: { id: "r", status: "completed", output: [item, 5] } },
      ],
    ],
    ["responses", "an answer", { id: "r", object: "response", status: "completed", output: [item, 5] }],
  ])("over %s takes nothing else of %s away", async (behind, _, sent) => {
    const { stored, text } = await ask(behind === "chat" ? "messages" : "chat", behind, sent);
    expect(text).toContain(SAID);
    expect(stored).toMatchObject([{ role: "assistant", content: SAID }]);
  });

  it("takes no call away that has no arguments, or has them as they are", async () => {
    const given = { ...call, function: { name: "look", arguments: { at: "sea" } } };
    for (const [calls, expected] of [
      [[call], ""],
      [[given], '{"at":"sea"}'],
    ] as const) {
      for (const sent of [whole({ content: null, tool_calls: calls }), [piece({ tool_calls: calls }), END]]) {
        const { stored } = await ask("messages", "chat", sent);
        expect(stored).toMatchObject([{ tool_calls: [{ id: "c1", function: { name: "look", arguments: expected } }] }]);
      }
    }
  });
});
