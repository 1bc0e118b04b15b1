import { z } from "zod";
import { prepared, transact } from "../store/files/database.ts";
import type { Database } from "../store/files/database.ts";
import { Change, hashText } from "./change.ts";
import type { ChangeHead, HeldItem } from "./change.ts";
import { Proof } from "./edit.ts";
import { clearScope, foldLine } from "./fold-change.ts";
import type { Account, ChangeQuery, Decided, FactRecord, WaitingHeld } from "./history.ts";
import { applyPatch } from "./text-patch.ts";

type Row = Record<string, unknown>;

export function rows(database: Database, sql: string, ...values: (string | number)[]): Row[] {
  return prepared(database, sql).all(...values);
}

export function texts(database: Database, sql: string, ...values: (string | number)[]): string[] {
  return rows(database, sql, ...values).map((row) => String(row["text"]));
}

export function readPlace(
  database: Database,
  scope: string,
): { log: string; offset: number; sequence: number } | undefined {
  const [row] = rows(database, "SELECT log, offset, sequence FROM logs WHERE scope = ?", scope);
  return row && { log: String(row["log"]), offset: Number(row["offset"]), sequence: Number(row["sequence"]) };
}

/** Adds lines to the sums, unless another process was quicker. */
export function foldLines(
  database: Database,
  scope: string,
  place: ReturnType<typeof readPlace>,
  { log, offset, lines, isContinued }: { log: string; offset: number; lines: readonly string[]; isContinued: boolean },
): void {
  transact(database, () => {
    const now = readPlace(database, scope);
    if (now?.log !== place?.log || now?.offset !== place?.offset) return;
    if (!isContinued) clearScope(database, scope);
    let sequence = isContinued ? (place?.sequence ?? 0) : 0;
    let damaged = 0;
    for (const line of lines) {
      sequence++;
      if (line.trim() !== "" && !foldLine(database, scope, sequence, line)) damaged++;
    }
    prepared(
      database,
      `INSERT INTO logs (scope, log, offset, sequence, damaged) VALUES (?, ?, ?, ?, ?) ON CONFLICT (scope) DO UPDATE
         SET log = excluded.log, offset = excluded.offset, sequence = excluded.sequence, damaged = damaged + excluded.damaged`,
    ).run(scope, log, offset, sequence, damaged);
  });
}

export function headRows(found: readonly Row[]): ChangeHead[] {
  // Written by us a moment ago, out of what a schema has passed.
  return found.map((row): ChangeHead => JSON.parse(String(row["head"])));
}

export function readChange(row: Row): Change {
  return Change.parse({ ...JSON.parse(String(row["line"])), text: null });
}

/** A change with the text that it left, whole. */
export function withText(database: Database, row: Row): Change {
  const change = readChange(row);
  const [place] = rows(
    database,
    "SELECT file, sequence FROM changes WHERE number = ? AND file IS NOT NULL",
    Number(row["number"]),
  );
  if (place === undefined) return change;
  const [file, sequence] = [String(place["file"]), Number(place["sequence"])];
  const whole = textAt(database, change.scope, file, sequence) ?? "";
  const before = hashText(textAt(database, change.scope, file, sequence - 1) ?? "");
  return { ...change, text: { file, before, after: hashText(whole), whole } };
}

export function selectHeads(
  database: Database,
  { scope, file, session, last = -1, after = 0, before = Number.MAX_SAFE_INTEGER }: ChangeQuery,
): ChangeHead[] {
  const conditions: string[] = [];
  const values: (string | number)[] = [];
  const add = (condition: string, ...more: (string | number)[]): void => {
    conditions.push(condition);
    values.push(...more);
  };
  if (scope !== undefined) add("scope = ? AND sequence > ? AND sequence < ?", scope, after, before);
  if (file !== undefined) add("file = ?", file);
  if (session !== undefined) add("session = ?", session);
  const order = scope === undefined ? "ms DESC, sequence DESC" : "sequence DESC";
  const where = conditions.join(" AND ") || "true";
  return headRows(
    rows(database, `SELECT head FROM changes WHERE ${where} ORDER BY ${order} LIMIT ?`, ...values, last),
  ).toReversed();
}

/** The text of the newest change up to this one: the last whole one, and the differences since. */
export function textAt(database: Database, scope: string, file: string, sequence: number): string | undefined {
  const found = rows(
    database,
    `SELECT patch, whole FROM changes WHERE scope = ? AND file = ? AND sequence <= ? AND sequence >=
     coalesce((SELECT max(sequence) FROM changes WHERE scope = ? AND file = ? AND sequence <= ? AND whole IS NOT NULL), 0)
     ORDER BY sequence`,
    scope,
    file,
    sequence,
    scope,
    file,
    sequence,
  );
  let text: string | undefined;
  for (const { patch, whole } of found)
    text = typeof whole === "string" ? whole : applyPatch(text ?? "", Patches.parse(JSON.parse(String(patch))));
  return text;
}

