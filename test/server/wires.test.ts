// @module-tag stores
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import type { Memory } from "../../src/index.ts";
import { openModel } from "../../src/model/open-model.ts";
import { open } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { startProvider } from "./scripted-provider.ts";
import type { ProviderReply, ProviderRequest, WireName } from "./scripted-provider.ts";
import { startServer } from "./start-server.ts";

const WIRES: readonly WireName[] = ["chat", "responses", "messages"];
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const HEADERS = { "x-tidemark-session": "app:1" };

async function start(wire: WireName, script: (request: ProviderRequest, index: number) => ProviderReply) {
  const provider = await startProvider(script);
  const memory = await open({ workspace: temporaryFolder(), config: provider.config(wire) });
  const url = await startServer(memory);
  return {
    ...provider,
    memory,
    url,
    openai: new OpenAI({ baseURL: `${url}/v1`, apiKey: "unused", maxRetries: 0, defaultHeaders: HEADERS }),
    anthropic: new Anthropic({ baseURL: url, apiKey: "unused", maxRetries: 0, defaultHeaders: HEADERS }),
  };
}
type Started = Awaited<ReturnType<typeof start>>;

async function stored(memory: Memory, key = "app:1") {
  const session = await memory.session(key);
  return session.messages().map(({ role, content, tool_calls, tool_call_id }) => ({
    role,
    content,
    ...(tool_calls
      ? { calls: tool_calls.map((call) => [call.id, call.function?.name, call.function?.arguments]) }
      : {}),
    ...(tool_call_id ? { tool_call_id } : {}),
  }));
}

interface Said {
  text: string;
  calls: { id: string; name: string; input: unknown }[];
  stop: string | null | undefined;
  usage: { input: number; output: number; cached: number } | undefined;
  thoughts?: string;
}

const WEATHER = { type: "object" as const, properties: { city: { type: "string" } }, required: ["city"] };

