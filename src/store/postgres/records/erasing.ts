import { AsidePayload } from "../../aside-payload.ts";
import { z } from "zod";
import { textsIn } from "../../../language/texts-in.ts";
import { HeldChange } from "../../../history/edit.ts";
import { FORGOTTEN } from "../../../history/erase-edit.ts";
import type { Eraser, Erasing } from "../../../history/erasing.ts";
import { Run } from "../../../history/state.ts";
import { textIn } from "../engine.ts";
import type { Query, Tenant } from "../tenant.ts";
import { eraseAnswers } from "./answers.ts";
import { eraseDecided } from "./decided.ts";
import { eraseRevisions } from "./erase-revisions.ts";

/** Forgetting, over the tables of one workspace. */
export function createErasing({ transact }: Tenant): Erasing {
  return {
    eraseRecords: (eraser, isTrial) =>
      transact(async (ask) => {
        if (!isTrial) await lockReview(ask);
        const counts = {
          revisions: await eraseRevisions(ask, eraser, isTrial),
          facts: await eraseFacts(ask, eraser, isTrial),
          held: (await eraseHeld(ask, eraser, isTrial)) + (await eraseDecided(ask, eraser, isTrial)),
          runs: (await eraseAnswers(ask, eraser, isTrial)) + (await eraseRuns(ask, eraser, isTrial)),
          failures: await eraseFailures(ask, eraser, isTrial),
          jobs: await eraseJobs(ask, eraser, isTrial),
          aside: await eraseAside(ask, eraser, isTrial),
        };
        if (!isTrial) await eraseTraces(ask, eraser);
        return counts;
      }),
    // Dead rows are the server's to clear; what it keeps of them is said in the receipt.
    compact: async () => true,
  };
}

/** Whoever decides in the review has done so before it is looked at, or waits: a verdict needs no memory's lock. */
async function lockReview(ask: Query): Promise<void> {
  await ask("SELECT run FROM tidemark_decided WHERE workspace = $1 ORDER BY run FOR UPDATE");
  await ask("SELECT run FROM tidemark_held WHERE workspace = $1 ORDER BY run FOR UPDATE");
}

const FactRow = z.object({
  id: z.coerce.number(),
  scope: z.string(),
  text: z.string(),
  session: z.string().nullable(),
  message: z.string().nullable(),
  quote: z.string().nullable(),
  added_at: z.string(),
  retired_reason: z.string().nullable(),
  replaced_by: z.string().nullable(),
});

async function eraseFacts(ask: Query, eraser: Eraser, isTrial: boolean): Promise<number> {
  let changed = 0;
  const hits = (text: string | null) => text !== null && eraser.hits(text);
  for (const each of await ask("SELECT * FROM tidemark_facts WHERE workspace = $1")) {
    const row = FactRow.parse(each);
    const isGone =
      eraser.isScope(row.scope) || eraser.hits(row.text) || eraser.isFact({ ...row, addedAt: row.added_at });
    if (!isGone && !hits(row.quote) && !hits(row.retired_reason) && !hits(row.replaced_by)) continue;
    changed++;
    if (isTrial) continue;
    if (isGone) await ask("DELETE FROM tidemark_facts WHERE workspace = $1 AND id = $2", [row.id]);
    else
      await ask(
        `UPDATE tidemark_facts SET quote = $3, proof = CASE WHEN $4 THEN 'match' ELSE proof END, retired_reason = $5,
         replaced_by = $6 WHERE workspace = $1 AND id = $2`,
        [
          row.id,
          hits(row.quote) ? null : row.quote,
          hits(row.quote),
          hits(row.retired_reason) ? FORGOTTEN : row.retired_reason,
          hits(row.replaced_by) ? FORGOTTEN : row.replaced_by,
        ],
      );
  }
  return changed;
}

async function eraseHeld(ask: Query, eraser: Eraser, isTrial: boolean): Promise<number> {
  const rows = await ask(
    `SELECT h.payload, r.payload AS record FROM tidemark_held h
     JOIN tidemark_runs r ON r.workspace = h.workspace AND r.id = h.run WHERE h.workspace = $1`,
  );
  const hits = (value: unknown) => textsIn(value).some((text) => eraser.hits(text));
  let changed = 0;
  for (const row of rows) {
    const run = Run.parse(JSON.parse(String(row["record"])));
    const held = HeldChange.parse(JSON.parse(String(row["payload"])));
    const items = eraser.isRun(run.id) ? [] : held.items.filter((item) => !hits(item));
    const entry = hits(held.entry) ? FORGOTTEN : held.entry;
    if (items.length === held.items.length && entry === held.entry) continue;
    changed++;
    if (isTrial) continue;
    if (items.length === 0) await ask("DELETE FROM tidemark_held WHERE workspace = $1 AND run = $2", [run.id]);
    else
      await ask("UPDATE tidemark_held SET payload = $3 WHERE workspace = $1 AND run = $2", [
        run.id,
        JSON.stringify({ ...held, entry, items }),
      ]);
  }
  return changed;
}

