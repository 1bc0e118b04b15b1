import { randomBytes } from "node:crypto";
import { z } from "zod";
import { textsIn } from "../../language/texts-in.ts";
import { MOST_BEGINNINGS, NEVER_ENDED } from "../queue.ts";
import type { Job, NewJob, Queue, Spend } from "../queue.ts";
import type { Row, Value } from "./engine.ts";
import type { Query, Tenant } from "./tenant.ts";

const COLUMNS = "id, kind, name, payload, attempts, failures, state, run_after, owner, last_error, lease_until";
const FAR_AHEAD = "9999";

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
    lease_until: z.date().nullable(),
  })
  .transform(({ run_after, last_error, lease_until, ...job }): Job => ({
    ...job,
    runAfter: run_after,
    lastError: last_error,
    leaseUntil: lease_until?.toISOString() ?? null,
  }));

const QuarantinedRow = z.object({ id: z.string(), scope: z.string(), problem: z.string(), at: z.string() });

const SpendRow = z
  .object({
    day: z.string(),
    model: z.string(),
    calls: z.coerce.number(),
    input_tokens: z.coerce.number(),
    output_tokens: z.coerce.number(),
    cached_tokens: z.coerce.number(),
    cost: z.number().nullable(),
  })
  .transform(({ day, model, calls, input_tokens, output_tokens, cached_tokens, cost }): Spend => ({
    day,
    model,
    calls,
    inputTokens: input_tokens,
    outputTokens: output_tokens,
    cachedTokens: cached_tokens,
    cost,
  }));

/**
 * What waits, and what was spent, as rows. Whoever takes a job locks its row; those that are locked are passed over, so
 * that nobody waits. A lease runs by the clock of the database, for as long as it was asked for: the clocks of those who
 * work may be wrong.
 */
