import { FactRow } from "../../fact-row.ts";
import type { Database } from "../database.ts";
import { SourcedFact } from "../../../state/state.ts";
import type { Apply, Facts } from "../../../state/state.ts";
import { explainTurns } from "./turns.ts";

/** Whether a text of plain ASCII has all these letters in it; SQLite knows the case of no others, and lets them pass. */
export function mayHold(pieces: readonly string[]): string {
  const all = pieces.map(() => "instr(lower(text), ?) > 0").join(" AND ") || "true";
  return `((${all}) OR octet_length(text) > length(text))`;
}

/** What is known of facts: where each came from, and what became of it. */
export function createFacts(database: Database): Facts {
  return {
    async factsVersion() {
      const row = database.prepare("SELECT count(*) || '.' || coalesce(max(id), 0) AS version FROM facts").get();
      return String(row?.["version"]);
    },
    async listFacts({ scope, session, text, run } = {}, isWanted = () => true) {
      const wanted = Object.entries({ scope, session, text, run }).filter(([, value]) => value !== undefined);
      const conditions = wanted.map(([column]) => `${column} = ?`).join(" AND ") || "true";
      const rows = database
        .prepare(`SELECT * FROM facts WHERE ${conditions} ORDER BY id`)
        .all(...wanted.map(([, value]) => value ?? null));
      return rows.filter((row) => isWanted(String(row["text"]))).map((row) => FactRow.parse(row));
    },
    async listFactTexts(scope, holding) {
      const rows = database
        .prepare(`SELECT text FROM facts WHERE scope = ? AND ${mayHold(holding)} GROUP BY text ORDER BY max(id) DESC`)
        .all(scope, ...holding);
      return rows.map((row) => String(row["text"]));
    },
    async replacedBy(scope, fact) {
      const rows = database
        .prepare("SELECT text FROM facts WHERE scope = ? AND replaced_by = ? ORDER BY id")
        .all(scope, fact);
      return rows.map((row) => String(row["text"]));
    },
    async listUntrustedFacts() {
      const rows = database
        .prepare("SELECT text, session, message, quote, proof, origin FROM facts WHERE origin = 'untrusted'")
        .all();
      return rows.map((row) => SourcedFact.parse(row));
    },
  };
}

/** Writes down what an apply brought and took out; the caller is in a transaction. */
export function insertFacts(database: Database, { run, facts, retired }: Apply): void {
  const insert = database.prepare(
    `INSERT INTO facts (scope, text, path, run, session, message, quote, proof, added_at, origin)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  for (const { text, path, session, message, quote, proof, origin = null } of facts)
    insert.run(run.scope, text, pathOf(path), run.id, session, message, quote, proof, run.finishedAt, origin);
  const standing = database.prepare(
    `SELECT id FROM facts WHERE scope = ? AND text = ? AND retired_at IS NULL AND (path IS NULL OR path = coalesce(?, path))
     ORDER BY id`,
  );
  const retire = database.prepare(
    "UPDATE facts SET retired_at = ?, retired_by = ?, retired_reason = ?, replaced_by = ? WHERE id = ?",
  );
  const known = database.prepare(
    `INSERT INTO facts (scope, text, path, proof, added_at, retired_at, retired_by, retired_reason, replaced_by)
     VALUES (?, ?, ?, 'none', ?, ?, ?, ?, ?)`,
  );
  const ended = new Set<string>();
  for (const { text, path, reason, replacedBy, left } of retired) {
    const rows = standing.all(run.scope, text, pathOf(path)).map((row) => Number(row["id"]));
    const gone = rows.slice(0, Math.max(0, rows.length - left));
    for (const id of gone) retire.run(run.finishedAt, run.id, reason, replacedBy, id);
    // A fact that a person wrote has no row yet; its end is worth keeping all the same.
    const name = JSON.stringify([path, text]);
    if (gone.length === 0 && !ended.has(name))
      known.run(run.scope, text, pathOf(path), run.startedAt, run.finishedAt, run.id, reason, replacedBy);
    ended.add(name);
  }
  if (retired.length > 0) explainTurns(database, run.id, run.scope);
}

function pathOf(path: readonly string[] | undefined): string | null {
  return path === undefined ? null : JSON.stringify(path);
}
