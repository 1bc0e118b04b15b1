import { parseIfJson } from "../../../parse-if-json.ts";
import { z } from "zod";
import { hashEntry } from "../../../history/change.ts";
import { Apply } from "../../../history/state.ts";
import type { Journal, PendingApply, Run } from "../../../history/state.ts";
import type { Query, Tenant } from "../tenant.ts";
import { insertAnswer } from "./answers.ts";
import { insertFacts } from "./facts.ts";
import { insertOutside } from "./outside.ts";
import { insertRevision } from "./revisions.ts";

/** Applies that are under way, and those that were set aside. Both are rare here: an apply is one transaction. */
export function createJournal({ query, transact }: Tenant): Journal {
  return {
    prepareApply: (apply) =>
      transact(async (ask) => {
        if (apply.job && !(await isLeased(ask, apply.job))) return false;
        const { run } = apply;
        await ask("INSERT INTO tidemark_journal (workspace, run, scope, payload) VALUES ($1, $2, $3, $4)", [
          run.id,
          run.scope,
          JSON.stringify(apply),
        ]);
        return true;
      }),
    async amendApply(apply) {
      await query("UPDATE tidemark_journal SET payload = $3 WHERE workspace = $1 AND run = $2", [
        apply.run.id,
        JSON.stringify(apply),
      ]);
    },
    async pendingApplies(scope) {
      const rows = await query(
        `SELECT run, scope, payload FROM tidemark_journal
         WHERE workspace = $1 AND scope = $2 AND problem IS NULL ORDER BY sequence`,
        [scope],
      );
      return rows.map((row) => readPending(Line.parse(row)));
    },
    async pendingScopes() {
      const rows = await query(
        "SELECT DISTINCT scope FROM tidemark_journal WHERE workspace = $1 AND problem IS NULL ORDER BY scope",
      );
      return rows.map((row) => String(row["scope"]));
    },
    finishApply: (apply, aside) =>
      transact(async (ask) => {
        await record(ask, apply);
        const { id } = apply.run;
        if (aside === undefined) await ask("DELETE FROM tidemark_journal WHERE workspace = $1 AND run = $2", [id]);
        else
          await ask(
            `UPDATE tidemark_journal SET problem = $3, aside_at = $4, is_recorded = true
             WHERE workspace = $1 AND run = $2`,
            [id, aside.problem, aside.at],
          );
      }),
    setAside: (run, problem, at) =>
      transact(async (ask) => {
        const [row] = await ask(
          "SELECT run, scope, payload FROM tidemark_journal WHERE workspace = $1 AND run = $2 FOR UPDATE",
          [run],
        );
        if (row === undefined) return;
        const job = readPending(Line.parse(row)).apply?.job;
        if (job) await ask("DELETE FROM tidemark_jobs WHERE workspace = $1 AND id = $2", [job.id]);
        await ask("UPDATE tidemark_journal SET problem = $3, aside_at = $4 WHERE workspace = $1 AND run = $2", [
          run,
          problem,
          at,
        ]);
      }),
    async listAside() {
      const rows = await query(
        "SELECT * FROM tidemark_journal WHERE workspace = $1 AND problem IS NOT NULL ORDER BY sequence",
      );
      return rows.map((each) => {
        const { problem, aside_at: at, is_recorded: isRecorded, ...row } = AsideLine.parse(each);
        return { ...readPending(row), problem, at, isRecorded };
      });
    },
    async dropAside(run) {
      await query("DELETE FROM tidemark_journal WHERE workspace = $1 AND run = $2 AND problem IS NOT NULL", [run]);
    },
  };
}

const Line = z.object({ run: z.string(), scope: z.string(), payload: z.string() });
const AsideLine = z.object({ ...Line.shape, problem: z.string(), aside_at: z.string(), is_recorded: z.boolean() });
const Named = z.looseObject({ run: z.looseObject({ session: z.string() }) });

function readPending({ run, scope, payload }: z.infer<typeof Line>): PendingApply {
  const value = parseIfJson(payload);
  const session = Named.safeParse(value).data?.run.session ?? "";
  return { run, scope, session, payload, apply: Apply.safeParse(value).data };
}

/** Everything that an apply leaves in the records; the caller is in a transaction. */
async function record(ask: Query, apply: Apply): Promise<void> {
  const { run, memory, held, job, answer } = apply;
  await insertRun(ask, withEntries(apply));
  if (answer) await insertAnswer(ask, run.id, answer);
  if (memory)
    await insertRevision(ask, {
      scope: run.scope,
      file: "MEMORY.md",
      text: memory.after,
      author: apply.author ?? "run",
      cause: run.cause,
      run: run.id,
      at: run.finishedAt,
      edits: apply.edits,
    });
  await insertFacts(ask, apply);
  await insertOutside(ask, apply);
  if (held)
    await ask("INSERT INTO tidemark_held (workspace, run, payload) VALUES ($1, $2, $3)", [
      run.id,
      JSON.stringify(held),
    ]);
  // A raw archive is the third failure's own remedy: the count begins anew as after a success. What digests nothing
  // (a note, a fact remembered) says nothing about the next digest.
  if (run.to > run.from)
    await ask("DELETE FROM tidemark_failures WHERE workspace = $1 AND session = $2", [run.session]);
  if (job) await ask("DELETE FROM tidemark_jobs WHERE workspace = $1 AND id = $2", [job.id]);
}

/** Adds a run. */
export async function insertRun(ask: Query, run: Run): Promise<void> {
  await ask("INSERT INTO tidemark_runs (workspace, id, session, payload) VALUES ($1, $2, $3, $4)", [
    run.id,
    run.session,
    JSON.stringify(run),
  ]);
}

/** The run, with which entries it wrote: they must be found again when its session is forgotten. */
function withEntries({ run, entries }: Apply): Run {
  return entries.length === 0
    ? run
    : { ...run, entries: entries.map(({ file, entry }) => ({ file, hash: hashEntry(entry) })) };
}

/** The row stays locked until the apply is done: nobody can take the job over meanwhile. */
async function isLeased(ask: Query, { id, attempts }: { id: number; attempts: number }): Promise<boolean> {
  const rows = await ask(
    "SELECT 1 FROM tidemark_jobs WHERE workspace = $1 AND id = $2 AND attempts = $3 AND state = 'leased' FOR UPDATE",
    [id, attempts],
  );
  return rows.length > 0;
}
