import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { digestRequests, saveMemory, startModel } from "../support/model-server.ts";
import { open, shownNumbers, talk } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";

const history = (workspace: string) => readFileSync(join(workspace, "memory", "HISTORY.md"), "utf8");
const archive = (workspace: string) => readdirSync(join(workspace, "sessions", "archive"));

describe("/new", () => {
  it("answers at once with a fresh session on disk; the diary entry follows (case 45)", async () => {
    const workspace = temporaryFolder();
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    const model = await startModel(async () => {
      await answered;
      return saveMemory("- x\n", "[2026-11-15 09:00] Three turns.");
    });
    const memory = await open({ workspace, config: model.config });
    const session = await memory.session("cli:a");
    await session.appendAll(talk(6));
    // The model does not answer before /new has: waiting for it would be for ever.
    await memory.startNew("cli:a");
    answer();
    expect(session.messages()).toEqual([]);
    expect(JSON.parse(readFileSync(join(workspace, "sessions", "cli_a.jsonl"), "utf8"))).toMatchObject({
      _type: "metadata",
      key: "cli:a",
      last_consolidated: 0,
    });
    expect(archive(workspace)).toHaveLength(1);
    expect(existsSync(join(workspace, "memory", "HISTORY.md"))).toBe(false);
    await memory.settle();
    expect(history(workspace)).toBe("[2026-11-15 09:00] Three turns.\n\n");
    expect(await memory.queue.listJobs()).toEqual([]);
  });

  it("of an empty session does nothing", async () => {
    const workspace = temporaryFolder();
    const memory = await open({ workspace });
    expect(await memory.startNew("cli:a")).toEqual({ archive: undefined });
    await (await memory.session("cli:a")).append({ role: "user", content: "x" });
    await memory.startNew("cli:a");
    expect(await memory.startNew("cli:a")).toEqual({ archive: undefined });
    expect(archive(workspace)).toHaveLength(1);
  });

  it("survives a dead model and kill -9 right after it (case 46)", async () => {
    const workspace = temporaryFolder();
    const config = {
      agents: { defaults: { model: "dead/model" } },
      providers: { dead: { baseUrl: "http://127.0.0.1:9/v1" } },
    };
    const source = new URL("../../src/index.ts", import.meta.url).href;
    const program = `
      const { openMemory } = await import(${JSON.stringify(source)});
      const memory = await openMemory(${JSON.stringify({ workspace, config })});
      const session = await memory.session("cli:a");
      for (let i = 0; i < 6; i++) await session.append({ role: i % 2 ? "assistant" : "user", content: "message " + i });
      await memory.startNew("cli:a");
      console.log("answered");
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(child.stdout, "data");
    child.kill("SIGKILL");
    await once(child, "exit");
    const memory = await open({ workspace, config });
    await memory.settle();
    expect(history(workspace)).toContain("[RAW] 6 messages");
    expect(history(workspace).match(/\[RAW\]/g)).toHaveLength(1);
    expect(await memory.queue.listJobs()).toEqual([]);
  }, 60_000);

  it("during a run digests no message twice and misses none (case 47)", async () => {
    const workspace = temporaryFolder();
    const model = await startModel(() => saveMemory("- x\n"));
    const memory = await open({
      workspace,
      config: { ...model.config, agents: { defaults: { model: "scripted/tide", memoryWindow: 20 } } },
    });
    const session = await memory.session("cli:a");
    await session.appendAll(talk(20));
    let hasStarted: (() => void) | undefined;
    const started = new Promise<void>((resolve) => (hasStarted = resolve));
    model.script = async () => {
      hasStarted?.();
      await new Promise((resolve) => setTimeout(resolve, 400));
      return saveMemory("- x\n");
    };
    const run = memory.consolidate("cli:a");
    await started;
    await memory.startNew("cli:a");
    await session.append({ role: "user", content: "message 20" });
    expect(await run).toMatchObject({ kind: "consolidated", from: 0, to: 10 });
    expect(session.cursor).toBe(0);
    await memory.settle();
    const shown = digestRequests(model).flatMap((request) => shownNumbers(request));
    expect(shown.toSorted((one, other) => one - other)).toEqual(Array.from({ length: 20 }, (_, index) => index));
    expect(session.messages()).toHaveLength(1);
  });

  it("keeps the archived session readable, and two in a row apart", async () => {
    const workspace = temporaryFolder();
    const memory = await open({ workspace, now: () => new Date("2026-11-15T10:00:00Z") });
    const session = await memory.session("telegram:A_b");
    for (const text of ["first", "second"]) {
      await session.append({ role: "user", content: text });
      await memory.startNew("telegram:A_b");
    }
    await memory.settle();
    expect(archive(workspace).toSorted()).toEqual([
      "telegram_%41%5fb-20261115T100000000-2.jsonl",
      "telegram_%41%5fb-20261115T100000000.jsonl",
    ]);
    expect(history(workspace).trim().split("\n\n")).toHaveLength(2);
  });

  it("twice at once ends the session once", async () => {
    for (const now of [undefined, () => new Date("2026-11-15T10:00:00Z")]) {
      const workspace = temporaryFolder();
      const memory = await open({ workspace, ...(now ? { now } : {}) });
      const session = await memory.session("cli:a");
      await session.appendAll(talk(6));
      const ended = await Promise.all([memory.startNew("cli:a"), memory.startNew("cli:a"), memory.startNew("cli:a")]);
      expect(ended.filter((each) => each.archive !== undefined)).toHaveLength(1);
      await memory.settle();
      const file = archive(workspace).find((name) => name.endsWith(".jsonl"));
      const lines = readFileSync(join(workspace, "sessions", "archive", file!), "utf8");
      expect(lines.match(/"message \d"/g)).toHaveLength(6);
      expect(history(workspace).trim().split("\n\n")).toHaveLength(1);
    }
  });
});