async function eraseRuns(ask: Query, eraser: Eraser, isTrial: boolean): Promise<number> {
  let changed = 0;
  for (const row of await ask("SELECT payload FROM tidemark_runs WHERE workspace = $1")) {
    const run = Run.parse(JSON.parse(String(row["payload"])));
    const clean = {
      ...run,
      cause: eraser.hits(run.cause) ? FORGOTTEN : run.cause,
      reason: run.reason !== null && eraser.hits(run.reason) ? FORGOTTEN : run.reason,
      entries: run.entries
        ?.filter(({ file }) => !eraser.isNote(file))
        .map(({ file, hash }) => ({ file, hash: eraser.entryHash(hash) })),
    };
    const isGone = eraser.isRun(run.id);
    if (!isGone && JSON.stringify(clean) === JSON.stringify({ ...run, entries: run.entries })) continue;
    changed++;
    if (isTrial) continue;
    if (isGone) await ask("DELETE FROM tidemark_runs WHERE workspace = $1 AND id = $2", [run.id]);
    else
      await ask("UPDATE tidemark_runs SET payload = $3 WHERE workspace = $1 AND id = $2", [
        run.id,
        JSON.stringify(clean),
      ]);
  }
  return changed;
}

async function eraseFailures(ask: Query, eraser: Eraser, isTrial: boolean): Promise<number> {
  let changed = 0;
  for (const row of await ask("SELECT session, reason FROM tidemark_failures WHERE workspace = $1")) {
    const session = String(row["session"]);
    const isGone = eraser.isSession(session) || eraser.hits(session);
    if (!isGone && !eraser.hits(String(row["reason"]))) continue;
    changed++;
    if (isTrial) continue;
    if (isGone) await ask("DELETE FROM tidemark_failures WHERE workspace = $1 AND session = $2", [session]);
    else
      await ask("UPDATE tidemark_failures SET reason = $3 WHERE workspace = $1 AND session = $2", [session, FORGOTTEN]);
  }
  return changed;
}

const JobPayload = z.looseObject({ session: z.string() });

async function eraseJobs(ask: Query, eraser: Eraser, isTrial: boolean): Promise<number> {
  let changed = 0;
  for (const row of await ask("SELECT id, payload, last_error FROM tidemark_jobs WHERE workspace = $1")) {
    const payload: unknown = JSON.parse(String(row["payload"]));
    const session = JobPayload.safeParse(payload).data?.session;
    const isGone =
      (session !== undefined && eraser.isSession(session)) || textsIn(payload).some((text) => eraser.hits(text));
    if (!isGone && !eraser.hits(textIn(row, "last_error"))) continue;
    changed++;
    if (isTrial) continue;
    const id = Number(row["id"]);
    if (isGone) await ask("DELETE FROM tidemark_jobs WHERE workspace = $1 AND id = $2", [id]);
    else await ask("UPDATE tidemark_jobs SET last_error = $3 WHERE workspace = $1 AND id = $2", [id, FORGOTTEN]);
  }
  return changed;
}

/** What was set aside goes whole if it holds anything of it: there is no half of it that could still be finished. */
async function eraseAside(ask: Query, eraser: Eraser, isTrial: boolean): Promise<number> {
  const rows = await ask(
    "SELECT run, scope, payload, problem FROM tidemark_journal WHERE workspace = $1 AND problem IS NOT NULL",
  );
  const gone = rows.filter((row) => {
    const parsed = AsidePayload.safeParse(row["payload"]).data;
    return (
      eraser.isScope(String(row["scope"])) ||
      [String(row["payload"]), String(row["problem"]), ...textsIn(parsed)].some((text) => eraser.hits(text)) ||
      (parsed !== undefined && eraser.isSession(parsed.run.session))
    );
  });
  if (!isTrial)
    for (const row of gone)
      await ask("DELETE FROM tidemark_journal WHERE workspace = $1 AND run = $2", [String(row["run"])]);
  return gone.length;
}

async function eraseTraces(ask: Query, eraser: Eraser): Promise<void> {
  for (const row of await ask("SELECT log FROM tidemark_flushes WHERE workspace = $1")) {
    const log = String(row["log"]);
    if (eraser.hits(log)) await ask("DELETE FROM tidemark_flushes WHERE workspace = $1 AND log = $2", [log]);
  }
  for (const row of await ask("SELECT DISTINCT session FROM tidemark_outside_messages WHERE workspace = $1")) {
    const session = String(row["session"]);
    if (eraser.isSession(session))
      await ask("DELETE FROM tidemark_outside_messages WHERE workspace = $1 AND session = $2", [session]);
  }
  for (const row of await ask("SELECT DISTINCT scope FROM tidemark_outside_words WHERE workspace = $1")) {
    const scope = String(row["scope"]);
    if (eraser.isScope(scope))
      await ask("DELETE FROM tidemark_outside_words WHERE workspace = $1 AND scope = $2", [scope]);
  }
}