/** One way to talk: a question with a picture, then the results of the calls, over each SDK. */
const CLIENTS: Record<WireName, { ask(started: Started, turn: 1 | 2, isStreamed: boolean): Promise<Said> }> = {
  chat: {
    async ask({ openai }, turn, isStreamed) {
      const request: Omit<OpenAI.Chat.ChatCompletionCreateParamsNonStreaming, "stream"> = {
        model: "tidemark",
        messages: [
          { role: "system", content: "Be brief." },
          {
            role: "user",
            content: [
              { type: "text", text: "What is the weather here?" },
              { type: "image_url", image_url: { url: `data:image/png;base64,${PIXEL}` } },
            ],
          },
          ...(turn === 1
            ? []
            : [
                {
                  role: "assistant" as const,
                  content: "Let me look.",
                  tool_calls: ["Lisbon", "Porto"].map((city, index) => ({
                    id: `call_${index}`,
                    type: "function" as const,
                    function: { name: "weather", arguments: JSON.stringify({ city }) },
                  })),
                },
                { role: "tool" as const, tool_call_id: "call_0", content: "sunny" },
                { role: "tool" as const, tool_call_id: "call_1", content: "rain" },
              ]),
        ],
        tools: [{ type: "function", function: { name: "weather", description: "Tells.", parameters: WEATHER } }],
        tool_choice: "auto",
        max_completion_tokens: 500,
        temperature: 0.5,
      };
      const completion = isStreamed
        ? await openai.chat.completions
            .stream({ ...request, stream_options: { include_usage: true } })
            .finalChatCompletion()
        : await openai.chat.completions.create(request);
      const [choice] = completion.choices;
      const { usage } = completion;
      return {
        text: choice?.message.content ?? "",
        calls: (choice?.message.tool_calls ?? []).flatMap((call) =>
          call.type === "function"
            ? [{ id: call.id, name: call.function.name, input: JSON.parse(call.function.arguments) }]
            : [],
        ),
        stop: choice?.finish_reason,
        usage: usage && {
          input: usage.prompt_tokens,
          output: usage.completion_tokens,
          cached: usage.prompt_tokens_details?.cached_tokens ?? 0,
        },
      };
    },
  },
  responses: {
    async ask({ openai }, turn, isStreamed) {
      const request: Omit<OpenAI.Responses.ResponseCreateParamsNonStreaming, "stream"> = {
        model: "tidemark",
        instructions: "Be brief.",
        input: [
          {
            role: "user",
            content: [
              { type: "input_text", text: "What is the weather here?" },
              { type: "input_image", image_url: `data:image/png;base64,${PIXEL}`, detail: "auto" },
            ],
          },
          ...(turn === 1
            ? []
            : [
                { role: "assistant" as const, content: "Let me look." },
                ...["Lisbon", "Porto"].map((city, index) => ({
                  type: "function_call" as const,
                  call_id: `call_${index}`,
                  name: "weather",
                  arguments: JSON.stringify({ city }),
                })),
                { type: "function_call_output" as const, call_id: "call_0", output: "sunny" },
                { type: "function_call_output" as const, call_id: "call_1", output: "rain" },
              ]),
        ],
        tools: [{ type: "function", name: "weather", description: "Tells.", parameters: WEATHER, strict: false }],
        tool_choice: "auto",
        max_output_tokens: 500,
        temperature: 0.5,
      };
      const response = isStreamed
        ? await openai.responses.stream(request).finalResponse()
        : await openai.responses.create(request);
      const { usage } = response;
      return {
        text: response.output_text,
        calls: response.output.flatMap((item) =>
          item.type === "function_call"
            ? [{ id: item.call_id, name: item.name, input: JSON.parse(item.arguments) }]
            : [],
        ),
        stop: response.incomplete_details?.reason ?? response.status,
        usage: usage && {
          input: usage.input_tokens,
          output: usage.output_tokens,
          cached: usage.input_tokens_details.cached_tokens,
        },
      };
    },
  },
  messages: {
    async ask({ anthropic }, turn, isStreamed) {
      const request: Anthropic.MessageCreateParamsNonStreaming & { temperature: number } = {
        model: "tidemark",
        system: "Be brief.",
        max_tokens: 500,
        temperature: 0.5,
        messages: [
          {
            role: "user",
            content: [
              { type: "text", text: "What is the weather here?" },
              { type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } },
            ],
          },
          ...(turn === 1
            ? []
            : [
                {
                  role: "assistant" as const,
                  content: [
                    { type: "text" as const, text: "Let me look." },
                    ...["Lisbon", "Porto"].map((city, index) => ({
                      type: "tool_use" as const,
                      id: `call_${index}`,
                      name: "weather",
                      input: { city },
                    })),
                  ],
                },
                {
                  role: "user" as const,
                  content: [
                    { type: "tool_result" as const, tool_use_id: "call_0", content: "sunny" },
                    { type: "tool_result" as const, tool_use_id: "call_1", content: "rain" },
                  ],
                },
              ]),
        ],
        tools: [{ name: "weather", description: "Tells.", input_schema: WEATHER }],
        tool_choice: { type: "auto" },
      };
      const message = isStreamed
        ? await anthropic.messages.stream(request).finalMessage()
        : await anthropic.messages.create(request);
      const { usage } = message;
      return {
        text: message.content.map((block) => (block.type === "text" ? block.text : "")).join(""),
        calls: message.content.flatMap((block) =>
          block.type === "tool_use" ? [{ id: block.id, name: block.name, input: block.input }] : [],
        ),
        stop: message.stop_reason,
        usage: {
          input: usage.input_tokens + (usage.cache_read_input_tokens ?? 0),
          output: usage.output_tokens,
          cached: usage.cache_read_input_tokens ?? 0,
        },
      };
    },
  },
};

