import type { Accounts } from "../../../history/accounts.ts";
import type { Row } from "../engine.ts";
import type { Tenant } from "../tenant.ts";
import { selectHeads } from "./revisions.ts";

// What an edit leaves behind, and what it takes out of the file.
const WORDS_AFTER = "CASE edit ->> 'kind' WHEN 'replace' THEN edit ->> 'words' ELSE edit ->> 'text' END";
const BRINGS = "edit ->> 'kind' IN ('add', 'replace')";
const TAKES = `(edit ->> 'kind' IN ('remove', 'replace')
  OR (edit ->> 'kind' = 'move' AND edit -> 'to' ->> 'file' <> r.file))`;
const EDITS = `tidemark_revisions r,
  LATERAL json_array_elements(coalesce(r.edits, '[]')::json) WITH ORDINALITY AS each (edit, place)
  WHERE r.workspace = $1`;
const OF_FILE = `${EDITS} AND r.scope = $2 AND r.file = $3`;

/** Sums over history, made by the database: nothing of it is read that is not told. */
export function createAccounts({ query }: Tenant): Accounts {
  const texts = async (text: string, values: readonly string[]) =>
    (await query(text, values)).map((row) => String(row["text"]));
  return {
    async accountFor(scope, file, standing) {
      const entered = new Set(
        await texts(`SELECT DISTINCT ${WORDS_AFTER} AS text FROM ${OF_FILE} AND ${BRINGS}`, [scope, file]),
      );
      const replaced = await query(
        `SELECT DISTINCT ON (text) text, replaced_by FROM tidemark_facts
         WHERE workspace = $1 AND scope = $2 AND replaced_by IS NOT NULL ORDER BY text, id DESC`,
        [scope],
      );
      const earlier = earlierWordings(replaced, standing).filter((text) => entered.has(text));
      const moved = await texts(
        `SELECT DISTINCT text FROM tidemark_facts
         WHERE workspace = $1 AND scope = $2 AND starts_with(retired_reason, 'moved to ')`,
        [scope],
      );
      const elsewhere = new Set([...standing, ...earlier]);
      return {
        entered: entered.size,
        standing: standing.filter((text) => entered.has(text)).length,
        reworded: earlier.length,
        moved: moved.filter((text) => entered.has(text) && !elsewhere.has(text)).length,
        // Those who write the whole file say themselves what goes; only a run has to give reasons.
        lost: await texts(
          `SELECT edit ->> 'text' AS text FROM ${OF_FILE} AND r.author = 'run' AND ${TAKES}
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
    async lastEntries(scope, file, facts) {
      const rows = await query(
        `SELECT ${WORDS_AFTER} AS text, coalesce(edit -> 'path', '[]'::json)::text AS path, max(r.id) AS id
         FROM ${OF_FILE} AND ${BRINGS} AND ${WORDS_AFTER} = ANY ($4::text[]) GROUP BY 1, 2`,
        [scope, file, facts],
      );
      return rows.map((row) => ({ text: String(row["text"]), path: String(row["path"]), id: Number(row["id"]) }));
    },
    async listKnown(scope, file, holding) {
      const rows = await query(
        `SELECT text FROM (
           SELECT ${WORDS_AFTER} AS text, r.id FROM ${OF_FILE} AND ${BRINGS}
           UNION ALL SELECT edit ->> 'text', 0 FROM ${OF_FILE} AND ${TAKES}) AS known
         WHERE octet_length(text) > length(text)
           OR NOT EXISTS (SELECT 1 FROM unnest($4::text[]) AS piece WHERE strpos(lower(text), piece) = 0)
         GROUP BY text ORDER BY max(id) DESC`,
        [scope, file, holding],
      );
      return rows.map((row) => String(row["text"]));
    },
    revisionsNaming: (scope, file, facts) =>
      selectHeads(
        query,
        `id IN (SELECT r.id FROM ${OF_FILE} AND ((${BRINGS} AND ${WORDS_AFTER} = ANY ($4::text[]))
           OR (${TAKES} AND edit ->> 'text' = ANY ($4::text[])))) ORDER BY id`,
        [scope, file, facts],
      ),
    async turnsOf(revisions) {
      const rows = await query(
        `SELECT r.id, ${TAKES} AS takes, edit ->> 'text' AS old, ${BRINGS} AS brings, ${WORDS_AFTER} AS new
         FROM ${EDITS} AND r.id = ANY ($2::bigint[]) ORDER BY r.id, place`,
        [revisions],
      );
      const turns = new Map<number, { added: string[]; removed: string[] }>();
      for (const row of rows) {
        if (row["takes"] !== true && row["brings"] !== true) continue;
        const turn = turns.get(Number(row["id"])) ?? { added: [], removed: [] };
        turns.set(Number(row["id"]), turn);
        if (row["takes"] === true) turn.removed.push(String(row["old"]));
        if (row["brings"] === true) turn.added.push(String(row["new"]));
      }
      return turns;
    },
  };
}

/** Backwards from what stands, over which words took the place of which. */
function earlierWordings(replaced: readonly Row[], standing: readonly string[]): string[] {
  const before = Map.groupBy(replaced, (row) => String(row["replaced_by"]));
  const found = new Set<string>(standing);
  const queue = [...standing];
  for (let text = queue.pop(); text !== undefined; text = queue.pop()) {
    for (const row of before.get(text) ?? []) {
      const earlier = String(row["text"]);
      if (!found.has(earlier)) queue.push(earlier);
      found.add(earlier);
    }
  }
  const now = new Set(standing);
  return [...found].filter((text) => !now.has(text));
}

function sumOf(name: string): string {
  return `coalesce(sum((payload::json -> 'counts' ->> '${name}')::bigint), 0) AS ${name}`;
}
