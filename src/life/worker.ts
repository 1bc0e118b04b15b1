import { describeError, MemoryError } from "../errors.ts";
import type { Job } from "../store/queue.ts";
import type { Workspace } from "../workspace.ts";
import { ABORT_WAIT_MS, CLOSE_WAIT_MS, endsWithin } from "./ends-within.ts";

// A dead provider is often back within minutes; a job that fails this often needs a person.
const RETRY_SECONDS = [30, 300, 1800];
const MAX_FAILURES = 10;
// Renewed three times as often: a process that stands still for this long has lost its job.
const LEASE_MS = 60_000;
// What hangs in a process that lives is stopped, and tried again.
const LONGEST_JOB_MS = 60 * 60_000;
const DAY_MS = 86_400_000;
// Where the store could not be reached there is nobody else who would wake this worker again.
const AGAIN_MS = 15_000;

/** What does a kind of job; one that comes again says when. */
export type JobHandler = (workspace: Workspace, job: Job, signal: AbortSignal) => Promise<void | { again: string }>;

/** Works the queue of durable jobs in this process. */
export interface Worker {
  /** Starts on what is due, in the background. */
  wake(): void;
  /** Does one job now, if it is due and free. */
  run(name: string): Promise<void>;
  /** Works until nothing is left that this process could do, back-off or not; 0 rounds only wait for what is due. */
  drain(rounds?: number): Promise<void>;
  /** Lets the job under way end, for a while; then leaves it for the next start. */
  close(waitMs?: number): Promise<void>;
}

/**
 * Opens a worker. That it lives is known to all: the jobs of an owner who does not are taken over. `atOnce` are the kinds
 * that are due as soon as they are in the queue, whatever the clock said that put them there.
 */
export async function openWorker(
  workspace: Workspace,
  handlers: Readonly<Record<string, JobHandler>>,
  { leaseMs = LEASE_MS, atOnce = [] }: { leaseMs?: number; atOnce?: readonly string[] } = {},
): Promise<Worker> {
  const owner = workspace.newId();
  const life = await workspace.locks.live(nameOf(owner));
  const stop = new AbortController();
  const single = new Set<Promise<void>>();
  const closing = new AbortController();
  let working: Promise<void> | undefined;
  let isAsked = false;
  let timer: NodeJS.Timeout | undefined;

  const isAlive = (worker: string) => life.isAlive(nameOf(worker));
  const workNext = async (name?: string, horizon = horizonOf(workspace)): Promise<boolean> => {
    const now = workspace.now().getTime();
    const until = new Date(now + leaseMs).toISOString();
    const options = { until, horizon, ...(name === undefined ? {} : { name }) };
    const job = await workspace.queue.leaseJob(owner, new Date(now).toISOString(), isAlive, options);
    if (!job) return false;
    await workOne(workspace, job, { handler: handlers[job.kind], stop: stop.signal, leaseMs });
    return true;
  };
  /** Takes up what a clock ahead of this one has put off. */
  const workAhead = async (): Promise<boolean> => {
    const now = workspace.now();
    const ahead = (await workspace.queue.listJobs()).find((job) => isAhead(job, now, atOnce));
    return ahead !== undefined && workNext(ahead.name, now.toISOString());
  };
  const workAll = async (): Promise<void> => {
    try {
      // Whoever asks while the last look is under way may have brought something that it did not see.
      while (isAsked && !closing.signal.aborted) {
        isAsked = false;
        while (!closing.signal.aborted && ((await workNext()) || (await workAhead()))) continue;
        await planNext();
      }
    } finally {
      working = undefined;
    }
  };
  const planNext = async (): Promise<void> => {
    clearTimeout(timer);
    if (closing.signal.aborted) return;
    const next = (await workspace.queue.listJobs()).find(({ state }) => state === "pending");
    if (!next) return;
    const waitMs = Math.max(1000, Date.parse(next.runAfter) - workspace.now().getTime());
    timer = setTimeout(wake, Math.min(waitMs, 3_600_000)).unref();
  };
  const work = (): Promise<void> => {
    isAsked = true;
    return (working ??= workAll());
  };
  const wake = (): void => {
    if (closing.signal.aborted) return;
    work().catch((error: unknown) => {
      if (closing.signal.aborted) return;
      workspace.emit({
        type: "notice",
        text: `Background work stopped, and is tried again soon: ${describeError(error)}`,
      });
      clearTimeout(timer);
      timer = setTimeout(wake, AGAIN_MS).unref();
    });
  };
  return {
    wake,
    async run(name) {
      if (closing.signal.aborted) return;
      const one = workNext(name).then(() => undefined);
      single.add(one);
      await one.finally(() => single.delete(one));
    },
    // Three tries are what the raw archive waits for; a job that fails on is left to its back-off.
    async drain(rounds = 3) {
      await working;
      for (let round = 0; round < rounds && !closing.signal.aborted; round++) {
        const now = workspace.now();
        const isDue = (job: Job) =>
          job.runAfter <= now.toISOString() || job.runAfter > horizonOf(workspace) || isAhead(job, now, atOnce);
        const waits = (job: Job) =>
          job.state === "leased" || (job.state === "pending" && (isDue(job) || job.lastError !== null));
        if (!(await workspace.queue.listJobs()).some(waits)) return;
        await workspace.queue.hastenJobs(now.toISOString());
        await work();
      }
    },
    async close(waitMs = CLOSE_WAIT_MS) {
      closing.abort();
      clearTimeout(timer);
      const ended = Promise.allSettled([working, ...single]);
      if (!(await endsWithin(ended, waitMs))) stop.abort();
      await endsWithin(ended, ABORT_WAIT_MS);
      await life.end();
    },
  };
}