const STOPS: Record<WireName, { calls: string; done: string; length: string }> = {
  chat: { calls: "tool_calls", done: "stop", length: "length" },
  responses: { calls: "completed", done: "completed", length: "max_output_tokens" },
  messages: { calls: "tool_use", done: "end_turn", length: "max_tokens" },
};
const CALLS = [
  { id: "call_0", name: "weather", input: { city: "Lisbon" } },
  { id: "call_1", name: "weather", input: { city: "Porto" } },
];

const pairs = WIRES.flatMap((client) =>
  WIRES.flatMap((behind) => [false, true].map((isStreamed) => ({ client, behind, isStreamed }))),
);

describe.each(pairs)("$client in front of $behind, streamed: $isStreamed", ({ client, behind, isStreamed }) => {
  it("asks with a picture and tools, and stores what was said once", async () => {
    const started = await start(behind, (_, index) =>
      index === 0 ? { text: "Let me look.", calls: CALLS } : { text: "Sun in Lisbon, rain in Porto." },
    );
    const { memory, requests } = started;
    await memory.replaceMemory("# Memory\n\n## Facts\n\n- The user lives in Lisbon.\n");
    const first = await CLIENTS[client].ask(started, 1, isStreamed);
    expect(first).toMatchObject({ text: "Let me look.", calls: CALLS, stop: STOPS[client].calls });
    expect(first.usage).toEqual({ input: 50, output: 7, cached: 20 });
    const second = await CLIENTS[client].ask(started, 2, isStreamed);
    expect(second).toMatchObject({ text: "Sun in Lisbon, rain in Porto.", calls: [], stop: STOPS[client].done });
    const [asked, again] = requests;
    expect(asked?.path).toBe(`/v1/${behind === "chat" ? "chat/completions" : behind}`);
    expect(asked?.headers[behind === "messages" ? "x-api-key" : "authorization"]).toMatch(/provider-key$/);
    const sent = JSON.stringify(again?.body);
    for (const words of [
      "Be brief.",
      "The user lives in Lisbon",
      PIXEL,
      "sunny",
      "rain",
      "Porto",
      "weather",
      "Tells.",
    ]) {
      expect(sent).toContain(words);
    }
    expect(again?.body).toMatchObject({ model: "tide", temperature: 0.5 });
    expect(await stored(memory)).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "What is the weather here?" },
          { type: "text", text: expect.stringMatching(/^\[image: sessions\/files\//) },
        ],
      },
      {
        role: "assistant",
        content: "Let me look.",
        calls: [
          ["call_0", "weather", '{"city":"Lisbon"}'],
          ["call_1", "weather", '{"city":"Porto"}'],
        ],
      },
      { role: "tool", content: "sunny", tool_call_id: "call_0" },
      { role: "tool", content: "rain", tool_call_id: "call_1" },
      { role: "assistant", content: "Sun in Lisbon, rain in Porto." },
    ]);
  });

  it("tells that an answer was cut, and a limit that was reached in the client's own form", async () => {
    const started = await start(behind, (_, index) =>
      index === 0
        ? { text: "Half an", stop: "length" }
        : { status: 429, message: "Slow down", headers: { "retry-after": "7", "x-ratelimit-limit-requests": "60" } },
    );
    expect(await CLIENTS[client].ask(started, 1, isStreamed)).toMatchObject({
      text: "Half an",
      stop: STOPS[client].length,
    });
    const failure = await CLIENTS[client].ask(started, 1, isStreamed).catch((error: unknown) => error);
    const isAnthropic = client === "messages";
    expect(failure).toBeInstanceOf(isAnthropic ? Anthropic.RateLimitError : OpenAI.RateLimitError);
    const { message, headers } = failure as InstanceType<typeof OpenAI.APIError>;
    expect(message).toContain("Slow down");
    expect(headers?.get("retry-after")).toBe("7");
    expect(headers?.get("x-ratelimit-limit-requests")).toBe("60");
    // The same words again, without a history: they were said again. The failure was not.
    expect((await stored(started.memory)).map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
  });
});

