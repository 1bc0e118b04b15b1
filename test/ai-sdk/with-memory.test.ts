// @module-tag stores
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, isStepCount, Output, streamText, tool } from "ai";
import type { ModelMessage } from "ai";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { z } from "zod";
import { memoryTools, withMemory } from "../../src/ai-sdk.ts";
import { createHandle } from "../../src/ai-sdk/memory-source.ts";
import type { Memory } from "../../src/index.ts";
import { ofFolder, readKept } from "../support/kept.ts";
import { startModel } from "../support/model-server.ts";
import type { Script } from "../support/model-server.ts";
import { open } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { runExample } from "./example.ts";

const session = "app:ada";

async function start(script: Script) {
  const server = await startModel(script);
  const plain = createOpenAICompatible({
    name: "scripted",
    baseURL: server.url,
    supportsStructuredOutputs: true,
  }).languageModel("tide");
  const memory = await open({ workspace: temporaryFolder() });
  return { server, plain, memory, model: withMemory(plain, { memory, session }) };
}

async function said(memory: Memory): Promise<string[]> {
  return (await memory.session(session)).messages().map(({ role, content }) => `${role}: ${String(content)}`);
}

describe("withMemory", () => {
  it("adds memory behind the caller's instructions, and stores the turn", async () => {
    const { model, memory, server } = await start(() => ({ text: "In Lisbon." }));
    await memory.replaceMemory("# Memory\n\n- The user lives in Lisbon.\n");
    const { text } = await generateText({ model, instructions: "Be brief.", prompt: "Where do I live?" });
    expect(text).toBe("In Lisbon.");
    const [first, second] = server.requests[0]?.messages ?? [];
    expect(first).toMatchObject({ role: "system", content: "Be brief." });
    expect(second).toMatchObject({ role: "system", content: expect.stringContaining("- The user lives in Lisbon.") });
    expect(await said(memory)).toEqual(["user: Where do I live?", "assistant: In Lisbon."]);
  });

  it("stores a conversation that the caller sends whole each time once, streamed", async () => {
    const { model, memory } = await start(({ messages }) => ({ text: `A longer answer, number ${messages.length}.` }));
    const messages: ModelMessage[] = [];
    for (const content of ["yes", "go on", "yes"]) {
      messages.push({ role: "user", content });
      const result = streamText({ model, messages });
      for await (const piece of result.textStream) expect(piece).not.toBe("");
      messages.push(...(await result.response).messages);
    }
    expect(await said(memory)).toEqual([
      "user: yes",
      "assistant: A longer answer, number 1.",
      "user: go on",
      "assistant: A longer answer, number 3.",
      "user: yes",
      "assistant: A longer answer, number 5.",
    ]);
  });

  it("stores calls and results of tools once, in legal order", async () => {
    const { model, memory } = await start(({ messages }) =>
      messages.at(-1)?.role === "tool"
        ? { text: "It is sunny." }
        : {
            calls: [
              { name: "weather", arguments: { city: "Lisbon" } },
              { name: "weather", arguments: { city: "Porto" } },
            ],
          },
    );
    const weather = tool({
      inputSchema: z.object({ city: z.string() }),
      execute: async ({ city }) => ({ city, sky: "clear" }),
    });
    const { text } = await generateText({ model, tools: { weather }, stopWhen: isStepCount(3), prompt: "Weather?" });
    expect(text).toBe("It is sunny.");
    const stored = (await memory.session(session)).messages();
    expect(stored.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "tool", "assistant"]);
    expect((await memory.session(session)).history()).toHaveLength(5);
    expect(stored[2]?.content).toBe('{"city":"Lisbon","sky":"clear"}');
  });

  it("works with structured output", async () => {
    const { model, memory } = await start(() => ({ text: '{"city":"Lisbon"}' }));
    const { output } = await generateText({
      model,
      output: Output.object({ schema: z.object({ city: z.string() }) }),
      prompt: "Where?",
    });
    expect(output).toEqual({ city: "Lisbon" });
    expect(await said(memory)).toEqual(["user: Where?", 'assistant: {"city":"Lisbon"}']);
  });

  it("does not store a provider's failure, nor a message twice when it is tried again", async () => {
    let calls = 0;
    const { model, memory } = await start(() => (calls++ === 0 ? { status: 503 } : { text: "Here." }));
    await generateText({ model, prompt: "Hi", maxRetries: 1 });
    expect(calls).toBe(2);
    expect(await said(memory)).toEqual(["user: Hi", "assistant: Here."]);
  });

  it("keeps what was heard of a stream that the reader left", async () => {
    const { model, memory } = await start(() => ({ text: "word ".repeat(5000) }));
    const { stream } = await model.doStream({ prompt: [{ role: "user", content: [{ type: "text", text: "Go" }] }] });
    const reader = stream.getReader();
    for (let part = await reader.read(); part.value?.type !== "text-delta"; part = await reader.read());
    await reader.cancel();
    await vi.waitFor(async () =>
      expect((await memory.session(session)).messages()).toMatchObject([
        { role: "user" },
        { role: "assistant", stopped: true },
      ]),
    );
  });

  ofFolder("the folder is what it opens")(
    "opens a folder by itself, digests with the model it wraps, and closes it",
    async () => {
      const { plain } = await start(({ tools }) =>
        tools
          ? {
              call: "save_memory",
              arguments: {
                history_entry: "[2026-11-15 09:00] They talked about tea.",
                memory_update: "# Memory\n\n- The user likes tea.\n",
              },
            }
          : { text: "Noted." },
      );
      const workspace = temporaryFolder();
      const model = withMemory(plain, { workspace, session, config: { agents: { defaults: { memoryWindow: 6 } } } });
      for (let turn = 0; turn < 5; turn++) await generateText({ model, prompt: `I like tea, ${turn}` });
      await model.settle();
      await model.close();
      expect(await readKept(workspace, "memory/MEMORY.md")).toContain("- The user likes tea.");
    },
  );
});

