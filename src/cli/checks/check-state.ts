import { existsSync } from "node:fs";
import type { Config } from "../../config.ts";
import { findDatabaseDamage, removeDatabase, whenFree } from "../../store/files/database.ts";
import { isLocked } from "../../store/files/lock.ts";
import { checkChanges } from "./check-changes.ts";
import { openQueue, openQueueForReading } from "../../store/files/queue.ts";
import type { Job, Queue } from "../../store/queue.ts";
import { countOf } from "../print.ts";
import type { Checked, Finding } from "./finding.ts";
import { cachePath, indexPath, locksPath, queuePath } from "../../layout.ts";

// A job that failed this often is no accident; one that nobody took up for a day waits for a process.
const MANY_FAILURES = 3;
const LONG_MS = 24 * 3_600_000;

/** The databases are whole, every change is carried out, and no job is stuck. */
export async function checkState(workspace: string, config: Config, now: Date): Promise<Checked> {
  const caches = [cachePath(workspace), indexPath(workspace)].flatMap(checkCache);
  const path = queuePath(workspace);
  const damage = existsSync(path) ? findDatabaseDamage(path) : undefined;
  if (damage !== undefined) return { findings: [...caches, damagedQueue(path, damage)], notes: [] };
  return withQueue(await whenFree(() => openQueueForReading(path)), async (queue) => {
    if (queue.problem !== undefined)
      return { findings: [...caches, { check: "queue", problem: queue.problem, fix: "update Tidemark" }], notes: [] };
    const changes = await checkChanges(workspace, config, queue);
    return { findings: [...caches, ...changes, ...(await checkJobs(workspace, queue, now))], notes: [] };
  });
}

async function withQueue<T>(queue: Queue & { close(): void }, work: (queue: Queue) => Promise<T>): Promise<T> {
  try {
    return await work(queue);
  } finally {
    queue.close();
  }
}

function damagedQueue(path: string, problem: string): Finding {
  return {
    check: "queue",
    problem: `${path} is damaged: ${problem}`,
    fix: "restore it from a backup (tidemark backup restore), or move the file away and keep it: sessions, changes and memory stay as they are, but waiting work and the record of spend start over",
  };
}

function checkCache(path: string): Finding[] {
  const problem = existsSync(path) ? findDatabaseDamage(path) : undefined;
  if (problem === undefined) return [];
  return [
    {
      check: "cache",
      problem: `${path} is damaged: ${problem}`,
      fix: "delete it; it is a cache and will be rebuilt",
      async repair() {
        removeDatabase(path);
      },
    },
  ];
}

async function checkJobs(workspace: string, queue: Queue, now: Date): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const job of await queue.listJobs()) {
    const problem = stuckReason(workspace, job, now);
    if (problem === undefined) continue;
    findings.push({
      check: "jobs",
      problem: `the job ${job.kind} ${JSON.stringify(job.payload)} ${problem}`,
      fix: "--fix makes it due again; tidemark consolidate then runs it",
      repair: () =>
        withQueue(openQueue(queuePath(workspace)), (opened) =>
          // An error that is on record stays as it is there by now: words of it may have been forgotten.
          opened.putBackJob(job.id, now.toISOString(), {
            reason: job.lastError === null ? problem : undefined,
            attempts: job.attempts,
          }),
        ),
    });
  }
  return findings;
}

function stuckReason(workspace: string, job: Job, now: Date): string | undefined {
  const failure = job.lastError === null ? "" : `: ${job.lastError}`;
  if (job.state === "dead") return `was given up${afterFailures(job)}${failure}`;
  if (job.state === "leased")
    return isWorking(workspace, job.owner) ? undefined : "was left behind by a process that died";
  if (job.failures >= MANY_FAILURES) return `failed ${job.failures} times${failure}`;
  const isOld = now.getTime() - Date.parse(job.runAfter) > LONG_MS;
  return isOld ? `has been due since ${job.runAfter}, and no process has picked it up` : undefined;
}

/** How often it failed; nothing of one that was killed each time. */
export function afterFailures({ failures }: Pick<Job, "failures">): string {
  return failures === 0 ? "" : ` after ${countOf(failures, "failure")}`;
}

function isWorking(workspace: string, owner: string | null): boolean {
  if (owner === null) return false;
  const path = locksPath(workspace, `worker-${owner}`);
  return isLocked(path);
}