const Patches = z.array(z.tuple([z.number(), z.number(), z.string()]));

export function selectFactChanges(
  database: Database,
  ids: readonly string[],
): Map<string, { added: string[]; removed: string[] }> {
  const found = rows(
    database,
    `SELECT changes.id, turns.kind, known.text FROM json_each(?) AS wanted
     CROSS JOIN changes ON changes.id = wanted.value CROSS JOIN turns ON turns.change = changes.number
     CROSS JOIN known ON known.id = turns.fact ORDER BY changes.number, turns.place`,
    JSON.stringify(ids),
  );
  const turns = new Map<string, { added: string[]; removed: string[] }>();
  for (const id of ids) turns.set(id, { added: [], removed: [] });
  for (const row of found)
    turns.get(String(row["id"]))?.[row["kind"] === "enter" ? "added" : "removed"].push(String(row["text"]));
  return turns;
}

export const FactRow = z
  .object({
    text: z.string(),
    path: z
      .string()
      .nullable()
      .transform((json) => (json === null ? undefined : z.array(z.string()).parse(JSON.parse(json)))),
    change: z.string().nullable(),
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

/** Whether a text of plain ASCII has all these letters in it; SQLite knows the case of no others, and lets them pass. */
export function mayHold(pieces: readonly string[]): string {
  const all = pieces.map(() => "instr(lower(text), ?) > 0").join(" AND ") || "true";
  return `((${all}) OR octet_length(text) > length(text))`;
}

export function account(database: Database, scope: string, file: string, standing: readonly string[]): Account {
  const words = JSON.stringify(standing);
  const count = (sql: string, ...values: string[]) =>
    Number(rows(database, `SELECT count(*) AS count FROM ${sql}`, ...values)[0]?.["count"]);
  const earlier = texts(database, EARLIER_WORDINGS, words, scope, scope, file);
  const moved = texts(
    database,
    `SELECT DISTINCT known.text FROM turns CROSS JOIN known ON known.id = turns.fact
     WHERE turns.kind = 'move' AND known.scope = ? AND known.file = ? AND known.entered IS NOT NULL`,
    scope,
    file,
  );
  const elsewhere = new Set([...standing, ...earlier]);
  return {
    entered: count("known WHERE scope = ? AND file = ? AND entered IS NOT NULL", scope, file),
    standing: count(`json_each(?) AS word WHERE ${hasEntered("word.value")}`, words, scope, file),
    reworded: earlier.length,
    moved: moved.filter((text) => !elsewhere.has(text)).length,
    lost: texts(
      database,
      `SELECT known.text FROM turns CROSS JOIN known ON known.id = turns.fact
       WHERE turns.is_explained = 0 AND known.scope = ? AND known.file = ? ORDER BY turns.change, turns.place`,
      scope,
      file,
    ),
  };
}

function hasEntered(text: string): string {
  return `EXISTS (SELECT 1 FROM known WHERE known.scope = ? AND known.file = ? AND known.text = ${text}
    AND known.entered IS NOT NULL)`;
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

export function selectWaiting(database: Database): WaitingHeld[] {
  const found = rows(
    database,
    `SELECT held.item, held.payload, changes.number, changes.head, changes.line FROM held
     JOIN changes ON changes.number = held.change WHERE held.decision IS NULL ORDER BY changes.ms, changes.sequence, held.rowid`,
  );
  const waiting: WaitingHeld[] = [];
  for (const [, same] of Map.groupBy(found, (row) => row["number"])) {
    const [first] = same;
    const [change] = first ? headRows([first]) : [];
    if (first === undefined || change === undefined) continue;
    const { held, entries } = readChange(first);
    const items = same.map((row) => readItem(row));
    waiting.push({
      change,
      reason: held?.reason ?? "",
      base: held?.base ?? null,
      entry: entries[0]?.entry ?? "",
      items,
    });
  }
  return waiting;
}

function readItem(row: Row): HeldItem {
  // Written by us a moment ago, out of what a schema has passed.
  const item: Omit<HeldItem, "id"> = JSON.parse(String(row["payload"]));
  return { id: String(row["item"]), ...item };
}

export function selectDecided(database: Database): Decided[] {
  const found = rows(
    database,
    `SELECT decider.id, proposal.id AS proposal, held.verdict, held.item, held.payload FROM held
     JOIN changes AS decider ON decider.number = held.decision JOIN changes AS proposal ON proposal.number = held.change
     ORDER BY decider.ms DESC, decider.sequence DESC, held.rowid`,
  );
  const decided = Map.groupBy(found, (row) => `${String(row["id"])} ${String(row["proposal"])}`);
  return [...decided.values()].flatMap((same): Decided[] => {
    const [first] = same;
    if (first === undefined) return [];
    const verdict = first["verdict"] === "accept" ? "accept" : "reject";
    return [{ id: String(first["id"]), proposal: String(first["proposal"]), verdict, items: same.map(readItem) }];
  });
}