function nameOf(worker: string): string {
  return `worker-${worker}`;
}

/** Whether a job waits only because a clock was ahead: no failure puts one off for longer than the longest back-off. */
function isAhead({ kind, state, runAfter, lastError }: Job, now: Date, atOnce: readonly string[]): boolean {
  if (state !== "pending" || !atOnce.includes(kind)) return false;
  const longestMs = lastError === null ? 0 : 1000 * Math.max(...RETRY_SECONDS);
  return Date.parse(runAfter) > now.getTime() + longestMs;
}

/** No job is ever put off for longer than until the next tidying. */
function horizonOf({ config, now }: Workspace): string {
  return new Date(now().getTime() + (config.consolidation.tidyDays + 1) * DAY_MS).toISOString();
}

interface Duty {
  handler: JobHandler | undefined;
  stop: AbortSignal;
  leaseMs: number;
}

async function workOne(workspace: Workspace, job: Job, { handler, stop, leaseMs }: Duty): Promise<void> {
  const lost = new AbortController();
  const renewal = setInterval(() => {
    const until = new Date(workspace.now().getTime() + leaseMs).toISOString();
    workspace.queue.renewLease(job, until).then(
      (isOurs) => (isOurs ? undefined : lost.abort()),
      // Without the state nothing can be finished either: the job fails where it stands.
      () => lost.abort(),
    );
  }, leaseMs / 3).unref();
  const { id, kind, name, attempts } = job;
  try {
    if (!handler) throw new Error(`this version does not know the job ${kind}`);
    const signal = AbortSignal.any([stop, lost.signal, AbortSignal.timeout(LONGEST_JOB_MS)]);
    const done = await handler(workspace, job, signal);
    await (done ? workspace.queue.repeatJob(job, done.again) : workspace.queue.finishJob(id, attempts));
    workspace.emit({ type: "job", kind, name, outcome: "done", attempts });
  } catch (error) {
    // Who waited in vain for a lock has not failed: someone else is at it, or stopped; nor has who must begin anew.
    const isHeldUp = error instanceof MemoryError && ["LOCK_TIMEOUT", "FORGOTTEN"].includes(error.code);
    await noteFailure(workspace, job, describeError(error), { isStopped: stop.aborted, isHeldUp });
  } finally {
    clearInterval(renewal);
  }
}

/** Puts on record that a job did not come to its end; only one that failed has a failure more. */
async function noteFailure(
  workspace: Workspace,
  job: Job,
  reason: string,
  { isStopped, isHeldUp }: { isStopped: boolean; isHeldUp: boolean },
): Promise<void> {
  const { id, kind, name, attempts, failures } = job;
  const { queue } = workspace;
  const now = workspace.now();
  // Left for whoever comes next, at once.
  if (isStopped) return queue.putBackJob(id, now.toISOString(), { attempts });
  const seconds = RETRY_SECONDS[Math.min(failures, RETRY_SECONDS.length - 1)] ?? 30;
  const at = new Date(now.getTime() + seconds * 1000).toISOString();
  const isDead = failures + 1 >= MAX_FAILURES && !isHeldUp;
  if (isHeldUp) await queue.putBackJob(id, at, { reason, attempts });
  else await queue.failJob(id, reason, isDead ? "dead" : { at }, attempts);
  workspace.emit({ type: "job", kind, name, outcome: isDead ? "dead" : "failed", attempts, reason });
  const end = isDead ? "was given up" : "failed";
  workspace.emit({ type: "notice", text: `The job ${kind} ${end}: ${reason}` });
}
