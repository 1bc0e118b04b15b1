import { z } from "zod";
import { textsIn } from "../../../language/texts-in.ts";
import { HeldChange } from "../../../history/edit.ts";
import { FORGOTTEN } from "../../../history/erase-edit.ts";
import type { Eraser } from "../../../history/erasing.ts";
import { partHeld } from "../../../history/reviewing.ts";
import type { Decided, Reviewing } from "../../../history/reviewing.ts";
import type { Query, Tenant } from "../tenant.ts";
import { insertRun } from "./journal.ts";

const DecidedRow = z
  .object({
    run: z.string(),
    proposal: z.string(),
    verdict: z.enum(["accept", "reject"]),
    payload: z.string().transform((json) => HeldChange.parse(JSON.parse(json))),
  })
  .transform(({ payload: held, ...decided }): Decided => ({ ...decided, held }));

/** What a person decided in the review: kept, so that it can be decided anew. */
export function createReviewing({ query, transact }: Tenant): Reviewing {
  return {
    settleHeld: (proposal, items, decided, record) =>
      transact(async (ask) => {
        const [row] = await ask("SELECT payload FROM tidemark_held WHERE workspace = $1 AND run = $2 FOR UPDATE", [
          proposal,
        ]);
        if (row === undefined) return undefined;
        const { found, rest } = partHeld(HeldChange.parse(JSON.parse(String(row["payload"]))), items);
        if (found.items.length === 0) return undefined;
        if (record) await insertRun(ask, record);
        if (decided)
          await ask(
            `INSERT INTO tidemark_decided (workspace, run, proposal, verdict, payload) VALUES ($1, $2, $3, $4, $5)
             ON CONFLICT (workspace, run) DO UPDATE SET proposal = excluded.proposal, verdict = excluded.verdict,
               payload = excluded.payload`,
            [decided.run, proposal, decided.verdict, JSON.stringify(found)],
          );
        if (rest.items.length === 0)
          await ask("DELETE FROM tidemark_held WHERE workspace = $1 AND run = $2", [proposal]);
        else
          await ask("UPDATE tidemark_held SET payload = $3 WHERE workspace = $1 AND run = $2", [
            proposal,
            JSON.stringify(rest),
          ]);
        return rest.items.length;
      }),
    async listDecided() {
      const rows = await query("SELECT * FROM tidemark_decided WHERE workspace = $1 ORDER BY sequence DESC");
      return rows.map((row) => DecidedRow.parse(row));
    },
    returnDecided: (run, record) =>
      transact(async (ask) => {
        const [row] = await ask("SELECT * FROM tidemark_decided WHERE workspace = $1 AND run = $2 FOR UPDATE", [run]);
        if (row === undefined) return undefined;
        const decided = DecidedRow.parse(row);
        const { proposal, held } = decided;
        const begun = await ask(
          `INSERT INTO tidemark_held (workspace, run, payload) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING run`,
          [proposal, JSON.stringify(held)],
        );
        if (begun.length === 0) await addHeld(ask, proposal, held);
        await ask("DELETE FROM tidemark_decided WHERE workspace = $1 AND run = $2", [run]);
        if (record) await insertRun(ask, record);
        return decided;
      }),
  };
}

/** Adds to what waits of a proposal, as it is once nobody else changes it. */
async function addHeld(ask: Query, proposal: string, held: HeldChange): Promise<void> {
  const [row] = await ask("SELECT payload FROM tidemark_held WHERE workspace = $1 AND run = $2 FOR UPDATE", [proposal]);
  const before = row && HeldChange.parse(JSON.parse(String(row["payload"])));
  const items = [...(before?.items ?? []), ...held.items];
  await ask(
    `INSERT INTO tidemark_held (workspace, run, payload) VALUES ($1, $2, $3)
     ON CONFLICT (workspace, run) DO UPDATE SET payload = excluded.payload`,
    [proposal, JSON.stringify({ ...held, ...before, items })],
  );
}

/** Takes out the decisions that carry what is forgotten, and those of runs that go. */
export async function eraseDecided(ask: Query, eraser: Eraser, isTrial: boolean): Promise<number> {
  const rows = await ask(
    `SELECT d.run, d.proposal, d.payload, r.id FROM tidemark_decided d
     LEFT JOIN tidemark_runs r ON r.workspace = d.workspace AND r.id = d.proposal WHERE d.workspace = $1`,
  );
  let changed = 0;
  for (const row of rows) {
    const held = HeldChange.parse(JSON.parse(String(row["payload"])));
    const isGone = row["id"] === null || eraser.isRun(String(row["proposal"]));
    const items = isGone ? [] : held.items.filter((item) => !textsIn(item).some((text) => eraser.hits(text)));
    const entry = eraser.hits(held.entry) ? FORGOTTEN : held.entry;
    if (items.length === held.items.length && entry === held.entry) continue;
    changed++;
    if (isTrial) continue;
    const run = String(row["run"]);
    if (items.length === 0) await ask("DELETE FROM tidemark_decided WHERE workspace = $1 AND run = $2", [run]);
    else
      await ask("UPDATE tidemark_decided SET payload = $3 WHERE workspace = $1 AND run = $2", [
        run,
        JSON.stringify({ ...held, entry, items }),
      ]);
  }
  return changed;
}
