// @module-tag stores
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Model } from "../../src/index.ts";
import { listKept, ofFolder, readKept, writeKept } from "../support/kept.ts";
import { saveMemory, startModel } from "../support/model-server.ts";
import { open, shorthand, talk } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";

const history = (workspace: string) => readKept(workspace, "memory/HISTORY.md");

async function withModel(defaults: object = {}) {
  const workspace = temporaryFolder();
  const model = await startModel(() => saveMemory("- x y\n"));
  const memory = await open({
    workspace,
    config: { ...model.config, agents: { defaults: { model: "scripted/tide", ...defaults } } },
  });
  return { workspace, model, memory, session: await memory.session("cli:a") };
}

describe("a caller's own model", () => {
  it.each<[string, Model["ask"]]>([
    ["throws anything", () => Promise.reject(new Error("boom"))],
    ["answers with nothing", () => Promise.resolve(undefined as never)],
  ])("that %s fails like any other, and ends in the raw archive", async (_, ask) => {
    const workspace = temporaryFolder();
    const memory = await open({ workspace, model: { id: "own/model", ask } });
    await (await memory.session("cli:a")).appendAll(talk(4));
    const kinds = [];
    for (let round = 0; round < 3; round++) kinds.push((await memory.consolidate("cli:a", { all: true })).kind);
    expect(kinds).toEqual(["refused", "refused", "archived-raw"]);
    expect(await history(workspace)).toContain("[RAW] 4 messages");
  });

  it("that never answers does not keep the memory from closing", async () => {
    const memory = await open({
      workspace: temporaryFolder(),
      model: { id: "own/model", ask: () => new Promise(() => undefined) },
    });
    await (await memory.session("cli:a")).appendAll(talk(4));
    const run = memory.consolidate("cli:a", { all: true }).catch(() => "stopped");
    await memory.close();
    expect(await run).toBe("stopped");
  });
});

