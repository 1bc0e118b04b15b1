import { z } from "zod";
import type { Database } from "../database.ts";
import { Proof } from "./state.ts";
import type { Apply, FactRecord, State } from "./state.ts";

const FactRow = z
  .object({
    text: z.string(),
    run: z.string().nullable(),
    session: z.string().nullable(),
    message: z.string().nullable(),
    quote: z.string().nullable(),
    proof: Proof,
    origin: z.literal("untrusted").nullable(),
    added_at: z.string(),
    retired_at: z.string().nullable(),
    retired_by: z.string().nullable(),
    retired_reason: z.string().nullable(),
    replaced_by: z.string().nullable(),
  })
  .transform(({ added_at, retired_at, retired_by, retired_reason, replaced_by, ...fact }): FactRecord => ({
    ...fact,
    addedAt: added_at,
    retiredAt: retired_at,
    retiredBy: retired_by,
    retiredReason: retired_reason,
    replacedBy: replaced_by,
  }));

/** What is known of facts: where each came from, and what became of it. */
export function createFacts(database: Database): Pick<State, "factsVersion" | "listFacts"> {
  return {
    async factsVersion() {
      const row = database.prepare("SELECT count(*) || '.' || coalesce(max(id), 0) AS version FROM facts").get();
      return String(row?.["version"]);
    },
    async listFacts({ scope, session, text } = {}) {
      const rows = database
        .prepare(
          `SELECT * FROM facts WHERE (? IS NULL OR scope = ?) AND (? IS NULL OR session = ?)
           AND (? IS NULL OR text = ?) ORDER BY id`,
        )
        .all(...[scope, session, text].flatMap((value) => [value ?? null, value ?? null]));
      return rows.map((row) => FactRow.parse(row));
    },
  };
}

/** Writes down what an apply brought and took out; the caller is in a transaction. */
export function insertFacts(database: Database, { run, facts, retired }: Apply): void {
  const retire = database.prepare(
    `UPDATE facts SET retired_at = ?, retired_by = ?, retired_reason = ?, replaced_by = ?
     WHERE scope = ? AND text = ? AND retired_at IS NULL`,
  );
  const known = database.prepare(
    `INSERT INTO facts (scope, text, proof, added_at, retired_at, retired_by, retired_reason, replaced_by)
     VALUES (?, ?, 'none', ?, ?, ?, ?, ?)`,
  );
  for (const { text, reason, replacedBy } of retired) {
    const { changes } = retire.run(run.finishedAt, run.id, reason, replacedBy, run.scope, text);
    // A fact that a person wrote has no row yet; its end is worth keeping all the same.
    if (changes === 0) known.run(run.scope, text, run.startedAt, run.finishedAt, run.id, reason, replacedBy);
  }
  const insert = database.prepare(
    `INSERT INTO facts (scope, text, run, session, message, quote, proof, added_at, origin)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  for (const fact of facts) {
    const { text, session, message, quote, proof, origin = null } = fact;
    insert.run(run.scope, text, run.id, session, message, quote, proof, run.finishedAt, origin);
  }
}
