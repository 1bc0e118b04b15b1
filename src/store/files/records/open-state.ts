import { newerVersion, openDatabase, openDatabaseForReading, transact, whenFree } from "../database.ts";
import type { Database } from "../database.ts";
import { describeError, MemoryError, systemCode } from "../../../errors.ts";
import { createAccounts } from "./accounts.ts";
import { createAnswers, insertAnswer } from "./answers.ts";
import { createReviewing } from "./decided.ts";
import { createFacts } from "./facts.ts";
import { createJobQueue } from "./jobs.ts";
import { MIGRATIONS } from "./schema.ts";
import { createSpend } from "./spend.ts";
import { HeldChange } from "../../../state/edit.ts";
import type { Erasing } from "../../../state/erasing.ts";
import { createJournal, insertRun } from "./journal.ts";
import { heldFromOlder } from "./older-records.ts";
import { createOutside } from "./outside.ts";
import { createRevisions } from "./revisions.ts";
import { Run } from "../../../state/state.ts";
import type { Runs, State, Waiting } from "../../../state/state.ts";

/**
 * Opens the state of a workspace, kept in SQLite. One that a newer version made is looked at as far as this one can, and
 * nothing is written to it.
 */
export function openState(path: string): State {
  const database = openDatabase(path, MIGRATIONS, true);
  return createState(path, database, () => database.close());
}

/** Opens it to look alone: nothing is written, and one that is not there is empty. A copy may be written to. */
export async function openStateForReading(path: string, wish: { asCopy?: boolean } = {}): Promise<State> {
  const { database, close } = await openDatabaseForReading(path, MIGRATIONS, wish.asCopy);
  return createState(path, database, close);
}

function createState(path: string, database: Database, close: () => void): State {
  const newer = newerVersion(database, MIGRATIONS);
  const problem =
    newer === undefined
      ? undefined
      : `The records in ${path} were made by a newer Tidemark (schema ${newer}, this one knows ${MIGRATIONS.length}). They are read as far as possible, and nothing is digested, remembered or undone here: update Tidemark`;
  return patient(path, problem, {
    ...createJournal(database),
    ...createRuns(database),
    ...createAnswers(database),
    ...createRevisions(database),
    ...createFacts(database),
    ...createAccounts(database),
    ...createOutside(database),
    ...createWaiting(database),
    ...createReviewing(database),
    ...createSpend(database),
    ...createJobQueue(database),
    eraseRecords: async (eraser, isTrial) => (await loadErasing(database)).eraseRecords(eraser, isTrial),
    compact: async () => (await loadErasing(database)).compact(),
    problem,
    async close() {
      close();
    },
  });
}

/**
 * Each of these is one transaction or one statement: while another process writes, it is tried again, and the event loop
 * goes on. SQLite's errors do not say which file failed; ours do.
 */
function patient(path: string, problem: string | undefined, state: State): State {
  return new Proxy(state, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      return async (...values: unknown[]): Promise<unknown> => {
        try {
          return await whenFree(() => Reflect.apply(member, target, values));
        } catch (error) {
          if (error instanceof MemoryError) throw error;
          if (problem !== undefined) throw new MemoryError("STATE_UNUSABLE", problem, { cause: error });
          if (systemCode(error) !== "ERR_SQLITE_ERROR") throw error;
          throw new MemoryError("STATE_UNUSABLE", `Cannot use the state ${path}: ${describeError(error)}`, {
            cause: error,
          });
        }
      };
    },
  });
}

function createRuns(database: Database): Runs {
  const failures = (session: string) =>
    Number(database.prepare("SELECT count FROM failures WHERE session = ?").get(session)?.["count"] ?? 0);
  return {
    async recordRun(run, answer) {
      transact(database, () => {
        insertRun(database, run);
        if (answer) insertAnswer(database, run.id, answer);
      });
    },
    async listRuns({ limit = 1000, session } = {}) {
      const rows =
        session === undefined
          ? database.prepare("SELECT payload FROM runs ORDER BY sequence DESC LIMIT ?").all(limit)
          : database
              .prepare("SELECT payload FROM runs WHERE session = ? ORDER BY sequence DESC LIMIT ?")
              .all(session, limit);
      return rows.map(readRun);
    },
    async findRuns(idStart) {
      const rows = database
        .prepare("SELECT payload FROM runs WHERE id >= ? AND id < ? || char(1114111) ORDER BY sequence")
        .all(idStart, idStart);
      return rows.map(readRun);
    },
    async runsOf(ids) {
      const rows = database
        .prepare("SELECT payload FROM runs WHERE id IN (SELECT value FROM json_each(?))")
        .all(JSON.stringify(ids));
      return rows.map(readRun);
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
    async listFailures() {
      const rows = database.prepare("SELECT session, count FROM failures").all();
      return new Map(rows.map((row) => [String(row["session"]), Number(row["count"])] as const));
    },
  };
}

function readRun(row: Record<string, unknown>): Run {
  return Run.parse(JSON.parse(String(row["payload"])));
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
  };
}

/** Few commands forget: the others do not load it. */
async function loadErasing(database: Database): Promise<Erasing> {
  return (await import("./erasing.ts")).createErasing(database);
}
