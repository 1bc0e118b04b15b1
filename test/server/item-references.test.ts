// @module-tag stores
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, isStepCount, streamText, tool } from "ai";
import type { ModelMessage } from "ai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { open } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { startProvider } from "./scripted-provider.ts";
import type { WireName } from "./scripted-provider.ts";
import { startServer } from "./start-server.ts";

const Answered = z.object({
  output: z.array(z.object({ id: z.string() })).default([]),
  error: z.looseObject({ message: z.string() }).nullish(),
});

async function start(wire: WireName) {
  const call = { id: "call_0", name: "weather", input: { city: "Lisbon" } };
  const provider = await startProvider((_, index) =>
    index === 0 ? { text: "Let me look.", thoughts: "Hm.", calls: [call] } : { text: `Sunny, ${index}.` },
  );
  const memory = await open({ workspace: temporaryFolder(), config: provider.config(wire) });
  const url = await startServer(memory);
  const stored = async () =>
    Promise.all(
      (await memory.listSessions()).sessions.map(async ({ key }) =>
        (await memory.session(key)).messages().map(({ role, content }) => `${role}: ${String(content)}`),
      ),
    );
  return { ...provider, memory, url, stored };
}

describe("a client that refers to what the provider said", () => {
  // The AI SDK sends words of the model as references, unless it is told to keep nothing at the provider.
  it.each([
    ["chat", false],
    ["chat", true],
    ["messages", false],
    ["messages", true],
  ] as const)("has its references answered from the session, before %s, streamed: %s", async (wire, isStreamed) => {
    const { requests, url, stored } = await start(wire);
    const model = createOpenAI({ baseURL: `${url}/v1`, apiKey: "x" })("tidemark");
    const tools = { weather: tool({ inputSchema: z.object({ city: z.string() }), execute: async () => "sun" }) };
    const messages: ModelMessage[] = [{ role: "user", content: "How is the weather?" }];
    for (const question of [undefined, "And tomorrow?"]) {
      if (question) messages.push({ role: "user", content: question });
      const asked = { model, messages, tools, stopWhen: isStepCount(3) };
      const answer = isStreamed ? streamText(asked) : await generateText(asked);
      if ("consumeStream" in answer) await answer.consumeStream();
      messages.push(...(await answer.responseMessages));
    }
    const sent = requests
      .at(-1)
      ?.body.messages.map(({ role, content, tool_calls }: Record<string, unknown>) => [
        role,
        JSON.stringify([content, tool_calls]),
      ]);
    expect(sent).toHaveLength(5);
    expect(sent[1][1]).toContain("Let me look.");
    expect(sent[1][1]).toContain("call_0");
    expect(sent[2][1]).toContain("sun");
    expect(sent[3][1]).toContain("Sunny, 1.");
    expect(await stored()).toEqual([
      [
        "user: How is the weather?",
        "assistant: Let me look.",
        "tool: sun",
        "assistant: Sunny, 1.",
        "user: And tomorrow?",
        "assistant: Sunny, 2.",
      ],
    ]);
  });

  const ask = async (url: string, input: unknown[], more = {}) => {
    const body = JSON.stringify({ model: "tidemark", input, ...more });
    const response = await fetch(`${url}/v1/responses`, { method: "POST", body });
    return { status: response.status, body: Answered.parse(await response.json()) };
  };
  const QUESTION = { role: "user", content: "How is the weather?" };

  it.each(["chat", "responses", "messages"] as const)("may refer to calls alone, before %s", async (wire) => {
    const { url, requests, stored } = await start(wire);
    const { body } = await ask(url, [QUESTION]);
    const references = body.output.map(({ id }) => ({ type: "item_reference", id }));
    const result = { type: "function_call_output", call_id: "call_0", output: "sun" };
    expect((await ask(url, [QUESTION, ...references, result])).status).toBe(200);
    const again = JSON.stringify(requests[1]?.body);
    // A provider that keeps its answers gets what the client sent.
    if (wire === "responses") expect(again).toContain("item_reference");
    else expect(again.split("Lisbon").length).toBe(2);
    expect(await stored()).toEqual([
      ["user: How is the weather?", "assistant: Let me look.", "tool: sun", "assistant: Sunny, 1."],
    ]);
  });

  it("is told of an item that nobody knows, in the form of its API, and nothing is asked", async () => {
    const { url, requests } = await start("chat");
    const { status, body } = await ask(url, [QUESTION, { type: "item_reference", id: "msg_gone" }]);
    expect(status).toBe(404);
    expect(body.error).toMatchObject({ type: "invalid_request_error", param: "input" });
    expect(body.error?.message).toContain("Item with id 'msg_gone' not found");
    expect(requests).toEqual([]);
  });

  it("looks thousands of references up in one walk over the sessions", async () => {
    const { url, memory } = await start("chat");
    for (let number = 0; number < 5; number++) {
      const session = await memory.session(`app:${number}`);
      const answer = {
        role: "assistant" as const,
        content: "Aye.",
        response_id: `resp_${number}`,
        item_ids: [`it_${number}`],
      };
      const call = { id: `k${number}`, type: "function", function: { name: "look", arguments: "{}" } };
      await session.appendAll(
        Array.from({ length: 400 }, (_, at) =>
          at === 0 ? { ...answer, tool_calls: [call] } : { role: "assistant" as const, content: `words ${at}` },
        ),
      );
    }
    const of = (id: string) => ({ type: "item_reference", id });
    // One by one they took more than a millisecond each: so many would not end in time.
    const many = Array.from({ length: 40_000 }, (_, at) => of(`msg_nobody_${at}`));
    expect((await ask(url, [...many, QUESTION])).status).toBe(404);
    const known = [of("msg_resp_1_0"), of("rs_resp_2_1"), of("it_3"), of("fc_k4"), QUESTION];
    expect((await ask(url, known)).status).toBe(200);
  });
});
