// @module-tag stores
import { existsSync, linkSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { listKept, ofFolder, readKept } from "../support/kept.ts";
import { open, talk } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";

describe("a log that /new moves away", () => {
  it("gets its cursor moved only under its own identity, checked while nobody can rotate", async () => {
    const workspace = temporaryFolder();
    const memory = await open({ workspace, passive: true });
    const session = await memory.session("cli:a");
    await session.appendAll(talk(30));
    // A run looked for its log, and then stood still.
    const other = await open({ workspace, passive: true });
    const found = await other.store.logs.open("cli:a");
    const { identity } = found;
    await memory.startNew("cli:a");
    await session.appendAll(talk(30, "both", "later"));
    const cursor = async () => (await memory.session("cli:a")).cursor;
    expect(await found.moveCursor(20, identity)).toBe(false);
    expect(await cursor()).toBe(0);
    await found.load();
    expect(await found.moveCursor(20, found.identity)).toBe(true);
    expect(await cursor()).toBe(20);
    expect(await found.moveCursor(10, found.identity)).toBe(true);
    expect(await cursor()).toBe(20);
    await expect(found.moveCursor(31, found.identity)).rejects.toThrow(/no such message/);
  });

  it("is there for readers at every instant", async () => {
    const workspace = temporaryFolder();
    const memory = await open({ workspace, passive: true });
    const session = await memory.session("cli:a");
    await session.appendAll(talk(4));
    const rotation = { isDone: false };
    const rotating = (async () => {
      for (let round = 0; round < 30; round++) {
        await memory.startNew("cli:a");
        await session.append({ role: "user", content: `round ${round}` });
      }
      rotation.isDone = true;
    })();
    while (!rotation.isDone) {
      expect(await memory.hasSession("cli:a")).toBe(true);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await rotating;
    expect(await listKept(workspace, "sessions/archive")).toHaveLength(30);
  });

  ofFolder("a rotation of rows is one transaction")(
    "goes on under its own name when the process died half-way",
    async () => {
      const workspace = temporaryFolder();
      const memory = await open({ workspace, passive: true });
      const session = await memory.session("cli:a");
      await session.appendAll(talk(10));
      const archive = join(workspace, "sessions/archive/cli_a-20261115T090000000.jsonl");
      mkdirSync(join(workspace, "sessions/archive"), { recursive: true });
      linkSync(join(workspace, "sessions/cli_a.jsonl"), archive);
      const payload = { session: "cli:a", archive: "cli_a-20261115T090000000.jsonl", at: "2026-11-15T09:00:00.000Z" };
      await memory.queue.enqueueJobs([
        { kind: "digest-archive", name: "digest-archive:x", payload: payload, at: "2026-11-15T09:00:00.000Z" },
      ]);
      const worker = await open({ workspace });
      await worker.settle();
      expect(await worker.queue.listJobs()).toEqual([]);
      expect(existsSync(archive)).toBe(false);
      expect((await worker.session("cli:a")).messages()).toHaveLength(10);
      expect(session.cursor).toBe(0);
    },
  );

  it("shows what lay before an ordinal without reading all that lay before that", async () => {
    const workspace = temporaryFolder();
    const memory = await open({ workspace, passive: true });
    const session = await memory.session("cli:a");
    await session.appendAll(talk(3000, "user", "x".repeat(300)));
    await memory.markDigested("cli:a", 2500);
    const log = await memory.store.logs.open("cli:a");
    const ids = session.messages().map(({ id }) => id);
    const shown = async (ordinal: number, count: number) =>
      (await log.before(ordinal, count, log.identity)).map(({ id }) => id);
    expect(await shown(2500, 100)).toEqual(ids.slice(2400, 2500));
    expect(await shown(2550, 100)).toEqual(ids.slice(2450, 2550));
    expect(await shown(2400, 50)).toEqual(ids.slice(2350, 2400));
    expect(await shown(2700, 100)).toEqual(ids.slice(2600, 2700));
    expect(await shown(30, 100)).toEqual(ids.slice(0, 30));
    expect(await shown(2500, 5000)).toEqual(ids.slice(0, 2500));
    expect(await log.before(2500, 10, "another log")).toEqual([]);
    expect((await readKept(workspace, "sessions/cli_a.jsonl")).split("\n")).toHaveLength(3003);
  });
});
