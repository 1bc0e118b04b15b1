import { join } from "node:path";
import { MemoryError } from "../../src/errors.ts";
import { describe, expect, it, onTestFinished } from "vitest";
import { loadConfig } from "../../src/config.ts";
import { openMemory } from "../../src/index.ts";
import type { Memory } from "../../src/index.ts";
import type { Model } from "../../src/model/model.ts";
import type { MemoryEvent } from "../../src/outcome.ts";
import { openWorker } from "../../src/life/worker.ts";
import type { JobHandler } from "../../src/life/worker.ts";
import { openQueue } from "../../src/store/files/queue.ts";
import { NEVER_ENDED } from "../../src/store/queue.ts";
import { openWorkspace } from "../../src/open-workspace.ts";
import { temporaryFolder } from "../support/workspace.ts";

const at = (second: number) => new Date(Date.UTC(2026, 10, 15, 10, 0, second)).toISOString();
const alive = () => true;

function startQueue() {
  const queue = openQueue(join(temporaryFolder(), "queue.sqlite"));
  onTestFinished(() => queue.close());
  return queue;
}

describe("a lease", () => {
  it("keeps others away until its owner is gone, or is late", async () => {
    const queue = startQueue();
    await queue.enqueueJobs([{ kind: "x", name: "x", payload: {}, at: at(0) }]);
    expect(await queue.leaseJob("one", at(1), alive, { until: at(61) })).toMatchObject({ attempts: 1, owner: "one" });
    expect(await queue.leaseJob("two", at(60), alive)).toBeUndefined();
    expect(await queue.leaseJob("two", at(62), alive, { until: at(122) })).toMatchObject({ attempts: 2, owner: "two" });
    expect(await queue.leaseJob("three", at(63), (owner) => owner !== "two")).toMatchObject({ attempts: 3 });
  });

  it("lasts longer when it is renewed, and is not renewed once it is someone else's", async () => {
    const queue = startQueue();
    await queue.enqueueJobs([{ kind: "x", name: "x", payload: {}, at: at(0) }]);
    const first = await queue.leaseJob("one", at(1), alive, { until: at(20) });
    expect(await queue.renewLease(first!, at(40))).toBe(true);
    expect(await queue.leaseJob("two", at(30), alive)).toBeUndefined();
    expect(await queue.leaseJob("two", at(41), alive)).toMatchObject({ attempts: 2 });
    expect(await queue.renewLease(first!, at(99))).toBe(false);
  });

  it("that was lost lets a late worker neither write, finish nor fail", async () => {
    const queue = startQueue();
    await queue.enqueueJobs([{ kind: "x", name: "x", payload: {}, at: at(0) }]);
    const late = await queue.leaseJob("one", at(1), alive, { until: at(20) });
    const next = await queue.leaseJob("two", at(21), alive, { until: at(60) });
    expect(await queue.isLeased(late!)).toBe(false);
    await queue.finishJob(late!.id, late!.attempts);
    await queue.failJob(late!.id, "late", "dead", late!.attempts);
    expect(await queue.listJobs()).toMatchObject([{ state: "leased", owner: "two", lastError: null }]);
    expect(await queue.isLeased(next!)).toBe(true);
    await queue.finishJob(next!.id, next!.attempts);
    expect(await queue.listJobs()).toEqual([]);
  });

  it("of a job that takes every process down is given up in the end", async () => {
    const queue = startQueue();
    await queue.enqueueJobs([{ kind: "x", name: "x", payload: {}, at: at(0) }]);
    for (let death = 0; death < 30; death++)
      expect(await queue.leaseJob(`w${death}`, at(1), () => false)).toBeDefined();
    expect(await queue.leaseJob("last", at(1), () => false)).toBeUndefined();
    expect(await queue.listJobs()).toMatchObject([{ state: "dead", failures: 0, lastError: NEVER_ENDED }]);
    // Whoever takes it up again gives it all its tries anew.
    await queue.putBackJob(1, at(1));
    expect(await queue.leaseJob("again", at(1), alive)).toMatchObject({ attempts: 31, failures: 0 });
  });

  it("counts no beginning that came to an end, and gives the true reason in the end", async () => {
    const queue = startQueue();
    await queue.enqueueJobs([{ kind: "x", name: "x", payload: {}, at: at(0) }]);
    for (let round = 0; round < 40; round++) {
      const job = await queue.leaseJob("one", at(1), alive);
      await queue.putBackJob(1, at(0), { attempts: job!.attempts });
    }
    await queue.leaseJob("one", at(1), alive);
    await queue.failJob(1, "no such model", { at: at(0) });
    expect(await queue.listJobs()).toMatchObject([{ state: "pending", failures: 1, lastError: "no such model" }]);
    for (let death = 0; death < 31; death++) await queue.leaseJob(`w${death}`, at(1), () => false);
    expect(await queue.listJobs()).toMatchObject([{ state: "dead", failures: 1, lastError: NEVER_ENDED }]);
  });
});

