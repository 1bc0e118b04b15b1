// @module-tag stores
import { describe, expect, it } from "vitest";
import { listDocuments } from "../support/documents.ts";
import type { Memory } from "../../src/index.ts";
import { digestModel } from "../trust/place.ts";
import { open, talk } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";

const clock = (text: string) => () => new Date(text);

describe("a clock that was wrong once", () => {
  it.each([
    "2099-01-01T00:00:00Z",
    "2027-01-20T00:00:00Z",
    "2026-11-17T00:00:00Z",
    "2026-11-15T09:01:00Z",
    "1971-01-01T00:00:00Z",
  ])("strands no job of a /new at %s", async (wrong) => {
    const workspace = temporaryFolder();
    const then = await open({ workspace, passive: true, now: clock(wrong) });
    await (await then.session("cli:a")).appendAll(talk(8));
    await then.startNew("cli:a");
    await then.close();
    const now = await open({ workspace, now: clock("2026-11-15T09:00:00Z") });
    await now.settle();
    const jobs = (await now.queue.listJobs()).filter(({ kind }) => kind !== "tidy");
    expect(jobs).toEqual([]);
    expect((await now.history.list()).filter(({ trigger }) => trigger === "new")).toHaveLength(1);
  });

  it("strands no job that failed under it, and leaves the tidying and the back-off to their time", async () => {
    const workspace = temporaryFolder();
    const config = { consolidation: { tidyDays: 7 } };
    const then = await open({ workspace, passive: true });
    const jobs = [
      ["digest-archive", "ahead", "2026-11-18T09:00:00.000Z"],
      ["digest-archive", "waits", "2026-11-15T09:20:00.000Z"],
    ] as const;
    for (const [kind, name, at] of jobs) {
      await then.queue.enqueueJobs([
        { kind: kind, name: name, payload: { session: "cli:a", archive: "none.jsonl", identity: "none", at }, at: at },
      ]);
      const job = (await then.queue.listJobs()).find((each) => each.name === name);
      await then.queue.failJob(job?.id ?? 0, "no provider", { at });
    }
    await then.close();
    const now = await open({ workspace, config, now: clock("2026-11-15T09:00:00Z") });
    // Nobody asked to settle: the background takes up what it can.
    await expect
      .poll(async () => (await now.queue.listJobs()).map(({ name }) => name), { timeout: 10_000 })
      .toEqual(["waits", "tidy:"]);
  });

  it("digests a silent session whose last words were said in the future", async () => {
    const workspace = temporaryFolder();
    const config = { consolidation: { idleMinutes: 5 } };
    const then = await open({ workspace, passive: true, now: clock("2099-01-01T00:00:00Z") });
    await (await then.session("cli:a")).appendAll(talk(6));
    await then.close();
    const now = await open({ workspace, config, now: clock("2026-11-15T09:00:00Z") });
    await now.settle();
    expect((await now.session("cli:a")).cursor).toBe(6);
  });
});

describe("an older state beside newer sessions", () => {
  it("writes no note twice and digests nothing again", async () => {
    const workspace = temporaryFolder();
    const first = await open({ workspace, passive: true });
    await (await first.session("cli:a")).appendAll(talk(8));
    await first.startNew("cli:a");
    const jobs = (await first.queue.listJobs()).filter(({ kind }) => kind !== "tidy");
    await first.close();
    const second = await open({ workspace });
    await second.settle();
    const notes = (memory: Memory) => listDocuments(memory, "memory");
    const before = await notes(second);
    await second.close();
    expect(before.filter((name) => /^\d{4}-\d{2}-\d{2}-/.test(name))).toHaveLength(1);
    const third = await open({ workspace, passive: true });
    // As the older state had them.
    for (const { kind, name, payload, runAfter } of jobs)
      await third.queue.enqueueJobs([{ kind: kind, name: name, payload: payload, at: runAfter }]);
    await third.close();
    const fourth = await open({ workspace });
    await fourth.settle();
    expect(await notes(fourth)).toEqual(before);
    expect((await fourth.history.list()).filter(({ trigger }) => trigger === "new")).toHaveLength(1);
    expect(await fourth.queue.listJobs().then((left) => left.filter(({ kind }) => kind !== "tidy"))).toEqual([]);
  });
});

describe("an answer without end", () => {
  it("counts as a failure, and the third one archives the stretch as it was said", async () => {
    const workspace = temporaryFolder();
    const model = digestModel(() => ({ memory: "- fact\n".repeat(1_500_000) }));
    const memory = await open({ workspace, model });
    await (await memory.session("cli:a")).appendAll(talk(8));
    for (const failures of [1, 2])
      expect(await memory.consolidate("cli:a", { all: true })).toMatchObject({
        kind: "refused",
        failures,
        reason: expect.stringContaining("far too long"),
      });
    expect(await memory.consolidate("cli:a", { all: true })).toMatchObject({ kind: "archived-raw" });
  });

  it("so does one that is nested without end", async () => {
    const workspace = temporaryFolder();
    const nested = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
    const memory = await open({
      workspace,
      model: {
        id: "scripted/deep",
        ask: async () => ({
          text: "",
          reasoning: "",
          finish: "tool-calls" as const,
          usage: undefined,
          calls: [{ id: "1", name: "save_memory", input: `{"history_entry":"x","memory_update":${nested}}` }],
        }),
      },
    });
    await (await memory.session("cli:a")).appendAll(talk(8));
    expect(await memory.consolidate("cli:a", { all: true })).toMatchObject({ kind: "refused", failures: 1 });
  });
});
