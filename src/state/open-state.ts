import { openDatabase, transact } from "../database.ts";
import type { Database } from "../database.ts";
import { describeError, MemoryError, systemCode } from "../errors.ts";
import { createFacts, insertFacts } from "./facts.ts";
import { createJobQueue } from "./jobs.ts";
import { MIGRATIONS } from "./schema.ts";
import { createSpend } from "./spend.ts";
import { HeldChange } from "./edit.ts";
import { createErasing, hashEntry } from "./erase-records.ts";
import { fromOlder, heldFromOlder } from "./older-records.ts";
import { createOutside, insertOutside } from "./outside.ts";
import { createRevisions, insertRevision } from "./revisions.ts";
import { Apply, Run } from "./state.ts";
import type { Journal, Runs, State, Waiting } from "./state.ts";

/** Opens the state of a workspace, kept in SQLite. */
export function openState(path: string): State {
  const database = openDatabase(path, MIGRATIONS);
  return withPlace(path, {
    ...createJournal(database),
    ...createRuns(database),
    ...createRevisions(database),
    ...createFacts(database),
    ...createOutside(database),
    ...createWaiting(database),
    ...createSpend(database),
    ...createJobQueue(database),
    ...createErasing(database),
    async close() {
      database.close();
    },
  });
}

/** SQLite's errors do not say which file failed; ours do. */
function withPlace(path: string, state: State): State {
  return new Proxy(state, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      return async (...values: unknown[]): Promise<unknown> => {
        try {
          return await Reflect.apply(member, target, values);
        } catch (error) {
          if (error instanceof MemoryError || systemCode(error) !== "ERR_SQLITE_ERROR") throw error;
          throw new MemoryError("STATE_UNUSABLE", `Cannot use the state ${path}: ${describeError(error)}`, {
            cause: error,
          });
        }
      };
    },
  });
}

function createJournal(database: Database): Journal {
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
    async pendingApplies(scope) {
      const rows = database.prepare("SELECT payload FROM journal WHERE scope = ? ORDER BY rowid").all(scope);
      return rows.map((row) => Apply.parse(fromOlder(JSON.parse(String(row["payload"])))));
    },
    async pendingScopes() {
      return database
        .prepare("SELECT DISTINCT scope FROM journal")
        .all()
        .map((row) => String(row["scope"]));
    },
    async finishApply(apply) {
      transact(database, () => {
        const { run, memory, held, job } = apply;
        insertRun(database, withEntries(apply));
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
        database.prepare("DELETE FROM journal WHERE run = ?").run(run.id);
      });
    },
  };
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

function createRuns(database: Database): Runs {
  const failures = (session: string) =>
    Number(database.prepare("SELECT count FROM failures WHERE session = ?").get(session)?.["count"] ?? 0);
  return {
    async recordRun(run) {
      insertRun(database, run);
    },
    async listRuns({ limit = 1000, session } = {}) {
      const rows = database
        .prepare("SELECT payload FROM runs WHERE ? IS NULL OR session = ? ORDER BY sequence DESC LIMIT ?")
        .all(session ?? null, session ?? null, limit);
      return rows.map((row) => Run.parse(JSON.parse(String(row["payload"]))));
    },
    async findRuns(idStart) {
      const rows = database
        .prepare("SELECT payload FROM runs WHERE substr(id, 1, ?) = ? ORDER BY sequence")
        .all(idStart.length, idStart);
      return rows.map((row) => Run.parse(JSON.parse(String(row["payload"]))));
    },
    async countFailure(session, reason) {
      database
        .prepare(
          `INSERT INTO failures (session, count, reason) VALUES (?, 1, ?)
           ON CONFLICT (session) DO UPDATE SET count = count + 1, reason = excluded.reason`,
        )
        .run(session, reason);
      return failures(session);
    },
    async failuresOf(session) {
      return failures(session);
    },
  };
}

function createWaiting(database: Database): Waiting {
  return {
    async listHeld() {
      const rows = database
        .prepare(
          "SELECT held.run, held.payload, runs.payload AS record FROM held JOIN runs ON runs.id = held.run ORDER BY held.rowid",
        )
        .all();
      return rows.map((row) => {
        const { scope } = Run.parse(JSON.parse(String(row["record"])));
        const held = HeldChange.parse(heldFromOlder(JSON.parse(String(row["payload"])), scope));
        return { ...held, run: String(row["run"]) };
      });
    },
    async settleHeld(run, rest) {
      if (rest === null) database.prepare("DELETE FROM held WHERE run = ?").run(run);
      else database.prepare("UPDATE held SET payload = ? WHERE run = ?").run(JSON.stringify(rest), run);
    },
  };
}

function insertRun(database: Database, run: Run): void {
  database
    .prepare("INSERT INTO runs (id, session, payload) VALUES (?, ?, ?)")
    .run(run.id, run.session, JSON.stringify(run));
}