describe("the queue", () => {
  it("takes several jobs at once or none, and a name once", async () => {
    const queue = startQueue();
    const job = (name: string, payload: unknown = {}) => ({ kind: "x", name, payload, at: at(0) });
    await queue.enqueueJobs([job("a"), job("b"), job("a")]);
    expect((await queue.listJobs()).map(({ name }) => name)).toEqual(["a", "b"]);
    await expect(queue.enqueueJobs([job("c"), job("d", 1n)])).rejects.toThrow();
    expect(await queue.listJobs()).toHaveLength(2);
  });

  it("leases a job by its name, and hastens only what has failed", async () => {
    const queue = startQueue();
    await queue.enqueueJobs([{ kind: "x", name: "a", payload: {}, at: at(0) }]);
    await queue.enqueueJobs([{ kind: "x", name: "b", payload: {}, at: at(0) }]);
    await queue.enqueueJobs([{ kind: "x", name: "later", payload: {}, at: at(50) }]);
    expect(await queue.leaseJob("one", at(1), alive, { name: "b" })).toMatchObject({ name: "b" });
    expect(await queue.leaseJob("one", at(1), alive, { name: "later" })).toBeUndefined();
    await queue.failJob(2, "down", { at: at(40) });
    await queue.hastenJobs(at(2));
    expect((await queue.listJobs()).map(({ name, runAfter }) => [name, runAfter])).toEqual([
      ["a", at(0)],
      ["b", at(2)],
      ["later", at(50)],
    ]);
  });

  it("gives a flush once for each place of the cursor", async () => {
    const queue = startQueue();
    const flush = (name: string, cursor: number) =>
      queue.enqueueFlush({ kind: "flush", name, payload: {}, at: at(0) }, { log: "log", cursor });
    expect([await flush("a", 0), await flush("b", 0), await flush("c", 10), await flush("d", 10)]).toEqual([
      true,
      false,
      true,
      false,
    ]);
    expect((await queue.listJobs()).map(({ name }) => name)).toEqual(["a", "c"]);
  });
});

async function startWorld(handlers: Record<string, JobHandler>, leaseMs?: number) {
  const workspace = temporaryFolder();
  const clock = { now: new Date(at(0)) };
  const events: MemoryEvent[] = [];
  const { workspace: world } = await openWorkspace(workspace, loadConfig(workspace), {
    now: () => clock.now,
    emit: (event) => void events.push(event),
  });
  const worker = await openWorker(world, handlers, { leaseMs });
  onTestFinished(async () => {
    await worker.close(0);
    world.history.close();
    await world.store.close();
  });
  return { world, worker, clock, events };
}

