import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { removeIfThere } from "../disk.ts";
import { describeError } from "../errors.ts";
import { tryLock } from "../lock.ts";
import type { Job } from "../state/state.ts";
import type { World } from "./world.ts";

// A dead provider is often back within minutes; a job that fails this often needs a person.
const RETRY_SECONDS = [30, 300, 1800];
const MAX_ATTEMPTS = 10;

/** What does a kind of job. */
export type JobHandler = (world: World, job: Job, signal: AbortSignal) => Promise<void>;

/** Works the queue of durable jobs in this process. */
export interface Worker {
  /** Starts on what is due, in the background. */
  wake(): void;
  /** Works until nothing is left that this process could do, back-off or not; 0 rounds only wait for what is due. */
  drain(rounds?: number): Promise<void>;
  close(): Promise<void>;
}

/** Opens a worker. It owns a lock for as long as it lives: jobs of an owner whose lock is free are taken over. */
export function openWorker(world: World, lockFolder: string, handlers: Readonly<Record<string, JobHandler>>): Worker {
  const owner = world.newId();
  const lockPath = (name: string) => join(lockFolder, `worker-${name}`);
  const lock = tryLock(lockPath(owner));
  const stop = new AbortController();
  let working: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  const isAlive = (name: string): boolean => {
    if (name === owner) return true;
    if (!existsSync(lockPath(name))) return false;
    const free = tryLock(lockPath(name));
    if (free) rmSync(lockPath(name), { force: true });
    free?.release();
    return free === undefined;
  };
  const workAll = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      const job = await world.state.leaseJob(owner, world.now().toISOString(), isAlive);
      if (!job) break;
      await workOne(world, job, handlers[job.kind], stop.signal);
    }
    await planNext();
  };
  const planNext = async (): Promise<void> => {
    clearTimeout(timer);
    const next = (await world.state.listJobs()).find(({ state }) => state === "pending");
    if (!next || stop.signal.aborted) return;
    const waitMs = Math.max(1000, Date.parse(next.runAfter) - world.now().getTime());
    timer = setTimeout(wake, Math.min(waitMs, 3_600_000)).unref();
  };
  const work = (): Promise<void> => (working ??= workAll().finally(() => (working = undefined)));
  const wake = (): void => {
    work().catch((error: unknown) => {
      if (!stop.signal.aborted)
        world.emit({ type: "notice", text: `Background work stopped: ${describeError(error)}` });
    });
  };
  return {
    wake,
    // Three tries are what the raw archive waits for; a job that fails on is left to its back-off.
    async drain(rounds = 3) {
      await working;
      for (let round = 0; round < rounds && !stop.signal.aborted; round++) {
        const jobs = await world.state.listJobs();
        if (!jobs.some(({ state }) => state === "pending" || state === "leased")) return;
        await world.state.hastenJobs(world.now().toISOString());
        await work();
      }
    },
    async close() {
      stop.abort();
      clearTimeout(timer);
      await working?.catch(() => undefined);
      lock?.release();
      await removeIfThere(lockPath(owner));
    },
  };
}

async function workOne(world: World, job: Job, handler: JobHandler | undefined, signal: AbortSignal): Promise<void> {
  try {
    if (!handler) throw new Error(`this version knows no job called ${job.kind}`);
    await handler(world, job, signal);
    await world.state.finishJob(job.id);
  } catch (error) {
    const seconds = RETRY_SECONDS[Math.min(job.attempts, RETRY_SECONDS.length) - 1] ?? 30;
    // Stopped, not failed: it is left for whoever comes next, at once.
    const waitMs = signal.aborted ? 0 : seconds * 1000;
    const isDead = job.attempts >= MAX_ATTEMPTS && !signal.aborted;
    const retry = isDead ? "dead" : { at: new Date(world.now().getTime() + waitMs).toISOString() };
    await world.state.failJob(job.id, describeError(error), retry);
    if (!signal.aborted) world.emit({ type: "notice", text: `The job ${job.kind} failed: ${describeError(error)}` });
  }
}
