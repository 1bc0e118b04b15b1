import { describe, expect, it } from "vitest";
import { MemoryError } from "../../src/errors.ts";
import type { Model } from "../../src/model/model.ts";
import { readKept } from "../support/kept.ts";
import { digestRequests, saveMemory, startModel } from "../support/model-server.ts";
import type { Script } from "../support/model-server.ts";
import { open, shownNumbers, talk } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";

async function start(
  script: Script = () => saveMemory("# Memory\n\n- Moved to Porto\n", "[2026-11-15 09:10] Talked."),
) {
  const workspace = temporaryFolder();
  const model = await startModel(script);
  const clock = { now: new Date("2026-11-15T09:00:00Z") };
  const config = {
    ...model.config,
    agents: { defaults: { ...model.config.agents.defaults, timezone: "UTC" } },
    consolidation: { idleMinutes: 30 },
  };
  const reopen = () => open({ workspace, config, now: () => clock.now });
  return { workspace, model, clock, reopen, memory: await reopen() };
}

describe("a silent session", () => {
  it("is digested whole after idleMinutes, the last correction included, and keeps its updated_at", async () => {
    const { workspace, model, clock, memory } = await start();
    const session = await memory.session("cli:a");
    await session.appendAll([...talk(5), { role: "user", content: "message 5: No, I moved to Porto, not to Lisbon." }]);
    const { updatedAt } = session;
    clock.now = new Date("2026-11-15T09:29:00Z");
    await memory.settle();
    expect(model.requests).toHaveLength(0);
    clock.now = new Date("2026-11-15T09:31:00Z");
    await memory.settle();
    expect(digestRequests(model)).toHaveLength(1);
    expect(shownNumbers(model.requests[0]!)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(session.cursor).toBe(6);
    expect(session.updatedAt).toBe(updatedAt);
    const last = (await readKept(workspace, "sessions/cli_a.jsonl")).trimEnd().split("\n").at(-1);
    expect(JSON.parse(last ?? "")).toMatchObject({ last_consolidated: 6, updated_at: updatedAt });
    expect((await memory.state.listRuns())[0]).toMatchObject({ cause: "idle" });
    await memory.settle();
    expect(model.requests).toHaveLength(1);
  });

  it("is digested after a minute where there is no model, since that costs nothing", async () => {
    const clock = { now: new Date("2026-11-15T09:00:00Z") };
    const memory = await open({ workspace: temporaryFolder(), now: () => clock.now, isLongRunning: true });
    await (await memory.session("cli:a")).append({ role: "user", content: "My name is Mara and I live in Porto." });
    clock.now = new Date("2026-11-15T09:00:50Z");
    await memory.settle();
    expect(await memory.readMemory()).toBe("");
    clock.now = new Date("2026-11-15T09:01:10Z");
    await memory.settle();
    expect(await memory.readMemory()).toContain("I live in Porto");
  });

  it("is found by the next process", async () => {
    const { model, clock, memory, reopen } = await start();
    await (await memory.session("cli:a")).appendAll(talk(4));
    await memory.close();
    expect(model.requests).toHaveLength(0);
    clock.now = new Date("2026-11-16T09:00:00Z");
    const again = await reopen();
    await again.settle();
    expect(digestRequests(model)).toHaveLength(1);
    expect((await again.session("cli:a")).cursor).toBe(4);
  });

  it("is left alone when someone has spoken before the job ran", async () => {
    const { model, clock, memory } = await start();
    const session = await memory.session("cli:a");
    await session.appendAll(talk(4));
    clock.now = new Date("2026-11-15T10:00:00Z");
    const identity = (await memory.store.logs.open("cli:a")).identity;
    const payload = { session: "cli:a", identity, length: 4 };
    await memory.state.enqueueJob("digest-idle", "by hand", payload, clock.now.toISOString());
    await session.append({ role: "user", content: "still here" });
    await memory.settle();
    expect(model.requests).toHaveLength(0);
    expect(session.cursor).toBe(0);
    await memory.state.enqueueJob("digest-idle", "right", { ...payload, length: 5 }, clock.now.toISOString());
    await memory.settle();
    expect(session.cursor).toBe(5);
  });

  it("is digested although the digest of an equally long one before it was given up", async () => {
    const workspace = temporaryFolder();
    const clock = { now: new Date("2026-11-15T09:00:00Z") };
    const config = { agents: { defaults: { timezone: "UTC" } }, consolidation: { idleMinutes: 30 } };
    const broken: Model = {
      id: "scripted/broken",
      ask: () => Promise.reject(new MemoryError("MODEL_UNKNOWN", "no such model")),
    };
    const first = await open({ workspace, config, model: broken, now: () => clock.now });
    await (await first.session("cli:a")).appendAll(talk(4));
    clock.now = new Date("2026-11-15T10:00:00Z");
    for (let round = 0; round < 4; round++) await first.settle();
    expect(await first.state.listJobs()).toContainEqual(
      expect.objectContaining({ kind: "digest-idle", state: "dead", failures: 10 }),
    );
    await first.startNew("cli:a");
    await first.close();
    const model = await startModel(() => saveMemory("# Memory\n\n- Moved to Porto\n", "[2026-11-15 11:00] Talked."));
    const next = await open({ workspace, config: { ...config, ...model.config }, now: () => clock.now });
    await (await next.session("cli:a")).appendAll(talk(4));
    clock.now = new Date("2026-11-15T11:00:00Z");
    await next.settle();
    expect((await next.session("cli:a")).cursor).toBe(4);
  });

  it("with a dead model is tried again, and archived raw in the end", async () => {
    const { workspace, clock, memory } = await start(() => ({ status: 400 }));
    await (await memory.session("cli:a")).appendAll(talk(4));
    clock.now = new Date("2026-11-15T10:00:00Z");
    await memory.settle();
    expect(await readKept(workspace, "memory/HISTORY.md")).toContain("[RAW] 4 messages");
    expect(await memory.state.listJobs()).toEqual([]);
  });
});
