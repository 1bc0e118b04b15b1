import { parseIfJson } from "../../../parse-if-json.ts";
import { z } from "zod";
import { transact } from "../database.ts";
import type { Database } from "../database.ts";
import { insertAnswer } from "./answers.ts";
import { hashEntry } from "../../../state/hash-entry.ts";
import { insertFacts } from "./facts.ts";
import { insertOutside } from "./outside.ts";
import { fromOlder } from "./older-records.ts";
import { insertRevision } from "./revisions.ts";
import { Apply } from "../../../state/state.ts";
import type { Journal, PendingApply, Run } from "../../../state/state.ts";

/** Applies that are under way, and those that were set aside. */
export function createJournal(database: Database): Journal {
  return {
    async prepareApply(apply) {
      return transact(database, () => {
        if (apply.job && !isLeased(database, apply.job)) return false;
        database
          .prepare("INSERT INTO journal (run, scope, payload) VALUES (?, ?, ?)")
          .run(apply.run.id, apply.run.scope, JSON.stringify(apply));
        return true;
      });
    },
    async amendApply(apply) {
      database.prepare("UPDATE journal SET payload = ? WHERE run = ?").run(JSON.stringify(apply), apply.run.id);
    },
    async pendingApplies(scope) {
      const rows = database
        .prepare("SELECT run, scope, payload FROM journal WHERE scope = ? AND problem IS NULL ORDER BY rowid")
        .all(scope);
      return rows.map((row) => readPending(Row.parse(row)));
    },
    async pendingScopes() {
      return database
        .prepare("SELECT DISTINCT scope FROM journal WHERE problem IS NULL")
        .all()
        .map((row) => String(row["scope"]));
    },
    async finishApply(apply, aside) {
      transact(database, () => {
        record(database, apply);
        const { run } = apply;
        if (aside === undefined) database.prepare("DELETE FROM journal WHERE run = ?").run(run.id);
        else
          database
            .prepare("UPDATE journal SET problem = ?, aside_at = ?, is_recorded = 1 WHERE run = ?")
            .run(aside.problem, aside.at, run.id);
      });
    },
    async setAside(run, problem, at) {
      transact(database, () => {
        const row = database.prepare("SELECT run, scope, payload FROM journal WHERE run = ?").get(run);
        if (row === undefined) return;
        const job = readPending(Row.parse(row)).apply?.job;
        if (job) database.prepare("DELETE FROM jobs WHERE id = ?").run(job.id);
        database.prepare("UPDATE journal SET problem = ?, aside_at = ? WHERE run = ?").run(problem, at, run);
      });
    },
    async listAside() {
      const rows = database.prepare("SELECT * FROM journal WHERE problem IS NOT NULL ORDER BY rowid").all();
      return rows.map((each) => {
        const { problem, aside_at: at, is_recorded, ...row } = AsideRow.parse(each);
        return { ...readPending(row), problem, at, isRecorded: is_recorded === 1 };
      });
    },
    async dropAside(run) {
      database.prepare("DELETE FROM journal WHERE run = ? AND problem IS NOT NULL").run(run);
    },
  };
}

const Row = z.object({ run: z.string(), scope: z.string(), payload: z.string() });
const AsideRow = z.object({ ...Row.shape, problem: z.string(), aside_at: z.string(), is_recorded: z.number() });
const Named = z.looseObject({ run: z.looseObject({ session: z.string() }) });

function readPending(row: z.infer<typeof Row>): PendingApply {
  const payload = parseIfJson(row.payload);
  const { run, scope } = row;
  const session = Named.safeParse(payload).data?.run.session ?? "";
  return { run, scope, session, payload: row.payload, apply: Apply.safeParse(fromOlder(payload)).data };
}

/** Everything that an apply leaves in the records; the caller is in a transaction. */
function record(database: Database, apply: Apply): void {
  const { run, memory, held, job, answer } = apply;
  insertRun(database, withEntries(apply));
  if (answer) insertAnswer(database, run.id, answer);
  if (memory)
    insertRevision(database, {
      scope: run.scope,
      file: "MEMORY.md",
      text: memory.after,
      author: apply.author ?? "run",
      cause: run.cause,
      run: run.id,
      at: run.finishedAt,
      edits: apply.edits,
    });
  insertFacts(database, apply);
  insertOutside(database, apply);
  if (held) database.prepare("INSERT INTO held (run, payload) VALUES (?, ?)").run(run.id, JSON.stringify(held));
  // A raw archive is the third failure's own remedy: the count begins anew as after a success. What digests nothing
  // (a note, a fact remembered) says nothing about the next digest.
  if (run.to > run.from) database.prepare("DELETE FROM failures WHERE session = ?").run(run.session);
  if (job) database.prepare("DELETE FROM jobs WHERE id = ?").run(job.id);
}

/** Adds a run; the caller is in a transaction where more belongs to it. */
export function insertRun(database: Database, run: Run): void {
  database
    .prepare("INSERT INTO runs (id, session, payload) VALUES (?, ?, ?)")
    .run(run.id, run.session, JSON.stringify(run));
}

/** The run, with which entries it wrote: they must be found again when its session is forgotten. */
function withEntries({ run, entries }: Apply): Run {
  return entries.length === 0
    ? run
    : { ...run, entries: entries.map(({ file, entry }) => ({ file, hash: hashEntry(entry) })) };
}

function isLeased(database: Database, { id, attempts }: { id: number; attempts: number }): boolean {
  const row = database
    .prepare("SELECT 1 FROM jobs WHERE id = ? AND attempts = ? AND state = 'leased'")
    .get(id, attempts);
  return row !== undefined;
}
