import { describe, expect, it } from "vitest";
import { openAgent } from "../../src/agent/open-agent.ts";
import { openMemory } from "../../src/index.ts";
import { createMemoryTool } from "../../src/memory-tool.ts";
import type { Model } from "../../src/model/model.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { whereKept } from "../support/where-kept.ts";

const SECRET = "zebra-forty-two";
const FACT = `The locker code is ${SECRET}`;

describe("forgetting between the words and their writing", () => {
  it("runs no later call of an answer that was given before something was forgotten", async () => {
    const workspace = temporaryFolder();
    const other = await openMemory({ workspace });
    await other.remember("cli:b", { fact: "Ana likes tea", by: "user" });
    let forgetting: Promise<unknown> | undefined;
    // The first call is slow: another process forgets while its question is embedded.
    const embedder = {
      id: "scripted/embedder",
      dimensions: 2,
      async embed(texts: readonly string[]) {
        await (forgetting ??= other.trust.forget({ text: SECRET }));
        return texts.map(() => Float32Array.of(1, 0));
      },
      close: () => Promise.resolve(),
    };
    const calls = [
      { name: "memory_search", input: { query: "locker" } },
      { name: "remember", input: { fact: FACT } },
      { name: "write_file", input: { path: "memory/lockers.md", content: `${FACT}\n` } },
      { name: "write_file", input: { path: "memory/MEMORY.md", content: `# Memory\n\n- ${FACT}\n` } },
      { name: "edit_file", input: { path: "memory/MEMORY.md", old_text: "Ana likes tea", new_text: FACT } },
      { name: "write_file", input: { path: "AGENTS.md", content: `${FACT}\n` } },
      { name: "read_file", input: { path: `memory/${SECRET}.md` } },
    ].map(({ name, input }, index) => ({ id: `call-${index}`, name, input: JSON.stringify(input) }));
    const model: Model = {
      id: "scripted/saving",
      async ask({ messages }) {
        const isCalled = messages.some(({ role }) => role === "tool");
        const text = isCalled ? "Done." : "";
        return { text, reasoning: "", finish: "stop", usage: undefined, calls: isCalled ? [] : calls };
      },
    };
    const memory = await openMemory({ workspace, model, embedder });
    const told = await openAgent(memory).turn("cli:a", `Remember my locker code: ${SECRET}`);
    expect(told).toMatchObject({ kind: "answer", text: "Done." });
    const results = (await memory.session("cli:a")).messages().filter(({ role }) => role === "tool");
    expect(results.map(({ content }) => String(content).slice(0, 30))).toEqual(
      calls.map(() => "Error: something was forgotten"),
    );
    await memory.close();
    await other.close();
    expect(forgetting).toBeDefined();
    expect(await whereKept(workspace, SECRET)).toEqual([]);
  });

  it("corrects no fact with what was forgotten while the answer was looked up", async () => {
    const workspace = temporaryFolder();
    const memory = await openMemory({ workspace });
    let forgetting: Promise<unknown> | undefined;
    let isWanted = false;
    const slow = {
      ...memory,
      async search(...given: Parameters<typeof memory.search>) {
        if (isWanted) await (forgetting ??= memory.trust.forget({ text: "thursdays" }));
        return memory.search(...given);
      },
    };
    const agent = openAgent(slow);
    await agent.turn("cli:a", "My choir practice is on tuesdays at 7.");
    await memory.consolidate("cli:a", { all: true });
    await agent.turn("cli:a", "When is choir practice?");
    isWanted = true;
    expect(await agent.turn("cli:a", "no, on thursdays")).toMatchObject({ kind: "answer" });
    expect(forgetting).toBeDefined();
    expect(await memory.readMemory()).not.toContain("thursdays");
    const said = (await memory.session("cli:a")).messages().findLast(({ role }) => role === "user");
    expect(said?.content).toBe("[forgotten]");
    await memory.close();
    expect(await whereKept(workspace, "thursdays")).toEqual([]);
  });

  it("refuses words that came in before they were forgotten, in every verb that writes", async () => {
    const workspace = temporaryFolder();
    const memory = await openMemory({ workspace });
    const heard = await memory.hear();
    await memory.trust.forget({ text: SECRET });
    const refused = { code: "FORGOTTEN" };
    await expect(memory.remember("cli:a", { fact: FACT, by: "model", heard })).rejects.toMatchObject(refused);
    await expect(memory.rewrite("cli:a", `- ${FACT}\n`, "model", undefined, heard)).rejects.toMatchObject(refused);
    const file = { path: "AGENTS.md", text: FACT, by: "model", heard };
    await expect(memory.proposeFile("cli:a", file)).rejects.toMatchObject(refused);
    const facts = [{ text: FACT, heading: "Facts", message: "m1" }];
    await expect(memory.propose("cli:a", facts, { run: "import-1", from: "x", heard })).rejects.toMatchObject(refused);
    expect(await whereKept(workspace, SECRET)).toEqual([]);
    // What is said now is said anew.
    expect(await memory.remember("cli:a", { fact: FACT, by: "model" })).toMatchObject({ kind: "saved" });
    await memory.close();
  });

  it("does not write what was forgotten when the memory tool works out its edit again", async () => {
    const workspace = temporaryFolder();
    const memory = await openMemory({ workspace });
    await memory.replaceMemory(`# Memory\n\n- Ana likes tea\n- ${FACT}\n`);
    let forgetting: Promise<unknown> | undefined;
    const slow = {
      ...memory,
      async rewrite(...given: Parameters<typeof memory.rewrite>) {
        await (forgetting ??= memory.trust.forget({ text: SECRET }));
        return memory.rewrite(...given);
      },
    };
    const kit = createMemoryTool(slow, { session: "cli:a" });
    const edit = { command: "str_replace", path: "/memories/MEMORY.md", old_str: "Ana likes tea" };
    const edited = kit.run({ ...edit, new_str: `Ana likes tea, and ${FACT}` });
    await expect(edited).rejects.toMatchObject({ code: "FORGOTTEN" });
    expect(await memory.readMemory()).toBe("# Memory\n\n- Ana likes tea\n");
    await memory.close();
    expect(await whereKept(workspace, SECRET)).toEqual([]);
  });
});
