import type { Database } from "../database.ts";
import type { Accounts } from "../../../state/accounts.ts";
import { mayHold } from "./facts.ts";
import { selectHeads } from "./revisions.ts";

/** Sums over history, made by SQLite: nothing of it is read that is not told. */
export function createAccounts(database: Database): Accounts {
  const count = (sql: string, ...values: string[]) =>
    Number(database.prepare(`SELECT count(*) AS count FROM ${sql}`).get(...values)?.["count"]);
  const texts = (sql: string, ...values: string[]) =>
    database
      .prepare(sql)
      .all(...values)
      .map((row) => String(row["text"]));
  return {
    async accountFor(scope, file, standing) {
      const words = JSON.stringify(standing);
      const earlier = texts(EARLIER_WORDINGS, words, scope, scope, file);
      const moved = texts(MOVED, scope, scope, file);
      const elsewhere = new Set([...standing, ...earlier]);
      return {
        entered: count("known WHERE scope = ? AND file = ? AND entered IS NOT NULL", scope, file),
        standing: count(`json_each(?) AS word WHERE ${hasEntered("word.value")}`, words, scope, file),
        reworded: earlier.length,
        moved: moved.filter((text) => !elsewhere.has(text)).length,
        lost: texts(
          `SELECT unexplained.text FROM unexplained JOIN revisions ON revisions.id = unexplained.revision
           WHERE revisions.scope = ? AND revisions.file = ? ORDER BY unexplained.rowid`,
          scope,
          file,
        ),
      };
    },
    async sumRuns() {
      const row = database.prepare("SELECT * FROM run_sums").get();
      const [count, added, reworded, retired] = ["count", "added", "reworded", "retired"].map((name) =>
        Number(row?.[name] ?? 0),
      );
      return { count: count ?? 0, added: added ?? 0, reworded: reworded ?? 0, retired: retired ?? 0 };
    },
    async lastEntries(scope, file, facts) {
      const rows = database
        .prepare(
          `SELECT known.text, turns.path, max(turns.revision) AS id FROM json_each(?) AS word
           CROSS JOIN known ON known.scope = ? AND known.file = ? AND known.text = word.value
           CROSS JOIN turns ON turns.fact = known.id AND turns.is_entry = 1 GROUP BY known.id, turns.path`,
        )
        .all(JSON.stringify(facts), scope, file);
      return rows.map((row) => ({ text: String(row["text"]), path: String(row["path"]), id: Number(row["id"]) }));
    },
    async listKnown(scope, file, holding) {
      const rows = database
        .prepare(`SELECT text FROM known WHERE scope = ? AND file = ? AND ${mayHold(holding)} ORDER BY entered DESC`)
        .all(scope, file, ...holding);
      return rows.map((row) => String(row["text"]));
    },
    async revisionsNaming(scope, file, facts) {
      return selectHeads(
        database,
        `id IN (SELECT turns.revision FROM json_each(?) AS word
           CROSS JOIN known ON known.scope = ? AND known.file = ? AND known.text = word.value
           CROSS JOIN turns ON turns.fact = known.id)
         ORDER BY id`,
        [JSON.stringify(facts), scope, file],
      );
    },
    async turnsOf(revisions) {
      const rows = database
        .prepare(
          `SELECT turns.revision, turns.is_entry, known.text FROM turns JOIN known ON known.id = turns.fact
           WHERE turns.revision IN (SELECT value FROM json_each(?)) ORDER BY turns.revision, turns.place`,
        )
        .all(JSON.stringify(revisions));
      const turns = new Map<number, { added: string[]; removed: string[] }>();
      for (const row of rows) {
        const revision = Number(row["revision"]);
        const turn = turns.get(revision) ?? { added: [], removed: [] };
        turns.set(revision, turn);
        (row["is_entry"] === 1 ? turn.added : turn.removed).push(String(row["text"]));
      }
      return turns;
    },
  };
}

// Backwards from what stands: of several that took a fact's place the newest counts.
const EARLIER_WORDINGS = `
  WITH RECURSIVE standing (text) AS (SELECT value FROM json_each(?)),
  earlier (text) AS (
    SELECT text FROM standing
    UNION
    SELECT facts.text FROM earlier CROSS JOIN facts ON facts.scope = ? AND facts.replaced_by = earlier.text
    WHERE facts.id = (SELECT max(newest.id) FROM facts AS newest WHERE newest.scope = facts.scope
      AND newest.text = facts.text AND newest.replaced_by IS NOT NULL)
  )
  SELECT text FROM earlier WHERE text NOT IN (SELECT text FROM standing) AND ${hasEntered("earlier.text")}`;

const MOVED = `
  SELECT DISTINCT facts.text FROM facts WHERE facts.scope = ? AND substr(retired_reason, 1, 9) = 'moved to '
  AND ${hasEntered("facts.text")}`;

function hasEntered(text: string): string {
  return `EXISTS (SELECT 1 FROM known WHERE known.scope = ? AND known.file = ? AND known.text = ${text}
    AND known.entered IS NOT NULL)`;
}
