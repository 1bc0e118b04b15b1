import { existsSync } from "node:fs";
import type { Config } from "../../config.ts";
import { findDatabaseDamage, removeDatabase, whenFree } from "../../store/files/database.ts";
import { isLocked } from "../../store/files/lock.ts";
import { checkJournal } from "./check-journal.ts";
import { openState, openStateForReading } from "../../store/files/records/open-state.ts";
import type { Job } from "../../state/queue.ts";
import type { State } from "../../state/state.ts";
import { countOf } from "../print.ts";
import type { Checked, Finding } from "./finding.ts";
import { indexPath, locksPath, statePath } from "../../layout.ts";

// A job that failed this often is no accident; one that nobody took up for a day waits for a process.
const MANY_FAILURES = 3;
const LONG_MS = 24 * 3_600_000;

/** The databases are whole, the journal is finished, and no job is stuck. */
export async function checkState(workspace: string, config: Config, now: Date): Promise<Checked> {
  const index = checkIndex(workspace);
  const path = statePath(workspace);
  if (!existsSync(path)) return { findings: index, notes: [] };
  const damage = findDatabaseDamage(path);
  if (damage !== undefined) return { findings: [...index, damagedState(path, damage)], notes: [] };
  return withState(await whenFree(() => openStateForReading(path)), async (state) => {
    if (state.problem !== undefined)
      return { findings: [...index, { check: "state", problem: state.problem, fix: "update Tidemark" }], notes: [] };
    const journal = await checkJournal(workspace, config, state);
    return { findings: [...index, ...journal, ...(await checkJobs(workspace, state, now))], notes: [] };
  });
}

async function withState<T>(state: State, work: (state: State) => Promise<T>): Promise<T> {
  try {
    return await work(state);
  } finally {
    await state.close();
  }
}

function damagedState(path: string, problem: string): Finding {
  return {
    check: "state",
    problem: `${path} is damaged: ${problem}`,
    fix: "restore it from a backup (tidemark backup restore), or move the file away and keep it: memory files and sessions stay as they are, but the record of revisions and sources starts over",
  };
}

function checkIndex(workspace: string): Finding[] {
  const path = indexPath(workspace);
  const problem = existsSync(path) ? findDatabaseDamage(path) : undefined;
  if (problem === undefined) return [];
  return [
    {
      check: "index",
      problem: `${path} is damaged: ${problem}`,
      fix: "delete it; it is a cache and will be rebuilt",
      async repair() {
        removeDatabase(path);
      },
    },
  ];
}

async function checkJobs(workspace: string, state: State, now: Date): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const job of await state.listJobs()) {
    const problem = stuckReason(workspace, job, now);
    if (problem === undefined) continue;
    findings.push({
      check: "jobs",
      problem: `the job ${job.kind} ${JSON.stringify(job.payload)} ${problem}`,
      fix: "--fix makes it due again; tidemark consolidate then runs it",
      repair: () =>
        withState(openState(statePath(workspace)), (opened) =>
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
