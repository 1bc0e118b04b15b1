import type { Accounts } from "../../../state/accounts.ts";
import type { Tenant } from "../tenant.ts";
import { selectRevisions } from "./revisions.ts";

// What an edit leaves behind, and what it takes out of the file.
const WORDS_AFTER = "CASE edit ->> 'kind' WHEN 'replace' THEN edit ->> 'words' ELSE edit ->> 'text' END";
const BRINGS = "edit ->> 'kind' IN ('add', 'replace')";
const TAKES = `(edit ->> 'kind' IN ('remove', 'replace')
  OR (edit ->> 'kind' = 'move' AND edit -> 'to' ->> 'file' <> r.file))`;
const EDITS = `tidemark_revisions r,
  LATERAL json_array_elements(coalesce(r.edits, '[]')::json) WITH ORDINALITY AS each (edit, place)
  WHERE r.workspace = $1 AND r.scope = $2 AND r.file = $3`;

/** Sums over history, made by the database: nothing of it is read that is not told. */
export function createAccounts({ query }: Tenant): Accounts {
  const texts = async (text: string, values: readonly string[]) =>
    (await query(text, values)).map((row) => String(row["text"]));
  return {
    async accountFor(scope, file) {
      const replaced = await query(
        `SELECT text, replaced_by FROM tidemark_facts
         WHERE workspace = $1 AND scope = $2 AND replaced_by IS NOT NULL ORDER BY id`,
        [scope],
      );
      return {
        entered: await texts(`SELECT DISTINCT ${WORDS_AFTER} AS text FROM ${EDITS} AND ${BRINGS}`, [scope, file]),
        replaced: replaced.map((row) => ({ text: String(row["text"]), by: String(row["replaced_by"]) })),
        moved: await texts(
          `SELECT DISTINCT text FROM tidemark_facts
           WHERE workspace = $1 AND scope = $2 AND starts_with(retired_reason, 'moved to ')`,
          [scope],
        ),
        // Those who write the whole file say themselves what goes; only a run has to give reasons.
        lost: await texts(
          `SELECT edit ->> 'text' AS text FROM ${EDITS} AND r.author = 'run' AND ${TAKES}
           AND NOT EXISTS (SELECT 1 FROM tidemark_facts f WHERE f.workspace = $1 AND f.scope = r.scope
             AND f.text = edit ->> 'text' AND f.retired_by = r.run AND f.retired_reason IS NOT NULL)
           ORDER BY r.id, place`,
          [scope, file],
        ),
      };
    },
    async sumRuns() {
      const [row = {}] = await query(
        `SELECT count(*) AS count, ${["added", "reworded", "retired"].map(sumOf).join(", ")}
         FROM tidemark_runs WHERE workspace = $1`,
      );
      const read = (name: string) => Number(row[name] ?? 0);
      return { count: read("count"), added: read("added"), reworded: read("reworded"), retired: read("retired") };
    },
    async lastEntries(scope, file) {
      const rows = await query(
        `SELECT ${WORDS_AFTER} AS text, max(r.id) AS id FROM ${EDITS} AND ${BRINGS} GROUP BY 1`,
        [scope, file],
      );
      return new Map(rows.map((row) => [String(row["text"]), Number(row["id"])]));
    },
    async revisionsNaming(scope, file, facts) {
      const pieces = facts.map((fact) => JSON.stringify(fact));
      return selectRevisions(
        query,
        `scope = $2 AND file = $3
         AND EXISTS (SELECT 1 FROM unnest($4::text[]) AS piece WHERE strpos(edits, piece) > 0) ORDER BY id`,
        [scope, file, pieces],
      );
    },
  };
}

function sumOf(name: string): string {
  return `coalesce(sum((payload::json -> 'counts' ->> '${name}')::bigint), 0) AS ${name}`;
}
