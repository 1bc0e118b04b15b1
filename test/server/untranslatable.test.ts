// @module-tag stores
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { open } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { startProvider } from "./scripted-provider.ts";
import type { WireName } from "./scripted-provider.ts";
import { startServer } from "./start-server.ts";

async function start(wire: WireName) {
  const provider = await startProvider(() => ({ text: "Yes." }));
  const memory = await open({ workspace: temporaryFolder(), config: provider.config(wire) });
  const url = await startServer(memory);
  const post = async (path: string, body: object) => {
    const response = await fetch(`${url}${path}`, { method: "POST", body: JSON.stringify(body) });
    const { error }: { error?: { param: string; message: string; code: string } } = JSON.parse(await response.text());
    return { status: response.status, error };
  };
  return { ...provider, memory, url, post };
}

const PICTURE = { type: "image_url", image_url: { url: "https://example.com/a.png" } };

describe("what only one API can do", () => {
  it.each([
    ["n", { n: 2 }],
    ["logprobs", { logprobs: true, top_logprobs: 2 }],
    ["functions", { functions: [{ name: "weather", parameters: {} }] }],
    ["modalities", { modalities: ["text", "audio"] }],
    ["messages.0.content", { messages: [{ role: "user", content: [PICTURE, { type: "video_url", video_url: {} }] }] }],
  ])("is refused before another one, and passed on to the same: %s", async (param, more) => {
    const body = { model: "tidemark", messages: [{ role: "user", content: "Hello" }], ...more };
    for (const wire of ["responses", "messages"] as const) {
      const { post, requests, memory } = await start(wire);
      const { status, error } = await post("/v1/chat/completions", body);
      expect([status, error?.param, error?.code]).toEqual([400, param, "unsupported_parameter"]);
      expect(error?.message).toContain(wire);
      expect(requests).toEqual([]);
      expect((await memory.listSessions()).sessions).toEqual([]);
    }
    const { post, requests } = await start("chat");
    expect((await post("/v1/chat/completions", body)).status).toBe(200);
    expect(requests[0]?.body).toMatchObject(more);
  });

  it.each([
    ["top_logprobs", { top_logprobs: 3 }],
    ["include", { include: ["message.output_text.logprobs"] }],
    ["background", { background: true }],
  ])("is refused where responses stands before another: %s", async (param, more) => {
    const { post } = await start("chat");
    const { status, error } = await post("/v1/responses", { model: "tidemark", input: "Hello", ...more });
    expect([status, error?.param]).toEqual([400, param]);
  });

  it("is not found in what asks for the usual", async () => {
    const { post } = await start("messages");
    const usual = { n: 1, logprobs: false, top_logprobs: 0, functions: [], modalities: ["text"], seed: 1 };
    const messages = [{ role: "user", content: ["Hello", PICTURE] }];
    expect((await post("/v1/chat/completions", { model: "tidemark", messages, ...usual })).status).toBe(200);
    expect(
      (await post("/v1/responses", { model: "tidemark", input: "Hi", background: false, include: [] })).status,
    ).toBe(200);
  });

  it.each(["responses", "messages"] as const)(
    "is to say nothing but instructions: %s gets them as words",
    async (wire) => {
      const { post, requests, memory } = await start(wire);
      const messages = [{ role: "system", content: "Greet." }];
      expect((await post("/v1/chat/completions", { model: "tidemark", messages })).status).toBe(200);
      const { input, messages: sent } = requests[0]?.body ?? {};
      expect((sent ?? input).map(({ role }: { role: string }) => role)).toEqual(["user"]);
      expect(JSON.stringify(sent ?? input)).toContain("Greet.");
      const [session] = (await memory.listSessions()).sessions;
      const said = (await memory.session(session?.key ?? "")).messages().map(({ role }) => role);
      expect(said).toEqual(["assistant"]);
    },
  );
});

describe("what clients of Anthropic ask beside", () => {
  const ask = async () => {
    const { url } = await start("chat");
    return new Anthropic({ baseURL: url, apiKey: "unused", maxRetries: 0 });
  };

  it("is how many tokens a request takes, where a picture counts as one", async () => {
    const anthropic = await ask();
    const count = async (content: Anthropic.MessageParam["content"]) =>
      (await anthropic.messages.countTokens({ model: "tidemark", messages: [{ role: "user", content }] })).input_tokens;
    const words = await count("Hello there");
    expect(words).toBeGreaterThan(3);
    expect(words).toBeLessThan(60);
    const data = "QUJD".repeat(200_000);
    const picture = await count([
      { type: "text", text: "Hello there" },
      { type: "image", source: { type: "base64", media_type: "image/png", data } },
    ]);
    expect(picture).toBeGreaterThan(words + 1000);
    expect(picture).toBeLessThan(words + 3000);
    await expect(anthropic.messages.countTokens({ model: "tidemark", messages: [] })).rejects.toMatchObject({
      status: 400,
      error: { type: "error", error: { type: "invalid_request_error" } },
    });
  });

  it("is which models there are, in the form of each", async () => {
    const anthropic = await ask();
    const models = [];
    for await (const model of anthropic.models.list()) models.push(model.id);
    expect(models).toEqual(["tidemark", "scripted/tide"]);
    expect(await anthropic.models.retrieve("tidemark")).toMatchObject({ id: "tidemark", type: "model" });
    await expect(anthropic.models.retrieve("nothing")).rejects.toMatchObject({
      status: 404,
      error: { type: "error", error: { type: "not_found_error" } },
    });
    const openai = new OpenAI({ baseURL: `${anthropic.baseURL}/v1`, apiKey: "unused", maxRetries: 0 });
    await expect(openai.models.retrieve("nothing")).rejects.toMatchObject({ status: 404, code: "model_not_found" });
  });
});