ofFolder("its configuration is a file")("a folder that could not be opened is opened at the next call", async () => {
  const workspace = temporaryFolder();
  writeFileSync(join(workspace, "config.json"), "{ broken");
  const handle = createHandle({ workspace, session });
  await expect(handle.get()).rejects.toThrow("config.json");
  await handle.close();
  writeFileSync(join(workspace, "config.json"), "{}");
  await expect(handle.get()).resolves.toBeDefined();
  await handle.close();
});

describe("memoryTools", () => {
  it("search, read, remember and take out", async () => {
    const { memory } = await start(() => ({ text: "" }));
    const tools = memoryTools({ memory, session });
    const options = { toolCallId: "c", messages: [], context: {} };
    const run = async (name: keyof typeof tools, input: never) => {
      const { execute } = tools[name];
      return execute?.(input, options);
    };
    expect(await run("remember", { fact: "Ada lives in Lisbon." } as never)).toMatchObject({ kind: "saved" });
    expect(await run("memory_search", { query: "Lisbon" } as never)).toMatchObject([
      { text: expect.stringContaining("Ada lives in Lisbon.") },
    ]);
    expect(await run("memory_get", { path: "memory/MEMORY.md" } as never)).toMatchObject({ totalLines: 5 });
    expect(await run("memory_get", { path: "../x" } as never)).toMatchObject({
      error: expect.stringContaining("not a file in memory/"),
    });
    expect(await run("retire", { fact: "Ada lives in Lisbon" } as never)).toMatchObject({ kind: "retired" });
  });

  it.each(["user", "session"] as const)("do not show one the memory of another (memory.scope: %s)", async (scope) => {
    const memory = await open({ workspace: temporaryFolder(), config: { memory: { scope } } });
    await memory.remember("telegram:alice", { fact: "Alice sails.", by: "test" });
    await memory.remember("telegram:bob", { fact: "Bob's safe opens with 4711.", by: "test" });
    const { execute } = memoryTools({ memory, session: "telegram:alice" }).memory_get;
    const read = async (key: string) =>
      execute?.(
        { path: `${memory.pathsOf(key).memoryFolder}/MEMORY.md` },
        {
          toolCallId: "c",
          messages: [],
          context: {},
        },
      );
    expect(await read("telegram:bob")).toEqual({ error: expect.stringContaining("someone else's memory") });
    expect(await read("telegram:alice")).toMatchObject({ text: expect.stringContaining("Alice sails.") });
  });
});

describe("the example of the documentation", () => {
  it("is the one that runs here", () => {
    const source = readFileSync(join(import.meta.dirname, "example.ts"), "utf8");
    const [, body = ""] = /\/\/ example begins\n([\s\S]*?) *\/\/ example ends/.exec(source) ?? [];
    const shown = body.replaceAll(/^ {2}/gm, "").trim();
    expect(shown.split("\n").length).toBeLessThanOrEqual(15);
    expect(readFileSync(join(import.meta.dirname, "../../docs/doors.md"), "utf8")).toContain(shown);
  });

  it("remembers from one call to the next", async () => {
    const server = await startModel(({ messages }) => {
      const last = messages.at(-1);
      if (last?.role === "tool") return { text: "Saved." };
      if (String(last?.content).startsWith("Remember"))
        return { call: "remember", arguments: { fact: "The user lives in Lisbon." } };
      return { text: JSON.stringify(messages[0]).includes("lives in Lisbon") ? "In Lisbon." : "I do not know." };
    });
    const folder = temporaryFolder();
    const before = process.cwd();
    process.chdir(folder);
    onTestFinished(() => process.chdir(before));
    const model = createOpenAICompatible({ name: "scripted", baseURL: server.url }).languageModel("tide");
    expect(await runExample(model)).toEqual(["Saved.", "In Lisbon."]);
  });
});
