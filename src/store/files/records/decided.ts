import { z } from "zod";
import { textsIn } from "../../../language/texts-in.ts";
import { HeldChange } from "../../../state/edit.ts";
import type { Eraser } from "../../../state/erasing.ts";
import { partHeld } from "../../../state/reviewing.ts";
import type { Decided, Reviewing } from "../../../state/reviewing.ts";
import { Run } from "../../../state/state.ts";
import { transact } from "../database.ts";
import type { Database } from "../database.ts";
import { insertRun } from "./journal.ts";

const Row = z.object({
  run: z.string(),
  proposal: z.string(),
  verdict: z.enum(["accept", "reject"]),
  payload: z.string().transform((json) => HeldChange.parse(JSON.parse(json))),
});

/** What a person decided in the review: kept, so that it can be decided anew. */
export function createReviewing(database: Database): Reviewing {
  const select = (condition: string, ...values: string[]): Decided[] => {
    const rows = database.prepare(`SELECT * FROM decided WHERE ${condition} ORDER BY rowid DESC`).all(...values);
    return rows.map((row) => {
      const { payload: held, ...decided } = Row.parse(row);
      return { ...decided, held };
    });
  };
  return {
    async settleHeld(proposal, items, decided, record) {
      return transact(database, () => {
        const row = database.prepare("SELECT payload FROM held WHERE run = ?").get(proposal);
        if (row === undefined) return undefined;
        const { found, rest } = partHeld(HeldChange.parse(JSON.parse(String(row["payload"]))), items);
        if (found.items.length === 0) return undefined;
        if (record) insertRun(database, record);
        if (decided)
          database
            .prepare("INSERT OR REPLACE INTO decided (run, proposal, verdict, payload) VALUES (?, ?, ?, ?)")
            .run(decided.run, proposal, decided.verdict, JSON.stringify(found));
        if (rest.items.length === 0) database.prepare("DELETE FROM held WHERE run = ?").run(proposal);
        else database.prepare("UPDATE held SET payload = ? WHERE run = ?").run(JSON.stringify(rest), proposal);
        return rest.items.length;
      });
    },
    async listDecided() {
      return select("true");
    },
    async returnDecided(run, record) {
      return transact(database, () => {
        const [decided] = select("run = ?", run);
        if (decided === undefined) return undefined;
        const { proposal, held } = decided;
        const waiting = database.prepare("SELECT payload FROM held WHERE run = ?").get(proposal);
        const before = waiting && HeldChange.parse(JSON.parse(String(waiting["payload"])));
        const items = [...(before?.items ?? []), ...held.items];
        database
          .prepare("INSERT OR REPLACE INTO held (run, payload) VALUES (?, ?)")
          .run(proposal, JSON.stringify({ ...held, ...before, items }));
        database.prepare("DELETE FROM decided WHERE run = ?").run(run);
        if (record) insertRun(database, record);
        return decided;
      });
    },
  };
}

/** Takes out the decisions that carry what is forgotten, and those of runs that go. */
export function eraseDecided(database: Database, eraser: Eraser, isTrial: boolean): number {
  const rows = database
    .prepare(
      "SELECT decided.run, decided.payload, runs.payload AS record FROM decided LEFT JOIN runs ON runs.id = decided.proposal",
    )
    .all();
  let changed = 0;
  for (const row of rows) {
    const held = HeldChange.parse(JSON.parse(String(row["payload"])));
    const isGone = row["record"] === null || eraser.isRun(Run.parse(JSON.parse(String(row["record"]))).id);
    const items = isGone ? [] : held.items.filter((item) => !textsIn(item).some((text) => eraser.hits(text)));
    const entry = eraser.hits(held.entry) ? "[forgotten]" : held.entry;
    if (items.length === held.items.length && entry === held.entry) continue;
    changed++;
    if (isTrial) continue;
    if (items.length === 0) database.prepare("DELETE FROM decided WHERE run = ?").run(String(row["run"]));
    else
      database
        .prepare("UPDATE decided SET payload = ? WHERE run = ?")
        .run(JSON.stringify({ ...held, entry, items }), String(row["run"]));
  }
  return changed;
}