describe.each(WIRES)("a client of %s", (client) => {
  it.each(WIRES)("is told that a provider of %s broke off, and nothing of it is stored", async (behind) => {
    const started = await start(behind, () => ({ breaks: "An answer of which only half will come" }));
    await expect(CLIENTS[client].ask(started, 1, true)).rejects.toThrow(/broke off|ended|terminated/);
    expect((await stored(started.memory)).map(({ role }) => role)).toEqual(["user"]);
  });

  it("keeps what was heard of a stream that it left", async () => {
    const started = await start(client === "chat" ? "messages" : "chat", () => ({ text: "word ".repeat(4000) }));
    const body = {
      chat: { model: "tidemark", messages: [{ role: "user", content: "Talk" }], stream: true },
      responses: { model: "tidemark", input: "Talk", stream: true },
      messages: { model: "tidemark", messages: [{ role: "user", content: "Talk" }], max_tokens: 9, stream: true },
    }[client];
    const leave = new AbortController();
    const path = client === "chat" ? "chat/completions" : client;
    const response = await fetch(`${started.url}/v1/${path}`, {
      method: "POST",
      headers: HEADERS,
      body: JSON.stringify(body),
      signal: leave.signal,
    });
    await response.body?.getReader().read();
    leave.abort();
    await expect
      .poll(async () => (await stored(started.memory)).at(-1), { timeout: 5000 })
      .toMatchObject({ role: "assistant", content: expect.stringMatching(/^word /) });
  });

  it("is refused a model that does not exist", async () => {
    const { openai, anthropic, requests } = await start("chat", () => ({ text: "" }));
    const ask = {
      chat: () => openai.chat.completions.create({ model: "no-such", messages: [{ role: "user", content: "Hi" }] }),
      responses: () => openai.responses.create({ model: "no-such", input: "Hi" }),
      messages: () =>
        anthropic.messages.create({ model: "no-such", max_tokens: 9, messages: [{ role: "user", content: "Hi" }] }),
    }[client];
    const failure = await Promise.resolve(ask()).catch((error: unknown) => error);
    expect(failure).toMatchObject({ status: 404 });
    expect(failure).toBeInstanceOf(client === "messages" ? Anthropic.NotFoundError : OpenAI.NotFoundError);
    expect(requests).toEqual([]);
  });

  it("is told in its own form what is wrong with a request, and nothing is asked or stored", async () => {
    const { url, memory, requests } = await start("chat", () => ({ text: "" }));
    const path = client === "chat" ? "chat/completions" : client;
    const odd = (items: unknown[]) => {
      const said = [{ role: "user", content: "Words that are not stored" }, ...items];
      return JSON.stringify({ max_tokens: 9, [client === "responses" ? "input" : "messages"]: said });
    };
    for (const body of [
      "{",
      "[]",
      "{}",
      '{"messages":[],"input":[]}',
      '{"messages":"x","input":7}',
      '{"messages":[{}],"input":[7]}',
      odd([{ role: "user", content: { text: "x" } }]),
      odd([{ role: "user", content: [{ type: client === "responses" ? "input_text" : "text", text: 5 }] }]),
      odd([{ role: "assistant", content: 5 }]),
    ]) {
      const response = await fetch(`${url}/v1/${path}`, { method: "POST", body });
      expect(response.status).toBe(400);
      const told = await response.json();
      if (client === "messages")
        expect(told).toMatchObject({ type: "error", error: { type: "invalid_request_error" } });
      else expect(told).toMatchObject({ error: { type: "invalid_request_error", code: "invalid_request" } });
    }
    expect(requests).toEqual([]);
    expect((await memory.listSessions()).sessions).toEqual([]);
  });

  it("is refused what is nested too deeply, and nothing is asked or stored", async () => {
    const { url, memory, requests } = await start("chat", () => ({ text: "" }));
    const paths = {
      chat: ["chat/completions", "embeddings"],
      responses: ["responses"],
      messages: ["messages", "messages/count_tokens"],
    };
    const said = JSON.stringify([{ role: "user", content: "Hi" }]);
    for (const depth of [600, 20_000, 200_000]) {
      const deep = `${"[".repeat(depth)}${"]".repeat(depth)}`;
      const body = `{"model":"tidemark","max_tokens":9,"messages":${said},"input":${client === "chat" ? '"Hi"' : said},"x":${deep}}`;
      for (const path of paths[client]) {
        const response = await fetch(`${url}/v1/${path}`, { method: "POST", body });
        expect([path, depth, response.status]).toEqual([path, depth, 400]);
        expect(await response.text()).toContain("deep");
      }
    }
    expect(requests).toEqual([]);
    expect((await memory.listSessions()).sessions).toEqual([]);
  });

  it("may leave out what a format or a call need not have", async () => {
    const { url } = await start("chat", () => ({ text: "Aye." }));
    const path = client === "chat" ? "chat/completions" : client;
    const said = [{ role: "user", content: "Ready?" }];
    const body = {
      chat: {
        messages: [
          ...said,
          { role: "assistant", content: null, tool_calls: [{ id: "c", type: "function", function: { name: "look" } }] },
          { role: "tool", tool_call_id: "c", content: "Nothing" },
        ],
        response_format: { type: "text" },
      },
      responses: { input: said, text: { format: { type: "text" } } },
      messages: { messages: said, max_tokens: 9, output_config: { format: { type: "text" } } },
    }[client];
    const response = await fetch(`${url}/v1/${path}`, { method: "POST", body: JSON.stringify(body) });
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining("Aye.")]);
  });

  it("is served a hundred at once, each with its own answer", async () => {
    const { url, memory } = await start(client === "chat" ? "messages" : "chat", ({ body }) => {
      const [, number = ""] = /number (\d+)/.exec(JSON.stringify(body)) ?? [];
      return { text: `This is ${number}.` };
    });
    const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey: "unused", maxRetries: 0 });
    const anthropic = new Anthropic({ baseURL: url, apiKey: "unused", maxRetries: 0 });
    const texts = await Promise.all(
      Array.from({ length: 100 }, async (_, number) => {
        const content = `I am number ${number}.`;
        const options = { headers: { "x-session-id": `n${number % 10}` } };
        if (client === "chat") {
          const messages = [{ role: "user" as const, content }];
          const answer = await openai.chat.completions.create({ model: "tidemark", messages }, options);
          return answer.choices[0]?.message.content;
        }
        if (client === "responses") {
          return (await openai.responses.create({ model: "tidemark", input: content }, options)).output_text;
        }
        const request = { model: "tidemark", max_tokens: 99, messages: [{ role: "user" as const, content }] };
        const { content: said } = await anthropic.messages.create(request, options);
        return said[0]?.type === "text" ? said[0].text : "";
      }),
    );
    expect(texts).toEqual(Array.from({ length: 100 }, (_, number) => `This is ${number}.`));
    expect((await memory.listSessions()).sessions.map(({ messages }) => messages)).toEqual(Array(10).fill(20));
    const said = (await stored(memory, "api:n2")).map(({ content }) => String(content));
    expect(said.filter((line) => /\b42\./.test(line))).toEqual(["I am number 42.", "This is 42."]);
  });
});

describe("the model behind a memory", () => {
  it.each(WIRES)("is asked over the wire that its provider speaks: %s", async (wire) => {
    const { requests, config } = await startProvider(() => ({ text: "Aye." }));
    const memory = await open({ workspace: temporaryFolder(), config: config(wire) });
    const model = await openModel("scripted/tide", memory.config);
    const { text } = await model.ask({ system: ["Be brief."], messages: [{ role: "user", content: "Ready?" }] });
    expect(text).toBe("Aye.");
    expect(requests[0]?.path).toBe(`/v1/${wire === "chat" ? "chat/completions" : wire}`);
  });
});
