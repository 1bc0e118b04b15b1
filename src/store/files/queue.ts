import { randomBytes } from "node:crypto";
import { z } from "zod";
import { describeError, MemoryError, systemCode } from "../../errors.ts";
import { textsIn } from "../../language/texts-in.ts";
import { MOST_BEGINNINGS, NEVER_ENDED } from "../queue.ts";
import type { Job, NewJob, Queue, Spend } from "../queue.ts";
import { newerVersion, openDatabase, openDatabaseForReading, transact, whenFree } from "./database.ts";
import type { Database } from "./database.ts";

/** The tables of queue.sqlite, oldest version first; steps are only ever added. */
const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE jobs (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    name TEXT NOT NULL UNIQUE,
    payload TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'pending',
    attempts INTEGER NOT NULL DEFAULT 0,
    failures INTEGER NOT NULL DEFAULT 0,
    beginnings INTEGER NOT NULL DEFAULT 0,
    run_after TEXT NOT NULL,
    owner TEXT,
    lease_until TEXT,
    last_error TEXT
  ) STRICT;
  CREATE INDEX jobs_due ON jobs (state, run_after);
  CREATE TABLE flushes (log TEXT PRIMARY KEY, cursor INTEGER NOT NULL) STRICT;
  CREATE TABLE quarantined (id TEXT PRIMARY KEY, scope TEXT NOT NULL, problem TEXT NOT NULL, at TEXT NOT NULL) STRICT;
  CREATE TABLE spend (
    day TEXT NOT NULL,
    model TEXT NOT NULL,
    calls INTEGER NOT NULL,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    cached_tokens INTEGER NOT NULL,
    cost REAL,
    PRIMARY KEY (day, model)
  ) STRICT;
  CREATE TABLE salt (salt TEXT NOT NULL) STRICT;
  `,
];

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

const QuarantinedRow = z.object({ id: z.string(), scope: z.string(), problem: z.string(), at: z.string() });

const SpendRow = z
  .object({
    day: z.string(),
    model: z.string(),
    calls: z.number(),
    input_tokens: z.number(),
    output_tokens: z.number(),
    cached_tokens: z.number(),
    cost: z.number().nullable(),
  })
  .transform(({ input_tokens, output_tokens, cached_tokens, ...spend }): Spend => ({
    ...spend,
    inputTokens: input_tokens,
    outputTokens: output_tokens,
    cachedTokens: cached_tokens,
  }));

const FAR_AHEAD = "9999";
const CHECKPOINT_TRIES = 40;
const CHECKPOINT_PAUSE_MS = 50;

/** Opens the queue of a workspace. One that a newer version made is looked at, and nothing is written to it. */
export function openQueue(path: string): Queue & { close(): void } {
  const database = openDatabase(path, MIGRATIONS, true);
  return patient(path, database, () => database.close());
}

/** Opens it to look alone: nothing is written, and one that is not there is empty. */
export async function openQueueForReading(path: string): Promise<Queue & { close(): void }> {
  const { database, close } = await openDatabaseForReading(path, MIGRATIONS);
  return patient(path, database, close);
}

/**
 * Each call is one transaction or one statement: while another process writes, it is tried again, and the event loop
 * goes on. SQLite's errors do not say which file failed; ours do.
 */
function patient(path: string, database: Database, close: () => void): Queue & { close(): void } {
  const newer = newerVersion(database, MIGRATIONS);
  const problem =
    newer === undefined
      ? undefined
      : `${path} was made by a newer Tidemark (schema ${newer}, this one knows ${MIGRATIONS.length}): nothing is digested, remembered or undone here; update Tidemark`;
  const queue = { ...createQueue(database), problem, close };
  return new Proxy(queue, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function" || name === "close") return member;
      return async (...values: unknown[]): Promise<unknown> => {
        try {
          return await whenFree(() => Reflect.apply(member, target, values));
        } catch (error) {
          if (error instanceof MemoryError) throw error;
          if (problem !== undefined) throw new MemoryError("STATE_UNUSABLE", problem, { cause: error });
          if (systemCode(error) !== "ERR_SQLITE_ERROR") throw error;
          throw new MemoryError("STATE_UNUSABLE", `Cannot use the queue ${path}: ${describeError(error)}`, {
            cause: error,
          });
        }
      };
    },
  });
}

/** Durable work. A job is leased to an owner; it is free again when that owner is no more, or has let the lease expire. */
function createQueue(database: Database): Omit<Queue, "problem"> {
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
    async isLeased({ id, attempts }) {
      const row = database.prepare("SELECT 1 FROM jobs WHERE id = ? AND attempts = ? AND state = 'leased'");
      return row.get(id, attempts) !== undefined;
    },
    async quarantine({ id, scope, problem, at }) {
      database.prepare("INSERT OR REPLACE INTO quarantined VALUES (?, ?, ?, ?)").run(id, scope, problem, at);
    },
    async listQuarantined() {
      const rows = database.prepare("SELECT id, scope, problem, at FROM quarantined ORDER BY at, id").all();
      return rows.map((row) => QuarantinedRow.parse(row));
    },
    async release(id) {
      database.prepare("DELETE FROM quarantined WHERE id = ?").run(id);
    },
    async addSpend({ day, model, calls, inputTokens, outputTokens, cachedTokens, cost }) {
      database
        .prepare(
          `INSERT INTO spend VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (day, model) DO UPDATE SET
           calls = calls + excluded.calls, input_tokens = input_tokens + excluded.input_tokens,
           output_tokens = output_tokens + excluded.output_tokens, cached_tokens = cached_tokens + excluded.cached_tokens,
           cost = CASE WHEN excluded.cost IS NULL THEN cost ELSE coalesce(cost, 0) + excluded.cost END`,
        )
        .run(day, model, calls, inputTokens, outputTokens, cachedTokens, cost);
    },
    async spendOn(day) {
      const rows = database.prepare("SELECT * FROM spend WHERE day = ? ORDER BY model").all(day);
      return rows.map((row) => SpendRow.parse(row));
    },
    async listSpend() {
      const rows = database.prepare("SELECT * FROM spend ORDER BY day, model").all();
      return rows.map((row) => SpendRow.parse(row));
    },
    async salt(first = randomBytes(32).toString("hex")) {
      return transact(database, () => {
        const known = database.prepare("SELECT salt FROM salt").get();
        if (known !== undefined) return String(known["salt"]);
        database.prepare("INSERT INTO salt (salt) VALUES (?)").run(first);
        return first;
      });
    },
    async eraseJobs(isGone, hits, isTrial) {
      const rows = database.prepare("SELECT id, payload, last_error FROM jobs").all();
      const found = rows.flatMap((row) => {
        const payload: unknown = JSON.parse(String(row["payload"]));
        const goes = isGone(payload) || textsIn(payload).some(hits);
        return goes || hits(String(row["last_error"] ?? "")) ? [{ id: Number(row["id"]), goes }] : [];
      });
      const flushes = database
        .prepare("SELECT log FROM flushes")
        .all()
        .map((row) => String(row["log"]));
      if (isTrial) return found.length;
      transact(database, () => {
        for (const { id, goes } of found)
          database
            .prepare(goes ? "DELETE FROM jobs WHERE id = ?" : "UPDATE jobs SET last_error = NULL WHERE id = ?")
            .run(id);
        for (const log of flushes.filter(hits)) database.prepare("DELETE FROM flushes WHERE log = ?").run(log);
      });
      // What was deleted before, as a job that is done, is only unlinked from its page: a copy has nothing of it.
      database.exec("VACUUM");
      // Others who read at this moment keep the old log; they are soon done.
      for (let tries = 0; tries < CHECKPOINT_TRIES; tries++) {
        if (database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()?.["busy"] === 0) break;
        await new Promise((resolve) => setTimeout(resolve, CHECKPOINT_PAUSE_MS));
      }
      return found.length;
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
