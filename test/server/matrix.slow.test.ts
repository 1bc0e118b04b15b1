import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { open } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { startProvider } from "./scripted-provider.ts";
import type { ProviderReply, ProviderRequest } from "./scripted-provider.ts";
import { startServer } from "./start-server.ts";

// The official clients, every API in front of every other: wires.test.ts has pictures, tools, cuts and limits.

type WireName = "chat" | "responses" | "messages";
const WIRES: readonly WireName[] = ["chat", "responses", "messages"];

async function start(behind: WireName, script: (request: ProviderRequest) => ProviderReply) {
  const provider = await startProvider(script);
  const memory = await open({ workspace: temporaryFolder(), config: provider.config(behind) });
  const url = await startServer(memory);
  const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey: "unused", maxRetries: 0 });
  const anthropic = new Anthropic({ baseURL: url, apiKey: "unused", maxRetries: 0 });
  return { memory, openai, anthropic };
}
type Started = Awaited<ReturnType<typeof start>>;

interface Options {
  headers: Record<string, string>;
  signal?: AbortSignal;
}

/** The words of an answer as they come; one piece where it is not streamed. */
const ASK: Record<
  WireName,
  (started: Started, text: string, isStreamed: boolean, options: Options) => AsyncGenerator<string>
> = {
  async *chat({ openai }, content, isStreamed, options) {
    const request = { model: "tidemark", messages: [{ role: "user" as const, content }] };
    if (!isStreamed) yield (await openai.chat.completions.create(request, options)).choices[0]?.message.content ?? "";
    else
      for await (const chunk of await openai.chat.completions.create({ ...request, stream: true }, options))
        yield chunk.choices[0]?.delta.content ?? "";
  },
  async *responses({ openai }, input, isStreamed, options) {
    const request = { model: "tidemark", input };
    if (!isStreamed) yield (await openai.responses.create(request, options)).output_text;
    else
      for await (const event of await openai.responses.create({ ...request, stream: true }, options))
        if (event.type === "response.output_text.delta") yield event.delta;
  },
  async *messages({ anthropic }, content, isStreamed, options) {
    const request = { model: "tidemark", max_tokens: 999, messages: [{ role: "user" as const, content }] };
    if (!isStreamed) {
      const [block] = (await anthropic.messages.create(request, options)).content;
      yield block?.type === "text" ? block.text : "";
    } else
      for await (const event of await anthropic.messages.create({ ...request, stream: true }, options))
        if (event.type === "content_block_delta" && event.delta.type === "text_delta") yield event.delta.text;
  },
};

const pairs = WIRES.flatMap((client) => WIRES.map((behind) => ({ client, behind })));

describe.each(pairs)("$client in front of $behind", ({ client, behind }) => {
  it.each([false, true])("is served a hundred at once, each with its own answer; streamed: %s", async (isStreamed) => {
    const started = await start(behind, ({ body }) => {
      const [, number = ""] = /number (\d+)/.exec(JSON.stringify(body)) ?? [];
      return { text: `This is ${number}.` };
    });
    const texts = await Promise.all(
      Array.from({ length: 100 }, async (_, number) => {
        const options = { headers: { "x-session-id": `n${number % 10}` } };
        let text = "";
        for await (const piece of ASK[client](started, `I am number ${number}.`, isStreamed, options)) text += piece;
        return text;
      }),
    );
    expect(texts).toEqual(Array.from({ length: 100 }, (_, number) => `This is ${number}.`));
    expect((await started.memory.listSessions()).sessions.map(({ messages }) => messages)).toEqual(Array(10).fill(20));
  });

  it("keeps what was heard when the client stops it in the middle", async () => {
    const started = await start(behind, () => ({ text: "word ".repeat(4000) }));
    const leave = new AbortController();
    const options = { headers: { "x-session-id": "left" }, signal: leave.signal };
    const heard: string[] = [];
    try {
      for await (const piece of ASK[client](started, "Talk", true, options)) {
        heard.push(piece);
        if (heard.join("").length > 20) leave.abort();
      }
    } catch (error) {
      // What a client throws when it was stopped; some only end.
      expect(String(error)).toMatch(/abort/i);
    }
    expect(heard.join("").length).toBeGreaterThan(20);
    const last = async () => (await started.memory.session("api:left")).messages().at(-1);
    await expect
      .poll(last, { timeout: 20_000 })
      .toMatchObject({ role: "assistant", content: expect.stringMatching(/^word /) });
    expect((await started.memory.session("api:left")).messages()).toHaveLength(2);
  });
});
