import { z } from "zod";
import { openDatabase, transact } from "../database.ts";
import type { Database } from "../database.ts";
import { describeError, MemoryError, systemCode } from "../errors.ts";
import { createFacts, insertFacts } from "./facts.ts";
import { createJobQueue } from "./jobs.ts";
import { MIGRATIONS } from "./schema.ts";
import { createSpend } from "./spend.ts";
import { createTrustRecords, hashEntry } from "./trust-records.ts";
import { Apply, Run } from "./state.ts";
import type { Revision, State } from "./state.ts";

/** Opens the state of a workspace, kept in SQLite. */
export function openState(path: string): State {
  const database = openDatabase(path, MIGRATIONS);
  return withPlace(path, {
    ...createJournal(database),
    ...createRuns(database),
    ...createRevisions(database),
    ...createFacts(database),
    ...createFailures(database),
    ...createSpend(database),
    ...createJobQueue(database),
    ...createTrustRecords(database),
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

function createJournal(
  database: Database,
): Pick<State, "prepareApply" | "pendingApplies" | "pendingScopes" | "finishApply"> {
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
      return rows.map((row) => Apply.parse(JSON.parse(String(row["payload"]))));
    },
    async pendingScopes() {
      return database
        .prepare("SELECT DISTINCT scope FROM journal")
        .all()
        .map((row) => String(row["scope"]));
    },
    async finishApply(apply) {
      transact(database, () => {
        insertRun(database, withEntries(apply));
        if (apply.memory) {
          const { scope, id, finishedAt } = apply.run;
          insertRevision(database, {
            scope,
            file: "MEMORY.md",
            text: apply.memory.after,
            author: apply.author ?? "run",
            cause: apply.run.cause,
            run: id,
            at: finishedAt,
          });
        }
        insertFacts(database, apply);
        if (apply.held !== null && apply.held !== undefined) {
          database
            .prepare("INSERT INTO held (run, payload) VALUES (?, ?)")
            .run(apply.run.id, JSON.stringify(apply.held));
        }
        // A raw archive is the third failure's own remedy: the count begins anew as after a success. What digests nothing
        // (a note, a fact remembered) says nothing about the next digest.
        if (apply.run.to > apply.run.from)
          database.prepare("DELETE FROM failures WHERE session = ?").run(apply.run.session);
        if (apply.job) database.prepare("DELETE FROM jobs WHERE id = ?").run(apply.job.id);
        database.prepare("DELETE FROM journal WHERE run = ?").run(apply.run.id);
      });
    },
  };
}

/** The run, with which entries it wrote: they must be found again when its session is forgotten. */
function withEntries({ run, diary, notes }: Apply): Run {
  const written = diary === null ? notes : [diary, ...notes];
  return written.length === 0
    ? run
    : { ...run, entries: written.map(({ file, entry }) => ({ file, hash: hashEntry(entry) })) };
}

function isLeased(database: Database, { id, attempts }: { id: number; attempts: number }): boolean {
  const row = database
    .prepare("SELECT 1 FROM jobs WHERE id = ? AND attempts = ? AND state = 'leased'")
    .get(id, attempts);
  return row !== undefined;
}

function createRuns(database: Database): Pick<State, "recordRun" | "heldProposals" | "listRuns"> {
  return {
    async recordRun(run) {
      insertRun(database, run);
    },
    async heldProposals() {
      const rows = database.prepare("SELECT run, payload FROM held ORDER BY rowid").all();
      return rows.map((row) => ({ run: String(row["run"]), payload: JSON.parse(String(row["payload"])) }));
    },
    async listRuns({ limit = 1000, session } = {}) {
      const rows = database
        .prepare("SELECT payload FROM runs WHERE ? IS NULL OR session = ? ORDER BY sequence DESC LIMIT ?")
        .all(session ?? null, session ?? null, limit);
      return rows.map((row) => Run.parse(JSON.parse(String(row["payload"]))));
    },
  };
}

const RevisionRow = z.object({
  id: z.number(),
  scope: z.string(),
  file: z.string(),
  text: z.string(),
  author: z.enum(["run", "agent", "person", "undo"]),
  cause: z.string(),
  run: z.string().nullable(),
  at: z.string(),
});

function createRevisions(database: Database): Pick<State, "recordRevision" | "listRevisions" | "latestRevision"> {
  const latest = (scope: string, file: string): Revision | undefined =>
    RevisionRow.optional().parse(
      database
        .prepare("SELECT * FROM revisions WHERE scope = ? AND file = ? ORDER BY id DESC LIMIT 1")
        .get(scope, file),
    );
  return {
    async recordRevision(revision) {
      return transact(database, () => {
        if ((latest(revision.scope, revision.file)?.text ?? "") === revision.text) return false;
        insertRevision(database, revision);
        return true;
      });
    },
    async listRevisions(scope, file) {
      const rows = database
        .prepare("SELECT * FROM revisions WHERE scope = ? AND file = ? ORDER BY id")
        .all(scope, file);
      return rows.map((row) => RevisionRow.parse(row));
    },
    async latestRevision(scope, file) {
      return latest(scope, file);
    },
  };
}

function createFailures(database: Database): Pick<State, "countFailure" | "clearFailures" | "failuresOf"> {
  const count = (session: string) =>
    Number(database.prepare("SELECT count FROM failures WHERE session = ?").get(session)?.["count"] ?? 0);
  return {
    async countFailure(session, reason) {
      database
        .prepare(
          `INSERT INTO failures (session, count, reason) VALUES (?, 1, ?)
           ON CONFLICT (session) DO UPDATE SET count = count + 1, reason = excluded.reason`,
        )
        .run(session, reason);
      return count(session);
    },
    async clearFailures(session) {
      database.prepare("DELETE FROM failures WHERE session = ?").run(session);
    },
    async failuresOf(session) {
      return count(session);
    },
  };
}

function insertRun(database: Database, run: Run): void {
  database
    .prepare("INSERT INTO runs (id, session, payload) VALUES (?, ?, ?)")
    .run(run.id, run.session, JSON.stringify(run));
}

function insertRevision(database: Database, revision: Omit<Revision, "id">): void {
  const { scope, file, text, author, cause, run, at } = revision;
  database
    .prepare("INSERT INTO revisions (scope, file, text, author, cause, run, at) VALUES (?, ?, ?, ?, ?, ?, ?)")
    .run(scope, file, text, author, cause, run, at);
}
