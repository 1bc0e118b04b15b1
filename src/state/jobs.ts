import { z } from "zod";
import { transact } from "../database.ts";
import type { Database } from "../database.ts";
import type { Job, State } from "./state.ts";

const JobRow = z.object({
  id: z.number(),
  kind: z.string(),
  payload: z.string().transform((text): unknown => JSON.parse(text)),
  attempts: z.number(),
  state: z.enum(["pending", "leased", "dead"]),
  run_after: z.string(),
  owner: z.string().nullable(),
  last_error: z.string().nullable(),
});

type Queue = Pick<State, "enqueueJob" | "leaseJob" | "finishJob" | "failJob" | "listJobs" | "hastenJobs">;

/** Durable work. A job is leased to an owner; it is free again when that owner is no more. */
export function createJobQueue(database: Database): Queue {
  const list = (where: string, ...values: string[]) =>
    database
      .prepare(`SELECT * FROM jobs WHERE ${where} ORDER BY run_after, id`)
      .all(...values)
      .map((row) => JobRow.parse(row));
  return {
    async enqueueJob(kind, name, payload, at) {
      database
        .prepare("INSERT INTO jobs (kind, name, payload, run_after) VALUES (?, ?, ?, ?) ON CONFLICT (name) DO NOTHING")
        .run(kind, name, JSON.stringify(payload), at);
    },
    async leaseJob(owner, now, isAlive) {
      return transact(database, () => {
        const free = list("state = 'leased'").find((job) => job.owner === null || !isAlive(job.owner));
        const job = free ?? list("state = 'pending' AND run_after <= ?", now)[0];
        if (!job) return undefined;
        database
          .prepare("UPDATE jobs SET state = 'leased', owner = ?, attempts = attempts + 1 WHERE id = ?")
          .run(owner, job.id);
        return toJob({ ...job, attempts: job.attempts + 1 });
      });
    },
    async finishJob(id) {
      database.prepare("DELETE FROM jobs WHERE id = ?").run(id);
    },
    async failJob(id, error, retry) {
      const state = retry === "dead" ? "dead" : "pending";
      const at = retry === "dead" ? null : retry.at;
      database
        .prepare(
          "UPDATE jobs SET state = ?, owner = NULL, last_error = ?, run_after = coalesce(?, run_after) WHERE id = ?",
        )
        .run(state, error, at, id);
    },
    async listJobs() {
      return list("1 = 1").map(toJob);
    },
    async hastenJobs(now) {
      database.prepare("UPDATE jobs SET run_after = ?1 WHERE state = 'pending' AND run_after > ?1").run(now);
    },
  };
}

function toJob({ run_after, last_error, ...job }: z.infer<typeof JobRow>): Job {
  return { ...job, runAfter: run_after, lastError: last_error };
}
