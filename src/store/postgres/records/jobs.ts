import { z } from "zod";
import { MOST_BEGINNINGS, NEVER_ENDED } from "../../../history/queue.ts";
import type { Job, NewJob, Queue } from "../../../history/queue.ts";
import type { Query, Tenant } from "../tenant.ts";

const JobRow = z
  .object({
    id: z.coerce.number(),
    kind: z.string(),
    name: z.string(),
    payload: z.string().transform((text): unknown => JSON.parse(text)),
    attempts: z.number(),
    failures: z.number(),
    state: z.enum(["pending", "leased", "dead"]),
    run_after: z.string(),
    owner: z.string().nullable(),
    last_error: z.string().nullable(),
    lease_until: z.string().nullable(),
  })
  .transform(({ run_after, last_error, lease_until, ...job }): Job => ({
    ...job,
    runAfter: run_after,
    lastError: last_error,
    leaseUntil: lease_until,
  }));

const COLUMNS = "id, kind, name, payload, attempts, failures, state, run_after, owner, last_error, lease_until";
const FAR_AHEAD = "9999";
// A worker may come by its own job again, too: one whose end it could not put on record, as while the store was away.

/** Durable work. Whoever takes a job locks its row; those that are locked are passed over, so that nobody waits. */
export function createJobQueue({ query, transact }: Tenant): Queue {
  return {
    enqueueJob: (kind, name, payload, at) => insert(query, { kind, name, payload, at }),
    enqueueJobs: (jobs) =>
      transact(async (ask) => {
        for (const job of jobs) await insert(ask, job);
      }),
    async flushedCursor(log) {
      const [row] = await query("SELECT cursor FROM tidemark_flushes WHERE workspace = $1 AND log = $2", [log]);
      return row === undefined ? undefined : Number(row["cursor"]);
    },
    enqueueFlush: (job, { log, cursor }) =>
      transact(async (ask) => {
        const moved = await ask(
          `INSERT INTO tidemark_flushes AS known (workspace, log, cursor) VALUES ($1, $2, $3)
           ON CONFLICT (workspace, log) DO UPDATE SET cursor = excluded.cursor WHERE known.cursor <> excluded.cursor
           RETURNING cursor`,
          [log, cursor],
        );
        if (moved.length === 0) return false;
        await insert(ask, job);
        return true;
      }),
    async leaseJob(owner, now, isAlive, { until, name, horizon = FAR_AHEAD } = {}) {
      const dead = await findDead(query, owner, isAlive);
      return transact(async (ask) => {
        for (;;) {
          const [row] = await ask(
            `SELECT ${COLUMNS}, beginnings FROM tidemark_jobs WHERE workspace = $1 AND name = coalesce($2, name) AND (
               (state = 'leased' AND (owner IS NULL OR lease_until < $5 OR (owner <> $3 AND owner = ANY ($4::text[]))))
               OR (state = 'pending' AND (run_after <= $5 OR run_after > $6)))
             ORDER BY state, run_after, id LIMIT 1 FOR UPDATE SKIP LOCKED`,
            [name ?? null, owner, dead, now, horizon],
          );
          if (row === undefined) return undefined;
          const job = JobRow.parse(row);
          if (Number(row["beginnings"]) >= MOST_BEGINNINGS) {
            await bury(ask, job.id);
            continue;
          }
          await ask(
            `UPDATE tidemark_jobs SET state = 'leased', owner = $3, attempts = attempts + 1,
             beginnings = beginnings + 1, lease_until = $4 WHERE workspace = $1 AND id = $2`,
            [job.id, owner, until ?? null],
          );
          return { ...job, state: "leased", owner, attempts: job.attempts + 1, leaseUntil: until ?? null };
        }
      });
    },
    async renewLease({ id, attempts }, until) {
      const rows = await query(
        `UPDATE tidemark_jobs SET lease_until = $4
         WHERE workspace = $1 AND id = $2 AND attempts = $3 AND state = 'leased' RETURNING id`,
        [id, attempts, until],
      );
      return rows.length > 0;
    },
    async finishJob(id, attempts) {
      await query("DELETE FROM tidemark_jobs WHERE workspace = $1 AND id = $2 AND attempts = coalesce($3, attempts)", [
        id,
        attempts ?? null,
      ]);
    },
    async repeatJob({ id, attempts }, at) {
      await query(
        `UPDATE tidemark_jobs SET state = 'pending', owner = NULL, failures = 0, beginnings = 0, last_error = NULL,
         run_after = $4 WHERE workspace = $1 AND id = $2 AND attempts = $3`,
        [id, attempts, at],
      );
    },
    async failJob(id, error, retry, attempts) {
      await query(
        `UPDATE tidemark_jobs SET state = $3, owner = NULL, last_error = $4, run_after = coalesce($5, run_after),
         failures = failures + 1, beginnings = 0
         WHERE workspace = $1 AND id = $2 AND attempts = coalesce($6, attempts)`,
        [id, retry === "dead" ? "dead" : "pending", error, retry === "dead" ? null : retry.at, attempts ?? null],
      );
    },
    async putBackJob(id, at, { reason, attempts } = {}) {
      await query(
        `UPDATE tidemark_jobs SET state = 'pending', owner = NULL, last_error = coalesce($4, last_error), run_after = $3,
         failures = CASE state WHEN 'dead' THEN 0 ELSE failures END, beginnings = 0
         WHERE workspace = $1 AND id = $2 AND attempts = coalesce($5, attempts)`,
        [id, at, reason ?? null, attempts ?? null],
      );
    },
    async listJobs() {
      const rows = await query(`SELECT ${COLUMNS} FROM tidemark_jobs WHERE workspace = $1 ORDER BY run_after, id`);
      return rows.map((row) => JobRow.parse(row));
    },
    async hastenJobs(now) {
      await query(
        `UPDATE tidemark_jobs SET run_after = $2
         WHERE workspace = $1 AND state = 'pending' AND run_after > $2 AND last_error IS NOT NULL`,
        [now],
      );
    },
  };
}

async function insert(ask: Query, { kind, name, payload, at }: NewJob): Promise<void> {
  await ask(
    `INSERT INTO tidemark_jobs (workspace, kind, name, payload, run_after) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (workspace, name) DO NOTHING`,
    [kind, name, JSON.stringify(payload), at],
  );
}

/** The owners of leased jobs who do not live any more; each is asked after once. */
async function findDead(
  query: Query,
  asker: string,
  isAlive: (owner: string) => boolean | Promise<boolean>,
): Promise<string[]> {
  const rows = await query(
    `SELECT DISTINCT owner FROM tidemark_jobs
     WHERE workspace = $1 AND state = 'leased' AND owner IS NOT NULL AND owner <> $2`,
    [asker],
  );
  const dead: string[] = [];
  for (const row of rows) {
    const owner = String(row["owner"]);
    if (!(await isAlive(owner))) dead.push(owner);
  }
  return dead;
}

/** A job whose workers died again and again is given up, so that it takes no more down with it. */
async function bury(ask: Query, id: number): Promise<void> {
  await ask("UPDATE tidemark_jobs SET state = 'dead', owner = NULL, last_error = $3 WHERE workspace = $1 AND id = $2", [
    id,
    NEVER_ENDED,
  ]);
}
