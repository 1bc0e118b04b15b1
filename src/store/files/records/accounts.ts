import type { Database } from "../database.ts";
import type { Accounts } from "../../../state/accounts.ts";
import { selectRevisions } from "./revisions.ts";

// What an edit leaves behind, and what it takes out of the file.
const WORDS_AFTER =
  "CASE edit.value ->> 'kind' WHEN 'replace' THEN edit.value ->> 'words' ELSE edit.value ->> 'text' END";
const BRINGS = "edit.value ->> 'kind' IN ('add', 'replace')";
const TAKES = `(edit.value ->> 'kind' IN ('remove', 'replace')
  OR (edit.value ->> 'kind' = 'move' AND edit.value -> 'to' ->> 'file' <> revisions.file))`;
const EDITS = "revisions, json_each(revisions.edits) AS edit WHERE revisions.scope = ? AND revisions.file = ?";

/** Sums over history, made by SQLite: nothing of it is read that is not told. */
export function createAccounts(database: Database): Accounts {
  return {
    async accountFor(scope, file) {
      const texts = (sql: string, ...values: string[]) =>
        database
          .prepare(sql)
          .all(...values)
          .map((row) => String(row["text"]));
      return {
        entered: texts(`SELECT DISTINCT ${WORDS_AFTER} AS text FROM ${EDITS} AND ${BRINGS}`, scope, file),
        replaced: database
          .prepare("SELECT text, replaced_by FROM facts WHERE scope = ? AND replaced_by IS NOT NULL ORDER BY id")
          .all(scope)
          .map((row) => ({ text: String(row["text"]), by: String(row["replaced_by"]) })),
        moved: texts(
          "SELECT DISTINCT text FROM facts WHERE scope = ? AND substr(retired_reason, 1, 9) = 'moved to '",
          scope,
        ),
        // Those who write the whole file say themselves what goes; only a run has to give reasons.
        lost: texts(
          `SELECT edit.value ->> 'text' AS text FROM ${EDITS} AND revisions.author = 'run' AND ${TAKES}
           AND NOT EXISTS (SELECT 1 FROM facts WHERE facts.scope = revisions.scope AND facts.text = edit.value ->> 'text'
             AND facts.retired_by = revisions.run AND facts.retired_reason IS NOT NULL)
           ORDER BY revisions.id, edit.id`,
          scope,
          file,
        ),
      };
    },
    async sumRuns() {
      const row = database
        .prepare(`SELECT count(*) AS count, ${sumOf("added")}, ${sumOf("reworded")}, ${sumOf("retired")} FROM runs`)
        .get();
      const [count, added, reworded, retired] = ["count", "added", "reworded", "retired"].map((name) =>
        Number(row?.[name] ?? 0),
      );
      return { count: count ?? 0, added: added ?? 0, reworded: reworded ?? 0, retired: retired ?? 0 };
    },
    async lastEntries(scope, file) {
      const rows = database
        .prepare(
          `SELECT ${WORDS_AFTER} AS text, edit.value -> 'path' AS path, max(revisions.id) AS id
           FROM ${EDITS} AND ${BRINGS} GROUP BY 1, 2`,
        )
        .all(scope, file);
      return rows.map((row) => ({ text: String(row["text"]), path: String(row["path"]), id: Number(row["id"]) }));
    },
    async revisionsNaming(scope, file, facts) {
      // What is searched for is what JSON makes of it; whether it is a whole fact is for the caller to see.
      const pieces = JSON.stringify(facts.map((fact) => JSON.stringify(fact)));
      return selectRevisions(
        database,
        `scope = ? AND file = ? AND EXISTS (SELECT 1 FROM json_each(?) AS piece WHERE instr(edits, piece.value) > 0)
         ORDER BY id`,
        [scope, file, pieces],
      );
    },
  };
}

function sumOf(name: string): string {
  return `coalesce(sum(payload -> 'counts' ->> '${name}'), 0) AS ${name}`;
}
