import { HeldChange } from "../../../history/edit.ts";
import { Run } from "../../../history/state.ts";
import type { Runs, Waiting } from "../../../history/state.ts";
import type { Row } from "../engine.ts";
import type { Tenant } from "../tenant.ts";
import { insertAnswer } from "./answers.ts";
import { insertRun } from "./journal.ts";

/** What was tried, and what came of it. */
export function createRuns({ query, transact }: Tenant): Runs {
  return {
    recordRun: (run, answer) =>
      transact(async (ask) => {
        await insertRun(ask, run);
        if (answer) await insertAnswer(ask, run.id, answer);
      }),
    async listRuns({ limit = 1000, session } = {}) {
      const rows = await query(
        `SELECT payload FROM tidemark_runs WHERE workspace = $1 AND ($3::text IS NULL OR session = $3)
         ORDER BY sequence DESC LIMIT $2`,
        [limit, session ?? null],
      );
      return rows.map(readRun);
    },
    async findRuns(idStart) {
      const rows = await query(
        "SELECT payload FROM tidemark_runs WHERE workspace = $1 AND starts_with(id, $2) ORDER BY sequence",
        [idStart],
      );
      return rows.map(readRun);
    },
    async runsOf(ids) {
      const rows = await query("SELECT payload FROM tidemark_runs WHERE workspace = $1 AND id = ANY ($2::text[])", [
        ids,
      ]);
      return rows.map(readRun);
    },
    async countFailure(session, reason) {
      const [row] = await query(
        `INSERT INTO tidemark_failures AS known (workspace, session, count, reason) VALUES ($1, $2, 1, $3)
         ON CONFLICT (workspace, session) DO UPDATE SET count = known.count + 1, reason = excluded.reason RETURNING count`,
        [session, reason],
      );
      return Number(row?.["count"] ?? 0);
    },
    async failuresOf(session) {
      const [row] = await query("SELECT count FROM tidemark_failures WHERE workspace = $1 AND session = $2", [session]);
      return Number(row?.["count"] ?? 0);
    },
    async listFailures() {
      const rows = await query("SELECT session, count FROM tidemark_failures WHERE workspace = $1");
      return new Map(rows.map((row) => [String(row["session"]), Number(row["count"])] as const));
    },
  };
}

function readRun(row: Row): Run {
  return Run.parse(JSON.parse(String(row["payload"])));
}

/** What waits for a person. */
export function createWaiting({ query }: Tenant): Waiting {
  return {
    async listHeld() {
      const rows = await query("SELECT run, payload FROM tidemark_held WHERE workspace = $1 ORDER BY sequence");
      return rows.map((row) => ({
        ...HeldChange.parse(JSON.parse(String(row["payload"]))),
        run: String(row["run"]),
      }));
    },
  };
}