describe("a worker", () => {
  it("waits longer after each failure, and gives up after ten", async () => {
    const { world, worker, clock, events } = await startWorld({
      bad: async () => {
        throw new Error("no such thing");
      },
    });
    await world.queue.enqueueJobs([{ kind: "bad", name: "bad", payload: {}, at: at(0) }]);
    const waits: number[] = [];
    for (let attempt = 1; attempt <= 10; attempt++) {
      await worker.run("bad");
      const [job] = await world.queue.listJobs();
      waits.push((Date.parse(job!.runAfter) - clock.now.getTime()) / 1000);
      clock.now = new Date(Math.max(Date.parse(job!.runAfter), clock.now.getTime()));
    }
    expect(waits.slice(0, 9)).toEqual([30, 300, 1800, 1800, 1800, 1800, 1800, 1800, 1800]);
    expect(await world.queue.listJobs()).toMatchObject([{ state: "dead", attempts: 10, lastError: "no such thing" }]);
    expect(events.filter(({ type }) => type === "job").map((event) => "outcome" in event && event.outcome)).toEqual([
      ...Array.from({ length: 9 }, () => "failed"),
      "dead",
    ]);
  });

  it("does not give up what only waits for someone else's lock", async () => {
    const { world, worker, clock } = await startWorld({
      late: async () => {
        throw new MemoryError("LOCK_TIMEOUT", "Process 7 has held the lock cli_a.run");
      },
    });
    await world.queue.enqueueJobs([{ kind: "late", name: "late", payload: {}, at: at(0) }]);
    for (let attempt = 1; attempt <= 15; attempt++) {
      await worker.run("late");
      const [job] = await world.queue.listJobs();
      expect(job).toMatchObject({ state: "pending", attempts: attempt, failures: 0 });
      clock.now = new Date(Math.max(Date.parse(job!.runAfter), clock.now.getTime()));
    }
  });

  it("sees what comes while it looks for the last time", async () => {
    const done: string[] = [];
    const { world } = await startWorld({});
    let hasLooked = (): void => undefined;
    const looked = new Promise<void>((resolve) => (hasLooked = resolve));
    let goOn = (): void => undefined;
    const gate = new Promise<void>((resolve) => (goOn = resolve));
    const slow: typeof world = {
      ...world,
      queue: {
        ...world.queue,
        async leaseJob(...values) {
          const job = await world.queue.leaseJob(...values);
          if (job === undefined) {
            hasLooked();
            await gate;
          }
          return job;
        },
      },
    };
    const worker = await openWorker(slow, { x: async (_, { name }) => void done.push(name) });
    onTestFinished(() => worker.close(0));
    worker.wake();
    await looked;
    await world.queue.enqueueJobs([{ kind: "x", name: "late", payload: {}, at: at(0) }]);
    worker.wake();
    goOn();
    await worker.drain(0);
    expect(done).toEqual(["late"]);
  });

  it("takes over from one that hangs, and the late one notices", async () => {
    let begun = 0;
    let wasAborted = false;
    const hang: JobHandler = async (_, __, signal) => {
      begun++;
      if (begun > 1) return;
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      wasAborted = true;
    };
    const { world, worker, clock } = await startWorld({ hang }, 300);
    const other = await openWorker(world, { hang }, { leaseMs: 300 });
    onTestFinished(() => other.close(0));
    await world.queue.enqueueJobs([{ kind: "hang", name: "hang", payload: {}, at: at(0) }]);
    const first = worker.run("hang");
    // The first lives, but its lease has run out by the clock before it could renew it.
    clock.now = new Date(Date.parse(at(0)) + 301);
    await other.run("hang");
    expect(begun).toBe(2);
    expect(await world.queue.listJobs()).toEqual([]);
    await first;
    expect(wasAborted).toBe(true);
  });

  it("that is closed lets a job end in time, and leaves a longer one for the next start", async () => {
    let isDone = false;
    const { world, worker } = await startWorld({
      short: async () => {
        await new Promise((resolve) => setTimeout(resolve, 100));
        isDone = true;
      },
      long: (_, __, signal) =>
        new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("stopped")))),
    });
    await world.queue.enqueueJobs([{ kind: "short", name: "a", payload: {}, at: at(0) }]);
    worker.wake();
    await new Promise((resolve) => setTimeout(resolve, 30));
    await worker.close(2000);
    expect(isDone).toBe(true);
    expect(await world.queue.listJobs()).toEqual([]);
    const { world: other, worker: second } = await startWorld({
      long: (_, __, signal) =>
        new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("stopped")))),
    });
    await other.queue.enqueueJobs([{ kind: "long", name: "b", payload: {}, at: at(0) }]);
    second.wake();
    await new Promise((resolve) => setTimeout(resolve, 30));
    await second.close(100);
    expect(await other.queue.listJobs()).toMatchObject([{ state: "pending", runAfter: at(0), attempts: 1 }]);
  });

  it("counts no failure when it is stopped, however often", async () => {
    const workspace = temporaryFolder();
    const config = { tools: { sessionMemory: { enabled: false } } };
    let ask: Model["ask"] = () => Promise.reject(new Error("503 overloaded"));
    const model: Model = { id: "scripted/slow", ask: (request) => ask(request) };
    const passive = await openMemory({ workspace, config, passive: true });
    const session = await passive.session("cli:a");
    await session.append({ role: "user", content: "I sail on Fridays." });
    await session.append({ role: "assistant", content: "Noted." });
    await passive.startNew("cli:a");
    await passive.close();
    const digests = async (memory: Memory) =>
      (await memory.queue.listJobs()).filter(({ kind }) => kind === "digest-archive");
    // Short commands, one after the other, while a slow model digests.
    for (let start = 0; start < 11; start++) {
      const asked = new Promise<void>((resolve) => {
        ask = ({ signal }) => {
          resolve();
          return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(new Error("aborted"))));
        };
      });
      const memory = await openMemory({ workspace, config, model });
      await asked;
      await memory.close({ waitMs: 0 });
    }
    ask = () => Promise.reject(new Error("503 overloaded"));
    const memory = await openMemory({ workspace, config, model, passive: true });
    expect(await digests(memory)).toMatchObject([{ state: "pending", failures: 0, attempts: 11, lastError: null }]);
    await memory.close();
    const last = await openMemory({ workspace, config, model });
    await last.settle({ retries: 0 });
    expect(await digests(last)).toMatchObject([{ state: "pending", failures: 1, lastError: "503 overloaded" }]);
    await last.close();
  });

  it("does a job again when it says so", async () => {
    const { world, worker } = await startWorld({ again: async () => ({ again: at(3600) }) });
    await world.queue.enqueueJobs([{ kind: "again", name: "again", payload: {}, at: at(0) }]);
    await worker.run("again");
    expect(await world.queue.listJobs()).toMatchObject([{ state: "pending", failures: 0, runAfter: at(3600) }]);
    await worker.drain();
    expect(await world.queue.listJobs()).toMatchObject([{ attempts: 1, runAfter: at(3600) }]);
  });
});
