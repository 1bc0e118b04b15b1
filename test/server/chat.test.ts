// @module-tag stores
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import OpenAI from "openai";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { readTalk } from "../support/documents.ts";
import type { Memory } from "../../src/index.ts";
import { startModel } from "../support/model-server.ts";
import type { Script } from "../support/model-server.ts";
import { open } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { startServer } from "./start-server.ts";

type Param = OpenAI.Chat.Completions.ChatCompletionMessageParam;

async function start(script: Script, more: Record<string, unknown> = {}) {
  const model = await startModel(script);
  const memory = await open({ workspace: temporaryFolder(), config: { ...model.config, ...more } });
  const url = await startServer(memory);
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "unused", maxRetries: 0 });
  return { model, memory, url, client };
}

async function said(memory: Memory, key: string): Promise<string[]> {
  const session = await memory.session(key);
  return session
    .messages()
    .map(({ role, content }) => `${role}: ${typeof content === "string" ? content : JSON.stringify(content)}`);
}

describe("/v1/chat/completions", () => {
  it("adds memory to the system prompt, answers, and stores the turn", async () => {
    const { client, memory, model } = await start(() => ({ text: "In Lisbon." }));
    await memory.replaceMemory("# Memory\n\n## Facts\n\n- The user lives in Lisbon.\n");
    const answer = await client.chat.completions.create(
      {
        model: "tidemark",
        messages: [
          { role: "system", content: "Be brief." },
          { role: "user", content: "Where do I live?" },
        ],
      },
      { headers: { "x-tidemark-session": "app:42" } },
    );
    expect(answer.choices[0]?.message.content).toBe("In Lisbon.");
    expect(model.requests[0]?.model).toBe("tide");
    const [system] = model.requests[0]?.messages ?? [];
    expect(system?.content).toMatch(/^Be brief\.\n\n---\n\n[\s\S]*- The user lives in Lisbon\.$/);
    expect(await said(memory, "app:42")).toEqual(["user: Where do I live?", "assistant: In Lisbon."]);
  });

  it("sends nothing of its own where nothing is remembered", async () => {
    const { client, model } = await start(() => ({ text: "Hi." }));
    const messages: Param[] = [{ role: "user", content: "Hello" }];
    await client.chat.completions.create({ model: "tidemark", messages, temperature: 0.25, metadata: { a: "b" } });
    expect(model.requests[0]).toMatchObject({ model: "tide", messages, temperature: 0.25, metadata: { a: "b" } });
  });

  it("stores each message and answer once when a try is repeated, whether it arrived before or not", async () => {
    const { url, memory } = await start(({ messages }) => ({ text: `answer ${messages.length}` }));
    const ask = async (messages: Param[], tries: number) => {
      const response = await fetch(`${url}/v1/chat/completions`, {
        method: "POST",
        headers: { "x-tidemark-session": "app:retry", "x-stainless-retry-count": String(tries) },
        body: JSON.stringify({ messages }),
      });
      const { choices } = (await response.json()) as OpenAI.Chat.Completions.ChatCompletion;
      return choices[0]?.message.content ?? "";
    };
    const history: Param[] = [{ role: "user", content: "One" }];
    history.push({ role: "assistant", content: await ask(history, 0) }, { role: "user", content: "Two" });
    // Its first try was lost on the way here.
    const second = await ask(history, 1);
    expect(await said(memory, "app:retry")).toEqual([
      "user: One",
      "assistant: answer 1",
      "user: Two",
      `assistant: ${second}`,
    ]);
    // The answer to its first try was lost on the way back.
    await ask(history, 1);
    const talk = await said(memory, "app:retry");
    expect(talk.filter((line) => line.startsWith("user:"))).toEqual(["user: One", "user: Two"]);
    expect(talk.filter((line) => line === "assistant: answer 1")).toHaveLength(1);
  });

  it("stores each message once when the client sends its whole conversation each time", async () => {
    const { client, memory } = await start(({ messages }) => ({ text: `answer ${messages.length}` }));
    const messages: Param[] = [];
    for (const words of ["yes", "go on", "yes", "yes", "go on"]) {
      messages.push({ role: "user", content: words });
      const { choices } = await client.chat.completions.create({ model: "tidemark", messages, user: "ada" });
      messages.push({ role: "assistant", content: choices[0]?.message.content ?? "" });
    }
    expect(await said(memory, "api:ada")).toEqual(messages.map(({ role, content }) => `${role}: ${content as string}`));
  });

  it("stores nothing twice when the client goes on after /new", async () => {
    const { client, memory } = await start(() => ({ text: "Noted." }));
    const messages: Param[] = [{ role: "user", content: "I like tea" }];
    await client.chat.completions.create({ model: "tidemark", messages, user: "ada" });
    messages.push({ role: "assistant", content: "Noted." });
    await memory.startNew("api:ada");
    messages.push({ role: "user", content: "And coffee" });
    await client.chat.completions.create({ model: "tidemark", messages, user: "ada" });
    expect(await said(memory, "api:ada")).toEqual(["user: And coffee", "assistant: Noted."]);
  });

  it("keeps conversations apart by their first message where nothing names a session", async () => {
    const { client, memory } = await start(() => ({ text: "Yes." }));
    for (const content of ["One?", "Two?"]) {
      await client.chat.completions.create({ model: "tidemark", messages: [{ role: "user", content }] });
    }
    const { sessions } = await memory.listSessions();
    expect(sessions.map(({ key, messages }) => [/^api:[0-9a-f]{16}$/.test(key), messages])).toEqual([
      [true, 2],
      [true, 2],
    ]);
  });

  it("streams, and has stored the answer when the stream ends", async () => {
    const { client, memory } = await start(() => ({ text: "A longer answer that comes in several pieces." }));
    const messages: Param[] = [{ role: "user", content: "Tell me" }];
    for (let turn = 0; turn < 3; turn++) {
      const stream = await client.chat.completions.create({ model: "tidemark", messages, user: "s", stream: true });
      let text = "";
      let pieces = 0;
      for await (const chunk of stream) {
        text += chunk.choices[0]?.delta.content ?? "";
        pieces += 1;
        // The next request may come as soon as the answer is complete.
        if (chunk.choices[0]?.finish_reason) break;
      }
      expect(pieces).toBeGreaterThan(3);
      messages.push({ role: "assistant", content: text }, { role: "user", content: "Tell me" });
    }
    const stored = await said(memory, "api:s");
    expect(stored).toHaveLength(6);
    expect(new Set(stored).size).toBe(2);
  });

  it("passes tools and calls through untouched, streamed or not, and stores calls and results once", async () => {
    const tools: OpenAI.Chat.Completions.ChatCompletionTool[] = [
      {
        type: "function",
        function: {
          name: "weather",
          description: "",
          parameters: { type: "object", properties: { city: { type: "string" } } },
        },
      },
    ];
    const script: Script = ({ messages }) =>
      messages.at(-1)?.role === "tool" ? { text: "Sunny." } : { call: "weather", arguments: { city: "Évora" } };
    const { client, memory, model } = await start(script);
    const messages: Param[] = [{ role: "user", content: "Weather?" }];
    const first = await client.chat.completions.create({ model: "tidemark", messages, tools, user: "t" });
    expect(model.requests[0]?.tools).toEqual(tools);
    const call = first.choices[0]?.message;
    expect(call?.tool_calls?.[0]).toMatchObject({ function: { name: "weather", arguments: '{"city":"Évora"}' } });
    messages.push(call!, { role: "tool", tool_call_id: call!.tool_calls![0]!.id, content: "31 degrees" });
    await client.chat.completions.create({ model: "tidemark", messages, tools, user: "t" });
    messages.push({ role: "assistant", content: "Sunny." }, { role: "user", content: "Again?" });
    const runner = client.chat.completions.stream({ model: "tidemark", messages, tools, user: "t" });
    const again = (await runner.finalChatCompletion()).choices[0]?.message;
    expect(again?.tool_calls?.[0]).toMatchObject({ function: { name: "weather", arguments: '{"city":"Évora"}' } });
    const session = await memory.session("api:t");
    expect(session.messages().map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "assistant",
      "user",
      "assistant",
    ]);
    expect(session.messages()[1]?.tool_calls).toEqual(call?.tool_calls);
    expect(session.messages()[5]?.tool_calls).toMatchObject([
      { id: again?.tool_calls?.[0]?.id, function: { name: "weather", arguments: '{"city":"Évora"}' } },
    ]);
  });

  it("keeps pictures out of the session and sends them on", async () => {
    const { client, memory, model } = await start(() => ({ text: "A dot." }));
    const url = `data:image/png;base64,${Buffer.from("not really a picture, but long enough").toString("base64")}`;
    const messages: Param[] = [
      {
        role: "user",
        content: [
          { type: "text", text: "What is it?" },
          { type: "image_url", image_url: { url } },
        ],
      },
    ];
    await client.chat.completions.create({ model: "tidemark", messages, user: "p" });
    messages.push({ role: "assistant", content: "A dot." }, { role: "user", content: "Sure?" });
    await client.chat.completions.create({ model: "tidemark", messages, user: "p" });
    expect(JSON.stringify(model.requests[1])).toContain(url);
    expect(await readTalk(memory, "sessions/api_p.jsonl")).not.toContain("base64");
    expect((await memory.session("api:p")).length).toBe(4);
  });

  it("hands a provider's error on, and does not store it as an answer; the retry stores nothing twice", async () => {
    let isBroken = true;
    const { client, memory } = await start(() =>
      isBroken
        ? {
            status: 429,
            body: { error: { message: "slow down", type: "rate_limit" } },
            headers: { "retry-after": "7" },
          }
        : { text: "Here." },
    );
    const ask = () =>
      client.chat.completions.create({ model: "tidemark", messages: [{ role: "user", content: "Hi" }], user: "e" });
    const error = await ask().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(OpenAI.RateLimitError);
    expect((error as InstanceType<typeof OpenAI.RateLimitError>).headers?.get("retry-after")).toBe("7");
    expect(await said(memory, "api:e")).toEqual(["user: Hi"]);
    isBroken = false;
    await ask();
    expect(await said(memory, "api:e")).toEqual(["user: Hi", "assistant: Here."]);
  });

  it("stores a message once when its answer was lost on the way and the client tries again", async () => {
    const { client, memory } = await start(() => ({ text: "Here." }));
    const ask = (count: string) =>
      client.chat.completions.create(
        { model: "tidemark", messages: [{ role: "user", content: "Hi" }], user: "r" },
        { headers: { "x-stainless-retry-count": count } },
      );
    await ask("0");
    await ask("1");
    expect((await said(memory, "api:r")).filter((line) => line === "user: Hi")).toHaveLength(1);
    await ask("0");
    expect((await said(memory, "api:r")).filter((line) => line === "user: Hi")).toHaveLength(2);
  });

  it("knows a message again whose secrets were masked when it was stored", async () => {
    let isBroken = true;
    const { client, memory } = await start(() => (isBroken ? { status: 500 } : { text: "Thanks." }), {
      secrets: { transcripts: "mask" },
    });
    const key = `sk-ant-api03-${"a1B2".repeat(20)}`;
    const ask = () =>
      client.chat.completions.create({
        model: "tidemark",
        messages: [{ role: "user", content: `My key is ${key}` }],
        user: "m",
      });
    await expect(ask()).rejects.toThrow();
    isBroken = false;
    await ask();
    const stored = await said(memory, "api:m");
    expect(stored).toEqual([expect.stringMatching(/^user: My key is \[masked: /), "assistant: Thanks."]);
  });

  it("stores what comes at the same time in one session once each", async () => {
    const { client, memory } = await start(({ messages }) => ({ text: `To ${String(messages.at(-1)?.content)}` }));
    const questions = Array.from({ length: 20 }, (_, index) => `Question ${index}`);
    await Promise.all(
      questions.map((content) =>
        client.chat.completions.create({ model: "tidemark", messages: [{ role: "user", content }], user: "p" }),
      ),
    );
    const stored = await said(memory, "api:p");
    const expected = questions.flatMap((question) => [`user: ${question}`, `assistant: To ${question}`]);
    expect(stored.toSorted()).toEqual(expected.toSorted());
  });

  it("answers in OpenAI's shape when the model cannot be reached or none is configured", async () => {
    const { client, model } = await start(() => ({ text: "" }));
    await model.close();
    const messages: Param[] = [{ role: "user", content: "Hi" }];
    const gone = await client.chat.completions
      .create({ model: "tidemark", messages })
      .catch((thrown: unknown) => thrown);
    expect(gone).toMatchObject({ status: 502, code: "model_failed" });
    const bare = await open({ workspace: temporaryFolder() });
    const other = new OpenAI({ baseURL: `${await startServer(bare)}/v1`, apiKey: "x", maxRetries: 0 });
    const none = await other.chat.completions
      .create({ model: "tidemark", messages })
      .catch((thrown: unknown) => thrown);
    expect(none).toMatchObject({ status: 503, code: "model_unknown", type: "server_error" });
  });

  it("stores nothing on request, and nothing of a request that is not valid", async () => {
    const { client, memory, url } = await start(() => ({ text: "A title" }));
    await client.chat.completions.create(
      { model: "tidemark", messages: [{ role: "user", content: "Title?" }], user: "n" },
      { headers: { "x-tidemark-record": "off" } },
    );
    expect(await memory.hasSession("api:n")).toBe(false);
    for (const body of ["{", "[]", '{"messages":[]}', '{"messages":[{"content":"x"}]}', '{"messages":"x"}']) {
      const response = await fetch(`${url}/v1/chat/completions`, { method: "POST", body });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({
        error: { type: "invalid_request_error", message: expect.any(String) },
      });
    }
    expect((await memory.listSessions()).sessions).toEqual([]);
  });

  it("keeps what was said when the client leaves in the middle of a stream", async () => {
    const { client, memory, model } = await start(() => ({ text: "" }));
    let hasProviderHeard = false;
    const slow = createServer((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const send = () =>
        response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: "word " } }] })}\n\n`);
      const timer = setInterval(send, 20);
      response.on("close", () => {
        clearInterval(timer);
        hasProviderHeard = true;
      });
    });
    const port = Number(new URL(model.url).port);
    await model.close();
    await new Promise<void>((resolve) => slow.listen(port, "127.0.0.1", resolve));
    onTestFinished(() => void slow.close());
    const stream = await client.chat.completions.create({
      model: "tidemark",
      messages: [{ role: "user", content: "Go" }],
      user: "l",
      stream: true,
    });
    let heard = "";
    for await (const chunk of stream) {
      heard += chunk.choices[0]?.delta.content ?? "";
      if (heard.length > 20) break;
    }
    stream.controller.abort();
    await vi.waitFor(async () => expect((await memory.session("api:l")).length).toBe(2), { timeout: 5000 });
    const answer = (await memory.session("api:l")).messages()[1];
    expect(answer).toMatchObject({ role: "assistant", stopped: true, content: expect.stringContaining("word word") });
    await vi.waitFor(() => expect(hasProviderHeard).toBe(true));
  });

  const word = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: "Half an " } }] })}\n\n`;
  const failure = `data: ${JSON.stringify({ error: { message: "overloaded", code: 529 } })}\n\n`;
  it.each([
    ["an error", `${word}${failure}`, "overloaded"],
    ["an error and [DONE]", `${word}${failure}data: [DONE]\n\n`, "overloaded"],
    ["an error by its name", `${word}event: error\n${failure}`, "overloaded"],
    ["nothing more", word, "ended before the answer was complete"],
  ])("stores no half answer of a provider that sends a piece and then %s", async (_, events, reason) => {
    const model = await startModel(() => ({ text: "" }));
    const memory = await open({ workspace: temporaryFolder(), config: model.config });
    const upstream: typeof fetch = async () =>
      new Response(events, { headers: { "content-type": "text/event-stream" } });
    const url = await startServer(memory, { fetch: upstream });
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "unused", maxRetries: 0 });
    const messages: Param[] = [{ role: "user", content: "Go" }];
    const stream = await client.chat.completions.create({ model: "tidemark", messages, user: "h", stream: true });
    let heard = "";
    const read = async () => {
      for await (const chunk of stream) heard += chunk.choices[0]?.delta.content ?? "";
    };
    await expect(read()).rejects.toThrow(reason);
    expect(heard).toBe("Half an ");
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      body: JSON.stringify({ messages, user: "h", stream: true }),
    });
    expect((await response.text()).match(/"error"/g)).toHaveLength(1);
    expect(await said(memory, "api:h")).toEqual(["user: Go"]);
  });

  it("stops at the day's cap of tokens", async () => {
    const { client, model } = await start(() => ({ text: "ok", usage: { prompt_tokens: 90, completion_tokens: 20 } }), {
      spend: { tokensPerDay: 100 },
    });
    const ask = () =>
      client.chat.completions.create({ model: "tidemark", messages: [{ role: "user", content: "Hi" }] });
    await ask();
    expect(await ask().catch((thrown: unknown) => thrown)).toMatchObject({ status: 429, code: "spend_capped" });
    expect(model.requests).toHaveLength(1);
  });

  it.each(["a stream", "an answer"])("counts %s that broke off", async (what) => {
    const text = "word ".repeat(2000);
    const provider = createServer((request, response) => {
      request.resume();
      const chunk = JSON.stringify({ choices: [{ index: 0, delta: { content: text } }] });
      response.setHeader("content-type", what === "a stream" ? "text/event-stream" : "application/json");
      response.write(what === "a stream" ? `data: ${chunk}\n\n` : chunk, () =>
        setTimeout(() => response.destroy(), 20),
      );
    });
    await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void provider.close());
    const { port } = provider.address() as AddressInfo;
    const { url } = await start(() => ({ text: "" }), {
      providers: { scripted: { baseUrl: `http://127.0.0.1:${port}/v1` } },
      spend: { tokensPerDay: 40 },
    });
    const ask = async () => {
      const messages = [{ role: "user", content: "Hi there, ".repeat(20) }];
      const body = JSON.stringify({ model: "tidemark", messages, stream: what === "a stream" });
      const response = await fetch(`${url}/v1/chat/completions`, { method: "POST", body });
      return { status: response.status, text: await response.text() };
    };
    const first = await ask();
    expect(first.text).toContain("broke off");
    expect([first.status, (await ask()).status]).toEqual([what === "a stream" ? 200 : 502, 429]);
  });

  it("counts a request whose client did not wait for the answer", async () => {
    const { url, model } = await start(() => ({ hang: true }), { spend: { tokensPerDay: 40 } });
    const ask = (signal?: AbortSignal) => {
      const body = JSON.stringify({
        model: "tidemark",
        messages: [{ role: "user", content: "Hi there, ".repeat(20) }],
      });
      return fetch(`${url}/v1/chat/completions`, { method: "POST", body, ...(signal ? { signal } : {}) });
    };
    const leaving = new AbortController();
    const asked = ask(leaving.signal);
    await vi.waitFor(() => expect(model.requests).toHaveLength(1));
    leaving.abort();
    await expect(asked).rejects.toThrow();
    await vi.waitFor(async () => expect((await ask(AbortSignal.timeout(500))).status).toBe(429), { timeout: 5000 });
  });

  it("counts what could not be written down, and writes it later", async () => {
    const { client, memory, url } = await start(
      () => ({ text: "ok", usage: { prompt_tokens: 90, completion_tokens: 20 } }),
      { spend: { tokensPerDay: 100 } },
    );
    const write = vi.spyOn(memory.queue, "addSpend").mockRejectedValueOnce(new Error("database is locked"));
    const ask = () =>
      client.chat.completions.create({ model: "tidemark", messages: [{ role: "user", content: "Hi" }] });
    await ask();
    await vi.waitFor(() => expect(write).toHaveBeenCalledTimes(1), { timeout: 5000 });
    expect(await ask().catch((thrown: unknown) => thrown)).toMatchObject({ status: 429 });
    await vi.waitFor(async () => expect(await memory.spending.tokensLeft()).toBeLessThan(0), { timeout: 5000 });
    expect(write).toHaveBeenCalledTimes(2);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });

  it("digests behind the conversation", async () => {
    const { client, memory } = await start(
      ({ tools }) =>
        tools
          ? {
              call: "save_memory",
              arguments: {
                history_entry: "[2026-11-15 09:00] They talked about tea.",
                memory_update: "# Memory\n\n- The user likes tea.\n",
              },
            }
          : { text: "Noted." },
      { agents: { defaults: { model: "scripted/tide", memoryWindow: 20 } } },
    );
    const messages: Param[] = [];
    for (let turn = 0; turn < 15; turn++) {
      messages.push({ role: "user", content: `I like tea ${turn}` });
      await client.chat.completions.create({ model: "scripted/tide", messages, user: "d" });
      messages.push({ role: "assistant", content: "Noted." });
    }
    const notices: string[] = [];
    memory.on("notice", ({ text }) => notices.push(text));
    await memory.settle();
    expect(notices).toEqual([]);
    const session = await memory.session("api:d");
    expect(session.length).toBe(30);
    expect(session.cursor).toBeGreaterThan(0);
  });
});

describe("/v1/models", () => {
  it("lists what can be asked for", async () => {
    const { client } = await start(() => ({ text: "" }));
    const ids: string[] = [];
    for await (const { id } of client.models.list()) ids.push(id);
    expect(ids).toEqual(["tidemark", "scripted/tide"]);
  });
});
