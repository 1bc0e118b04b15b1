// @module-tag stores
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { keepTalk, placeOf, readKept } from "../support/kept.ts";
import { saveMemory, startModel } from "../support/model-server.ts";
import type { ModelServer } from "../support/model-server.ts";
import { open, shorthand, shownNumbers, talk } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

async function start(defaults: object, script = () => saveMemory("# Memory\n")) {
  const workspace = temporaryFolder();
  const model = await startModel(script);
  const config = { ...model.config, agents: { defaults: { ...model.config.agents.defaults, ...defaults } } };
  const memory = await open({ workspace, config });
  return { workspace, model, config, memory, session: await memory.session("cli:a") };
}

const diary = async (workspace: string) => {
  const text = await readKept(workspace, "memory/HISTORY.md");
  return text.split(/\n\n+/).filter((entry) => entry.trim() !== "");
};

describe("consolidation by count", () => {
  it("makes no call at 99 messages and exactly one at 100 (case 21)", async () => {
    const { model, memory, session } = await start({});
    await session.appendAll(talk(99));
    expect(await memory.consolidate("cli:a")).toMatchObject({ kind: "nothing-due" });
    await memory.settle();
    expect(model.requests).toHaveLength(0);
    await session.append({ role: "assistant", content: "message 99" });
    await memory.settle();
    expect(model.requests).toHaveLength(1);
    expect(session.cursor).toBe(50);
    expect(session.messages()).toHaveLength(100);
  });

  it.each([
    ["all user's", "user", 34, 35],
    ["user and assistant in turn", "both", 33, 34],
  ] as const)("shows 60 messages of window 50, %s, up to %3$s (case 21)", async (_, who, last, cursor) => {
    const { model, memory, session } = await start({ memoryWindow: 50 });
    await session.appendAll(talk(60, who));
    expect(await memory.consolidate("cli:a")).toMatchObject({ kind: "consolidated", from: 0, to: cursor });
    expect(shownNumbers(model.requests[0]!)).toEqual(range(0, last));
    expect(session.cursor).toBe(cursor);
    expect(session.history()[0]).toMatchObject({ role: "user", content: `message ${cursor}` });
  });

  it("goes on from the cursor (case 22)", async () => {
    const workspace = temporaryFolder();
    const model = await startModel(() => saveMemory("# Memory\n"));
    await keepTalk(workspace, "cli:a", talk(70), 30);
    const config = { ...model.config, agents: { defaults: { model: "scripted/tide", memoryWindow: 50 } } };
    const memory = await open({ workspace, config });
    await memory.consolidate("cli:a");
    expect(shownNumbers(model.requests[0]!)).toEqual(range(30, 43));
    expect((await memory.session("cli:a")).cursor).toBe(44);
  });

  it("makes no call for 25 messages, and digests 1,000 up to 974 (case 22)", async () => {
    const { model, memory, session, workspace } = await start({
      memoryWindow: 50,
      contextWindowTokens: 12_000,
      maxTokens: 4000,
    });
    await session.appendAll(talk(25));
    expect(await memory.consolidate("cli:a")).toMatchObject({ kind: "nothing-due" });
    await session.appendAll(
      talk(975).map((_, index) => ({
        role: index % 2 === 0 ? "assistant" : "user",
        content: `message ${index + 25}`,
      })),
    );
    expect(await memory.consolidate("cli:a")).toMatchObject({ kind: "consolidated", to: 974 });
    expect(session.cursor).toBe(974);
    expect(model.requests.length).toBeGreaterThan(1);
    expect(model.requests.flatMap((request) => shownNumbers(request))).toEqual(range(0, 973));
    expect(await diary(workspace)).toHaveLength(model.requests.length);
  });

  it("leaves what is not older than the newest alone, also when asked", async () => {
    const { model, memory, session } = await start({ memoryWindow: 50 });
    await session.appendAll([...talk(50), ...shorthand("U C(a) T(a) C(b) T(b) A")]);
    await memory.consolidate("cli:a");
    const { cursor } = session;
    expect(await memory.consolidate("cli:a")).toMatchObject({ kind: "nothing-due" });
    expect(session.cursor).toBe(cursor);
    expect(model.requests).toHaveLength(1);
  });

  it("is off at window 0 (case 23)", async () => {
    const { model, memory, session } = await start({ memoryWindow: 0 });
    await session.appendAll(talk(300));
    await memory.settle();
    expect(await memory.consolidate("cli:a")).toMatchObject({ kind: "nothing-due" });
    expect(model.requests).toHaveLength(0);
  });

  it.each([1, -5, "x", 1.5])("refuses a window of %s by naming the key (case 23)", async (memoryWindow) => {
    await expect(
      open({ workspace: temporaryFolder(), config: { agents: { defaults: { memoryWindow } } } }),
    ).rejects.toThrow(/agents\.defaults\.memoryWindow must/);
  });

  it("leaves what arrives while the model thinks (case 24)", async () => {
    const { model, memory, session } = await start({ memoryWindow: 50 });
    await session.appendAll(talk(50));
    model.script = async () => {
      await session.appendAll(talk(40, "both", "late"));
      return saveMemory("# Memory\n");
    };
    await memory.consolidate("cli:a");
    expect(session.cursor).toBe(24);
    expect(session.history()).toHaveLength(50 - 24 + 40);
  });

  it("makes one call for two turns during one run, and runs two sessions side by side (case 25)", async () => {
    const { model, memory, session } = await start({ memoryWindow: 50 });
    const other = await memory.session("cli:b");
    await session.appendAll(talk(50));
    await other.appendAll(talk(50));
    let atOnce = 0;
    let most = 0;
    model.script = async () => {
      most = Math.max(most, ++atOnce);
      await new Promise((resolve) => setTimeout(resolve, 200));
      atOnce--;
      return saveMemory("# Memory\n");
    };
    await Promise.all([memory.consolidate("cli:a"), memory.consolidate("cli:a"), memory.consolidate("cli:b")]);
    expect(model.requests).toHaveLength(2);
    expect(most).toBe(2);
  });

  it("makes one run of two processes, and none after a restart (cases 25, 26)", async () => {
    const { workspace, model, config, memory, session } = await start({ memoryWindow: 50 });
    await session.appendAll(talk(50));
    model.script = async () => {
      await new Promise((resolve) => setTimeout(resolve, 300));
      return saveMemory("# Memory\n");
    };
    const source = new URL("../../src/index.ts", import.meta.url).href;
    const program = `
      const { openMemory } = await import(${JSON.stringify(source)});
      const memory = await openMemory(${JSON.stringify({ ...placeOf(workspace), config })});
      await memory.consolidate("cli:a");
      await memory.settle();
      await memory.close();`;
    const run = promisify(execFile);
    const child = () => run(process.execPath, ["--input-type=module", "-e", program]);
    await Promise.all([child(), child(), memory.consolidate("cli:a")]);
    await child();
    expect(model.requests).toHaveLength(1);
    expect(await diary(workspace)).toHaveLength(1);
  }, 60_000);

  it("never parts a call from its result (case 27)", async () => {
    const { memory, session } = await start({ memoryWindow: 10, keep: 3 });
    await session.appendAll(shorthand("U1 A1 U2 C(a,b) T(a) T(b) C(c) T(c) A2 A3"));
    await memory.consolidate("cli:a");
    expect(session.cursor).toBe(2);
    expect(session.history().map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "tool",
      "assistant",
      "tool",
      "assistant",
      "assistant",
    ]);
  });

  it("digests one turn of 300 tool messages without a later user's message (case 27)", async () => {
    const { model, memory, session } = await start({});
    const calls = Array.from({ length: 150 }, (_, index) => `C(${index}) T(${index})`).join(" ");
    await session.appendAll(shorthand(`U ${calls}`));
    expect(await memory.consolidate("cli:a")).toMatchObject({ kind: "consolidated" });
    expect(model.requests.length).toBeGreaterThan(0);
    expect(session.cursor).toBeGreaterThan(200);
    expect(session.messages()[session.cursor]?.role).toBe("assistant");
  });

  it("digests one call with 300 results whole", async () => {
    const { memory, session } = await start({});
    const ids = Array.from({ length: 300 }, (_, index) => String(index));
    await session.appendAll(shorthand(`U C(${ids.join(",")}) ${ids.map((id) => `T(${id})`).join(" ")}`));
    await memory.consolidate("cli:a");
    expect(session.cursor).toBe(302);
  });
});

