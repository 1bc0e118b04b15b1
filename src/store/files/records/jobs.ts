import { z } from "zod";
import { transact } from "../database.ts";
import type { Database } from "../database.ts";
import { MOST_BEGINNINGS, NEVER_ENDED } from "../../../state/queue.ts";
import type { Job, NewJob, Queue } from "../../../state/queue.ts";

const JobRow = z.object({
  id: z.number(),
  kind: z.string(),
  name: z.string(),
  payload: z.string().transform((text): unknown => JSON.parse(text)),
  attempts: z.number(),
  failures: z.number(),
  beginnings: z.number(),
  state: z.enum(["pending", "leased", "dead"]),
  run_after: z.string(),
  owner: z.string().nullable(),
  last_error: z.string().nullable(),
  lease_until: z.string().nullable(),
});
type JobRow = z.infer<typeof JobRow>;

const FAR_AHEAD = "9999";

/** Durable work. A job is leased to an owner; it is free again when that owner is no more, or has let the lease expire. */
export function createJobQueue(database: Database): Queue {
  const list = (where: string, ...values: (string | null)[]) =>
    database
      .prepare(`SELECT * FROM jobs WHERE ${where} ORDER BY run_after, id`)
      .all(...values)
      .map((row) => JobRow.parse(row));
  const insert = ({ kind, name, payload, at }: NewJob) =>
    database
      .prepare("INSERT INTO jobs (kind, name, payload, run_after) VALUES (?, ?, ?, ?) ON CONFLICT (name) DO NOTHING")
      .run(kind, name, JSON.stringify(payload), at);
  return {
    async enqueueJob(kind, name, payload, at) {
      insert({ kind, name, payload, at });
    },
    async enqueueJobs(jobs) {
      transact(database, () => {
        for (const job of jobs) insert(job);
      });
    },
    async flushedCursor(log) {
      return flushedCursor(database, log);
    },
    async enqueueFlush(job, cycle) {
      return transact(database, () => {
        if (flushedCursor(database, cycle.log) === cycle.cursor) return false;
        database.prepare("INSERT OR REPLACE INTO flushes (log, cursor) VALUES (?, ?)").run(cycle.log, cycle.cursor);
        insert(job);
        return true;
      });
    },
    async leaseJob(owner, now, isAlive, { until, name, horizon = FAR_AHEAD } = {}) {
      const dead = await findDead(list("state = 'leased' AND owner IS NOT NULL"), owner, isAlive);
      // Also a worker's own: one whose end it could not put on record, as while the state could not be written.
      const isLate = ({ lease_until }: JobRow) => lease_until !== null && lease_until < now;
      const isFree = (job: JobRow) => job.owner === null || dead.has(job.owner) || isLate(job);
      const next = () =>
        list("state = 'leased' AND name = coalesce(?, name)", name ?? null).find(isFree) ??
        list(
          "state = 'pending' AND name = coalesce(?, name) AND (run_after <= ? OR run_after > ?)",
          name ?? null,
          now,
          horizon,
        )[0];
      return transact(database, () => {
        let job = next();
        for (; job && job.beginnings >= MOST_BEGINNINGS; job = next()) bury(database, job.id);
        if (!job) return undefined;
        database
          .prepare(
            `UPDATE jobs SET state = 'leased', owner = ?, attempts = attempts + 1, beginnings = beginnings + 1,
             lease_until = ? WHERE id = ?`,
          )
          .run(owner, until ?? null, job.id);
        return toJob({ ...job, state: "leased", owner, attempts: job.attempts + 1, lease_until: until ?? null });
      });
    },
    async renewLease({ id, attempts }, until) {
      const { changes } = database
        .prepare("UPDATE jobs SET lease_until = ? WHERE id = ? AND attempts = ? AND state = 'leased'")
        .run(until, id, attempts);
      return changes > 0;
    },
    async finishJob(id, attempts) {
      database.prepare("DELETE FROM jobs WHERE id = ? AND attempts = coalesce(?, attempts)").run(id, attempts ?? null);
    },
    async repeatJob({ id, attempts }, at) {
      database
        .prepare(
          `UPDATE jobs SET state = 'pending', owner = NULL, failures = 0, beginnings = 0, last_error = NULL,
           run_after = ? WHERE id = ? AND attempts = ?`,
        )
        .run(at, id, attempts);
    },
    async failJob(id, error, retry, attempts) {
      const state = retry === "dead" ? "dead" : "pending";
      const at = retry === "dead" ? null : retry.at;
      database
        .prepare(
          `UPDATE jobs SET state = ?, owner = NULL, last_error = ?, run_after = coalesce(?, run_after),
           failures = failures + 1, beginnings = 0 WHERE id = ? AND attempts = coalesce(?, attempts)`,
        )
        .run(state, error, at, id, attempts ?? null);
    },
    async putBackJob(id, at, { reason, attempts } = {}) {
      database
        .prepare(
          `UPDATE jobs SET state = 'pending', owner = NULL, last_error = coalesce(?, last_error), run_after = ?,
           failures = CASE state WHEN 'dead' THEN 0 ELSE failures END, beginnings = 0
           WHERE id = ? AND attempts = coalesce(?, attempts)`,
        )
        .run(reason ?? null, at, id, attempts ?? null);
    },
    async listJobs() {
      return list("1 = 1").map(toJob);
    },
    async hastenJobs(now) {
      database
        .prepare("UPDATE jobs SET run_after = ? WHERE state = 'pending' AND run_after > ? AND last_error IS NOT NULL")
        .run(now, now);
    },
  };
}

/** The owners of these jobs who do not live any more; each is asked after once. */
async function findDead(
  jobs: readonly JobRow[],
  asker: string,
  isAlive: (owner: string) => boolean | Promise<boolean>,
): Promise<Set<string>> {
  const dead = new Set<string>();
  for (const owner of new Set(jobs.map((job) => job.owner))) {
    if (owner !== null && owner !== asker && !(await isAlive(owner))) dead.add(owner);
  }
  return dead;
}

function flushedCursor(database: Database, log: string): number | undefined {
  const row = database.prepare("SELECT cursor FROM flushes WHERE log = ?").get(log);
  return row === undefined ? undefined : Number(row["cursor"]);
}

/** A job whose workers died again and again is given up, so that it takes no more down with it. */
function bury(database: Database, id: number): void {
  database.prepare("UPDATE jobs SET state = 'dead', owner = NULL, last_error = ? WHERE id = ?").run(NEVER_ENDED, id);
}

function toJob(row: JobRow): Job {
  const { id, kind, name, payload, attempts, failures, state, owner } = row;
  const { run_after: runAfter, last_error: lastError, lease_until: leaseUntil } = row;
  return { id, kind, name, payload, attempts, failures, state, owner, runAfter, lastError, leaseUntil };
}