describe("what is due", () => {
  it("is looked for again when more was said during a run", async () => {
    const { model, memory, session } = await withModel({ memoryWindow: 20 });
    await session.appendAll(talk(20));
    model.script = async (_, index) => {
      if (index === 0) await session.appendAll(talk(30));
      return saveMemory("- x y\n");
    };
    await memory.settle();
    expect(model.requests).toHaveLength(2);
    expect(session.length - session.cursor).toBeLessThan(20);
  });

  it("stops before the turn of a call whose results are still to come, even when all is asked for", async () => {
    const { memory, session } = await withModel();
    await session.appendAll(shorthand("U1 A1 U2 C(a)"));
    await memory.consolidate("cli:a", { all: true });
    expect(session.cursor).toBe(2);
    await session.appendAll(shorthand("T(a) U3"));
    // Were the user's words before the call digested, replay would leave out the call and its result.
    expect(session.history().map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"]);
  });

  it("leaves more alone than waits, if told so", async () => {
    const { memory, session } = await withModel({ memoryWindow: 10, keep: 50 });
    await session.appendAll(
      shorthand(`U ${Array.from({ length: 10 }, (_, index) => `C(${index}) T(${index})`).join(" ")}`),
    );
    expect(await memory.consolidate("cli:a")).toMatchObject({ kind: "nothing-due" });
  });

  it("forgets what the provider counted before /new", async () => {
    const { model, memory, session } = await withModel();
    await session.appendAll(talk(4));
    memory.reportTokens("cli:a", 60_000);
    await memory.startNew("cli:a");
    await memory.settle();
    const calls = model.requests.length;
    await session.appendAll(talk(4));
    await memory.settle();
    expect(model.requests).toHaveLength(calls);
    expect(session.cursor).toBe(0);
  });
});

describe("memory files of all kinds", () => {
  it("larger than the summariser can take are shown in part, and kept whole", async () => {
    const { workspace, model, memory, session } = await withModel({
      contextWindowTokens: 20_000,
      maxTokens: 4000,
      memoryBudgetTokens: 100_000,
    });
    const facts = Array.from({ length: 4000 }, (_, index) => `- Box ${index} holds thing number ${index}`);
    await writeKept(workspace, "memory/MEMORY.md", `# Memory\n\n${facts.join("\n")}\n`);
    model.script = (request) => {
      const shown = String(request.messages.at(-1)?.content)
        .split("\n")
        .filter((line) => line.startsWith("- Box"));
      return saveMemory(`# Memory\n\n${[...shown, "- A new fact"].join("\n")}\n`);
    };
    await session.appendAll(talk(4));
    expect(await memory.consolidate("cli:a", { all: true })).toMatchObject({
      kind: "consolidated",
      counts: { added: 1 },
    });
    expect(JSON.stringify(model.requests[0]).length / 3).toBeLessThan(20_000);
    // What is over the budget is moved to the day's note, and not away.
    const names = (await listKept(workspace, "memory")).filter((name) => name.endsWith(".md"));
    const texts = await Promise.all(names.map((name) => readKept(workspace, `memory/${name}`)));
    const text = texts.join("\n");
    for (const fact of [...facts, "- A new fact"]) expect(text).toContain(`${fact}\n`);
  });

  it("in another encoding are left alone, with an error", async () => {
    const { workspace, memory, session } = await withModel();
    const bytes = Buffer.from("- Stra\xdfe\n", "latin1");
    await writeKept(workspace, "memory/MEMORY.md", bytes);
    await session.appendAll(talk(4));
    await expect(memory.consolidate("cli:a", { all: true })).rejects.toThrow(/MEMORY\.md is not UTF-8/);
    expect(await memory.store.documents.readBytes("memory/MEMORY.md")).toEqual(bytes);
    await writeKept(workspace, "memory/MEMORY.md", "- Straße\n");
    expect(await memory.consolidate("cli:a", { all: true })).toMatchObject({ kind: "consolidated" });
    expect(session.cursor).toBe(4);
    expect((await history(workspace)).trim().split("\n\n")).toHaveLength(1);
  });
});

describe("the archive", () => {
  ofFolder("a session that is rows can always be read")(
    "may hold what cannot be read, without stopping anyone's digest",
    async () => {
      const { workspace, model, memory, session } = await withModel({ memoryWindow: 20 });
      mkdirSync(join(workspace, "sessions", "archive", "aaa.jsonl"), { recursive: true });
      await session.appendAll(talk(20));
      let started: (() => void) | undefined;
      const begun = new Promise<void>((resolve) => (started = resolve));
      model.script = async () => {
        started?.();
        await new Promise((resolve) => setTimeout(resolve, 200));
        return saveMemory("- x y\n");
      };
      const run = memory.consolidate("cli:a");
      await begun;
      await memory.startNew("cli:a");
      expect(await run).toMatchObject({ kind: "consolidated" });
      await memory.settle();
      expect(await memory.queue.listJobs()).toEqual([]);
    },
  );
});

describe("evidence", () => {
  it.each([["I"], ["hid"], [""]])("is not a quote as short or as torn as %j", async (quote) => {
    const { memory, model, session } = await withModel();
    await session.append({ role: "user", content: "I keep it hidden.", id: "m1" });
    model.script = () =>
      saveMemory("- User owns a castle\n", undefined, {
        evidence: [{ fact: "User owns a castle", quote, message: "m1" }],
      });
    await memory.consolidate("cli:a", { all: true });
    expect(await memory.history.listFacts()).toMatchObject([{ proof: "none" }]);
  });
});

describe("a proposal that holds only what is new", () => {
  it("waits for a person where nothing said supports it, and is not lost", async () => {
    const { workspace, model, memory, session } = await withModel();
    await writeKept(workspace, "memory/MEMORY.md", "# Memory\n\n- Likes tea\n- Owns a boat\n");
    model.script = () => saveMemory("# Memory\n\n- Is allergic to peanuts\n");
    await session.append({ role: "user", content: "Ich bin gegen Erdnüsse allergisch" });
    expect(await memory.consolidate("cli:a", { all: true })).toMatchObject({
      kind: "consolidated",
      counts: { kept: 2, added: 0 },
    });
    expect(await memory.review()).toMatchObject([{ items: [{ kind: "add", fact: "Is allergic to peanuts" }] }]);
  });
});

describe("secrets in transcripts", () => {
  it("are masked in every field, if asked for", async () => {
    const workspace = temporaryFolder();
    const memory = await open({ workspace, config: { secrets: { transcripts: "mask" } } });
    const token = ["ghp", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].join("_");
    await (
      await memory.session("cli:a")
    ).append({ role: "assistant", content: "ok", reasoning: `use ${token}`, note: { deep: token } });
    expect(await readKept(workspace, "sessions/cli_a.jsonl")).not.toContain(token);
  });
});
