import type { Database } from "../database.ts";

// What an edit leaves behind, and what it takes out of the file.
const WORDS_AFTER =
  "CASE edit.value ->> 'kind' WHEN 'replace' THEN edit.value ->> 'words' ELSE edit.value ->> 'text' END";
const BRINGS = "edit.value ->> 'kind' IN ('add', 'replace')";
const TAKES = `(edit.value ->> 'kind' IN ('remove', 'replace')
  OR (edit.value ->> 'kind' = 'move' AND edit.value -> 'to' ->> 'file' <> revisions.file))`;
// The order is given: without figures SQLite would rather go over every fact that ever was.
const EDITS = "FROM revisions CROSS JOIN json_each(revisions.edits) AS edit";

/**
 * Notes which facts came and went with revisions, from their edits, so that a fact's story is found without reading all
 * of history. The caller is in a transaction.
 */
export function noteTurns(database: Database, which: string, values: readonly (string | number)[]): void {
  database
    .prepare(
      `INSERT INTO known (scope, file, text, entered)
         SELECT revisions.scope, revisions.file, ${WORDS_AFTER}, max(revisions.id) ${EDITS}
         WHERE ${which} AND ${BRINGS} GROUP BY 1, 2, 3
       ON CONFLICT (scope, file, text) DO UPDATE SET entered = max(coalesce(entered, 0), excluded.entered)`,
    )
    .run(...values);
  database
    .prepare(
      `INSERT OR IGNORE INTO known (scope, file, text)
         SELECT revisions.scope, revisions.file, edit.value ->> 'text' ${EDITS} WHERE ${which} AND ${TAKES}`,
    )
    .run(...values);
  const insert = (words: string, isEntry: 0 | 1, condition: string) =>
    database
      .prepare(
        `INSERT OR IGNORE INTO turns (revision, place, fact, is_entry, path)
           SELECT revisions.id, edit.key * 2 + ${isEntry}, known.id, ${isEntry}, coalesce(edit.value -> 'path', '[]') ${EDITS}
           CROSS JOIN known ON known.scope = revisions.scope AND known.file = revisions.file AND known.text = ${words}
           WHERE ${which} AND ${condition}`,
      )
      .run(...values);
  insert("edit.value ->> 'text'", 0, TAKES);
  insert(WORDS_AFTER, 1, BRINGS);
  // Those who write the whole file say themselves what goes; only a run has to give reasons.
  database
    .prepare(
      `INSERT INTO unexplained (revision, text)
         SELECT revisions.id, edit.value ->> 'text' ${EDITS} WHERE ${which} AND revisions.author = 'run' AND ${TAKES}
         AND NOT ${hasReason("revisions.scope", "edit.value ->> 'text'", "revisions.run")}`,
    )
    .run(...values);
}

/** Takes what a run gave a reason for off the list of what went without one. */
export function explainTurns(database: Database, run: string, scope: string): void {
  database
    .prepare(
      `DELETE FROM unexplained WHERE revision IN (SELECT id FROM revisions WHERE run = ?)
       AND ${hasReason("?", "unexplained.text", "?")}`,
    )
    .run(run, scope, run);
}

/** Makes the notes of a file anew, as when its revisions were rewritten. */
export function renewTurns(database: Database, scope: string, file: string): void {
  const known = "(SELECT id FROM known WHERE scope = ? AND file = ?)";
  database.prepare(`DELETE FROM turns WHERE fact IN ${known}`).run(scope, file);
  database.prepare("DELETE FROM known WHERE scope = ? AND file = ?").run(scope, file);
  database.prepare("DELETE FROM unexplained WHERE revision NOT IN (SELECT id FROM revisions)").run();
  database
    .prepare("DELETE FROM unexplained WHERE revision IN (SELECT id FROM revisions WHERE scope = ? AND file = ?)")
    .run(scope, file);
  noteTurns(database, "revisions.scope = ? AND revisions.file = ?", [scope, file]);
}

function hasReason(scope: string, text: string, run: string): string {
  return `EXISTS (SELECT 1 FROM facts WHERE facts.scope = ${scope} AND facts.text = ${text}
    AND facts.retired_by = ${run} AND facts.retired_reason IS NOT NULL)`;
}
