import { FactRow } from "../../fact-row.ts";
import { SourcedFact } from "../../../history/state.ts";
import type { Apply, Facts } from "../../../history/state.ts";
import type { Query, Tenant } from "../tenant.ts";

/** Whether a text of plain ASCII has all these letters (`$3`) in it; others pass, for the caller to look at. */
const MAY_HOLD = `(octet_length(text) > length(text)
  OR NOT EXISTS (SELECT 1 FROM unnest($3::text[]) AS piece WHERE strpos(lower(text), piece) = 0))`;

/** What is known of facts: where each came from, and what became of it. */
export function createFacts({ query }: Tenant): Facts {
  return {
    async factsVersion() {
      const [row] = await query(
        "SELECT count(*) || '.' || coalesce(max(id), 0) AS version FROM tidemark_facts WHERE workspace = $1",
      );
      return String(row?.["version"]);
    },
    async listFacts({ scope, session, text, run } = {}, isWanted = () => true) {
      const rows = await query(
        `SELECT * FROM tidemark_facts WHERE workspace = $1 AND ($2::text IS NULL OR scope = $2)
         AND ($3::text IS NULL OR session = $3) AND ($4::text IS NULL OR (md5(text) = md5($4) AND text = $4))
         AND ($5::text IS NULL OR run = $5) ORDER BY id`,
        [scope ?? null, session ?? null, text ?? null, run ?? null],
      );
      return rows.filter((row) => isWanted(String(row["text"]))).map((row) => FactRow.parse(row));
    },
    async listFactTexts(scope, holding) {
      const rows = await query(
        `SELECT text FROM tidemark_facts WHERE workspace = $1 AND scope = $2 AND ${MAY_HOLD}
         GROUP BY text ORDER BY max(id) DESC`,
        [scope, holding],
      );
      return rows.map((row) => String(row["text"]));
    },
    async replacedBy(scope, fact) {
      const rows = await query(
        "SELECT text FROM tidemark_facts WHERE workspace = $1 AND scope = $2 AND replaced_by = $3 ORDER BY id",
        [scope, fact],
      );
      return rows.map((row) => String(row["text"]));
    },
    async listUntrustedFacts() {
      const rows = await query(
        `SELECT text, session, message, quote, proof, origin FROM tidemark_facts
         WHERE workspace = $1 AND origin = 'untrusted' ORDER BY id`,
      );
      return rows.map((row) => SourcedFact.parse(row));
    },
  };
}

/** Writes down what an apply brought and took out; the caller is in a transaction. */
export async function insertFacts(ask: Query, { run, facts, retired }: Apply): Promise<void> {
  for (const { text, path, session, message, quote, proof, origin = null } of facts)
    await ask(
      `INSERT INTO tidemark_facts (workspace, scope, text, path, run, session, message, quote, proof, added_at, origin)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
      [run.scope, text, pathOf(path), run.id, session, message, quote, proof, run.finishedAt, origin],
    );
  const ended = new Set<string>();
  for (const { text, path, reason, replacedBy, left } of retired) {
    const rows = await ask(
      `SELECT id FROM tidemark_facts WHERE workspace = $1 AND scope = $2 AND md5(text) = md5($3) AND text = $3
       AND retired_at IS NULL
       AND (path IS NULL OR path = coalesce($4, path)) ORDER BY id`,
      [run.scope, text, pathOf(path)],
    );
    const gone = rows.slice(0, Math.max(0, rows.length - left));
    for (const row of gone)
      await ask(
        `UPDATE tidemark_facts SET retired_at = $3, retired_by = $4, retired_reason = $5, replaced_by = $6
         WHERE workspace = $1 AND id = $2`,
        [Number(row["id"]), run.finishedAt, run.id, reason, replacedBy],
      );
    // A fact that a person wrote has no row yet; its end is worth keeping all the same.
    const name = JSON.stringify([path, text]);
    if (gone.length === 0 && !ended.has(name))
      await ask(
        `INSERT INTO tidemark_facts (workspace, scope, text, path, proof, added_at, retired_at, retired_by, retired_reason,
           replaced_by) VALUES ($1, $2, $3, $4, 'none', $5, $6, $7, $8, $9)`,
        [run.scope, text, pathOf(path), run.startedAt, run.finishedAt, run.id, reason, replacedBy],
      );
    ended.add(name);
  }
}

function pathOf(path: readonly string[] | undefined): string | null {
  return path === undefined ? null : JSON.stringify(path);
}