describe("profile autobot (case 28)", () => {
  const json = (server: ModelServer) => server.requests.map(({ tools }) => tools);

  it("digests at 51, not at 50, keeps 10, and reads the answer as JSON text", async () => {
    const { model, memory, session, workspace } = await start({ profile: "autobot" });
    model.script = () => ({ text: '{"history_entry": "[2026-01-01 10:00] Talked.", "memory_update": "- Likes tea"}' });
    await session.appendAll(talk(50));
    expect(await memory.consolidate("cli:a")).toMatchObject({ kind: "nothing-due" });
    await session.append({ role: "user", content: "message 50" });
    expect(await memory.consolidate("cli:a")).toMatchObject({ kind: "consolidated" });
    expect(session.cursor).toBe(40);
    expect(json(model)).toEqual([undefined]);
    expect(await memory.readMemory()).toContain("Likes tea");
    expect(await diary(workspace)).toEqual(["[2026-01-01 10:00] Talked."]);
  });

  it("reads the answer inside a code fence, and keeps 3 of a window of 6", async () => {
    const { model, memory, session } = await start({ profile: "autobot", memoryWindow: 6 });
    model.script = () => ({ text: 'Here:\n```json\n{"history_entry": "x", "memory_update": "- y"}\n```\n' });
    await session.appendAll(talk(7, "user"));
    await memory.consolidate("cli:a");
    expect(session.cursor).toBe(4);
  });

  it("sends the newest 10 at window 0, and writes no memory", async () => {
    const { model, memory, session, workspace } = await start({ profile: "autobot", memoryWindow: 0 });
    await session.appendAll(talk(40));
    const before = await readKept(workspace, "sessions/cli_a.jsonl");
    await memory.settle();
    expect(session.history()).toHaveLength(10);
    expect(model.requests).toHaveLength(0);
    expect(await readKept(workspace, "sessions/cli_a.jsonl")).toBe(before);
    expect(await memory.readMemory()).toBe("");
  });
});