export function createQueue({ query, transact }: Tenant): Queue {
  return {
    problem: undefined,
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
      const leaseMs = until === undefined ? null : Date.parse(until) - Date.parse(now);
      const { dead, isAnyFree } = await findDead(query, owner, isAlive);
      const places: [which: string, value: Value][] = [
        ["state = 'pending' AND run_after <= $4", now],
        ["state = 'pending' AND run_after > $4", horizon],
      ];
      // Also a worker's own: one whose end it could not put on record, as while the store was away.
      if (isAnyFree)
        places.unshift([
          "state = 'leased' AND (owner IS NULL OR lease_until < clock_timestamp() OR owner = ANY ($4))",
          dead,
        ]);
      return transact(async (ask) => {
        for (const [which, value] of places) {
          for (;;) {
            const row = await takeFirst(ask, which, [owner, leaseMs, value], name);
            if (row === undefined) break;
            if (Number(row["beginnings"]) <= MOST_BEGINNINGS) return JobRow.parse(row);
            // A job whose workers died again and again is given up, so that it takes no more down with it.
            await ask(
              `UPDATE tidemark_jobs SET state = 'dead', owner = NULL, attempts = attempts - 1, last_error = $3
               WHERE workspace = $1 AND id = $2`,
              [Number(row["id"]), NEVER_ENDED],
            );
          }
        }
        return undefined;
      });
    },
    async renewLease({ id, attempts }) {
      const rows = await query(
        `UPDATE tidemark_jobs SET lease_until = clock_timestamp() + make_interval(secs => lease_ms / 1000)
         WHERE workspace = $1 AND id = $2 AND attempts = $3 AND state = 'leased' RETURNING id`,
        [id, attempts],
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
        [id, retry === "dead" ? "dead" : "pending", plain(error), retry === "dead" ? null : retry.at, attempts ?? null],
      );
    },
    async putBackJob(id, at, { reason, attempts } = {}) {
      await query(
        `UPDATE tidemark_jobs SET state = 'pending', owner = NULL, last_error = coalesce($4, last_error), run_after = $3,
         failures = CASE state WHEN 'dead' THEN 0 ELSE failures END, beginnings = 0
         WHERE workspace = $1 AND id = $2 AND attempts = coalesce($5, attempts)`,
        [id, at, reason === undefined ? null : plain(reason), attempts ?? null],
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
    async isLeased({ id, attempts }) {
      const rows = await query(
        "SELECT 1 FROM tidemark_jobs WHERE workspace = $1 AND id = $2 AND attempts = $3 AND state = 'leased'",
        [id, attempts],
      );
      return rows.length > 0;
    },
    async quarantine({ id, scope, problem, at }) {
      await query(
        `INSERT INTO tidemark_quarantined (workspace, id, scope, problem, at) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (workspace, id) DO UPDATE SET scope = excluded.scope, problem = excluded.problem, at = excluded.at`,
        [id, scope, plain(problem), at],
      );
    },
    async listQuarantined() {
      const rows = await query(
        "SELECT id, scope, problem, at FROM tidemark_quarantined WHERE workspace = $1 ORDER BY at, id",
      );
      return rows.map((row) => QuarantinedRow.parse(row));
    },
    async release(id) {
      await query("DELETE FROM tidemark_quarantined WHERE workspace = $1 AND id = $2", [id]);
    },
    async addSpend({ day, model, calls, inputTokens, outputTokens, cachedTokens, cost }) {
      await query(
        `INSERT INTO tidemark_spend AS known (workspace, day, model, calls, input_tokens, output_tokens, cached_tokens, cost)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (workspace, day, model) DO UPDATE SET
         calls = known.calls + excluded.calls, input_tokens = known.input_tokens + excluded.input_tokens,
         output_tokens = known.output_tokens + excluded.output_tokens,
         cached_tokens = known.cached_tokens + excluded.cached_tokens,
         cost = CASE WHEN excluded.cost IS NULL THEN known.cost ELSE coalesce(known.cost, 0) + excluded.cost END`,
        [day, model, calls, inputTokens, outputTokens, cachedTokens, cost],
      );
    },
    async spendOn(day) {
      const rows = await query("SELECT * FROM tidemark_spend WHERE workspace = $1 AND day = $2 ORDER BY model", [day]);
      return rows.map((row) => SpendRow.parse(row));
    },
    async listSpend() {
      const rows = await query("SELECT * FROM tidemark_spend WHERE workspace = $1 ORDER BY day, model");
      return rows.map((row) => SpendRow.parse(row));
    },
    async salt(first = randomBytes(32).toString("hex")) {
      const read = "SELECT salt FROM tidemark_salts WHERE workspace = $1";
      const [known] = await query(read);
      if (known !== undefined) return String(known["salt"]);
      return transact(async (ask) => {
        await ask("INSERT INTO tidemark_salts (workspace, salt) VALUES ($1, $2) ON CONFLICT DO NOTHING", [first]);
        const [row] = await ask(read);
        return String(row?.["salt"]);
      });
    },
    eraseJobs: (isGone, hits, isTrial) =>
      transact(async (ask) => {
        const rows = await ask("SELECT id, payload, last_error FROM tidemark_jobs WHERE workspace = $1");
        const gone: number[] = [];
        const cleared: number[] = [];
        for (const row of rows) {
          const payload: unknown = JSON.parse(String(row["payload"]));
          if (isGone(payload) || textsIn(payload).some(hits)) gone.push(Number(row["id"]));
          else if (typeof row["last_error"] === "string" && hits(row["last_error"])) cleared.push(Number(row["id"]));
        }
        if (!isTrial) {
          const flushes = await ask("SELECT log FROM tidemark_flushes WHERE workspace = $1");
          const logs = flushes.map((row) => String(row["log"])).filter(hits);
          const those = "WHERE workspace = $1 AND id = ANY ($2::bigint[])";
          await ask(`DELETE FROM tidemark_jobs ${those}`, [gone]);
          await ask(`UPDATE tidemark_jobs SET last_error = NULL ${those}`, [cleared]);
          await ask("DELETE FROM tidemark_flushes WHERE workspace = $1 AND log = ANY ($2::text[])", [logs]);
        }
        return gone.length + cleared.length;
      }),
  };
}

async function insert(ask: Query, { kind, name, payload, at }: NewJob): Promise<void> {
  await ask(
    `INSERT INTO tidemark_jobs (workspace, kind, name, payload, run_after) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (workspace, name) DO NOTHING`,
    [kind, name, JSON.stringify(payload), at],
  );
}

/** Leases the first of these jobs that nobody has locked, by an index; of one name, where that is wanted. */
async function takeFirst(
  ask: Query,
  which: string,
  values: readonly Value[],
  name: string | undefined,
): Promise<Row | undefined> {
  const [row] = await ask(
    `UPDATE tidemark_jobs SET state = 'leased', owner = $2, attempts = attempts + 1, beginnings = beginnings + 1,
       lease_ms = $3, lease_until = clock_timestamp() + make_interval(secs => $3::double precision / 1000)
     WHERE workspace = $1 AND id = (
       SELECT id FROM tidemark_jobs WHERE workspace = $1 AND ${which}${name === undefined ? "" : " AND name = $5"}
       ORDER BY run_after, id LIMIT 1 FOR UPDATE SKIP LOCKED)
     RETURNING ${COLUMNS}, beginnings`,
    name === undefined ? values : [...values, name],
  );
  return row;
}

/** The owners of leased jobs who do not live any more, each asked after once; whether any leased job may be taken. */
async function findDead(
  query: Query,
  asker: string,
  isAlive: (owner: string) => boolean | Promise<boolean>,
): Promise<{ dead: string[]; isAnyFree: boolean }> {
  const rows = await query(
    `SELECT owner, bool_or(owner IS NULL OR lease_until < clock_timestamp()) AS is_free FROM tidemark_jobs
     WHERE workspace = $1 AND state = 'leased' GROUP BY owner`,
  );
  const dead: string[] = [];
  for (const { owner } of rows)
    if (typeof owner === "string" && owner !== asker && !(await isAlive(owner))) dead.push(owner);
  return { dead, isAnyFree: dead.length > 0 || rows.some((row) => row["is_free"] === true) };
}

/** What someone else worded is kept, without what the database has no character for. */
function plain(text: string): string {
  return text.replaceAll("\0", "\uFFFD");
}
