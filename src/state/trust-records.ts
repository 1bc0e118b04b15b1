import { createHash } from "node:crypto";
import { z } from "zod";
import { transact } from "../database.ts";
import type { Database } from "../database.ts";
import { Run, SourcedFact } from "./state.ts";

/** What must go when something is forgotten. */
export interface Eraser {
  /** Whether a text carries it. */
  hits(text: string): boolean;
  /** A memory file's text without it. */
  erase(text: string, scope: string): string;
  /** Whether the whole record of a run goes. */
  isRun(run: Run): boolean;
  isFact(fact: { text: string; session: string | null; message: string | null; addedAt: string }): boolean;
  /** Whether everything that belongs to a session goes. */
  isSession(session: string): boolean;
  /** Whether a whole memory goes. */
  isScope(scope: string): boolean;
  /** Whether the name of a note carries it. */
  isNote(file: string): boolean;
}

/** How many records were changed or deleted, by table. */
export type ErasedRecords = Record<"revisions" | "facts" | "held" | "runs" | "failures" | "jobs", number>;

/** What tracing, reviewing and forgetting need of the state. */
export interface TrustRecords {
  /** The runs whose id begins so. */
  findRuns(idStart: string): Promise<Run[]>;
  /** Every scope that has a revision. */
  listScopes(): Promise<string[]>;
  /** Keeps what is left of a proposal that waits, or (null) ends the wait. */
  settleHeld(run: string, rest: unknown): Promise<void>;
  /** Facts that stand on outside sources, also those that a person accepted. */
  listUntrustedFacts(): Promise<SourcedFact[]>;
  /** Takes something out of every record; with `isTrial` it only counts. */
  eraseRecords(eraser: Eraser, isTrial: boolean): Promise<ErasedRecords>;
  /** Writes the database anew without what was deleted; false when another process kept the old log in use. */
  compact(): Promise<boolean>;
}

const FORGOTTEN = "[forgotten]";

/** The name by which a run knows an entry that it wrote to diary or notes; the words cannot be had back from it. */
export function hashEntry(entry: string): string {
  return createHash("sha256").update(entry.trim()).digest("hex").slice(0, 32);
}

/** The records of trust, over the state's database. */
export function createTrustRecords(database: Database): TrustRecords {
  return {
    async findRuns(idStart) {
      const rows = database
        .prepare("SELECT payload FROM runs WHERE substr(id, 1, ?) = ? ORDER BY sequence")
        .all(idStart.length, idStart);
      return rows.map((row) => Run.parse(JSON.parse(String(row["payload"]))));
    },
    async listScopes() {
      const rows = database.prepare("SELECT DISTINCT scope FROM revisions ORDER BY scope").all();
      return rows.map((row) => String(row["scope"]));
    },
    async settleHeld(run, rest) {
      if (rest === null) database.prepare("DELETE FROM held WHERE run = ?").run(run);
      else database.prepare("UPDATE held SET payload = ? WHERE run = ?").run(JSON.stringify(rest), run);
    },
    async listUntrustedFacts() {
      const rows = database.prepare("SELECT * FROM facts WHERE origin = 'untrusted'").all();
      return rows.map((row) => SourcedFact.parse(row));
    },
    async eraseRecords(eraser, isTrial) {
      // Deleted content is overwritten, not only unlinked from its page.
      database.exec("PRAGMA secure_delete = ON");
      return transact(database, () => {
        const counts = {
          revisions: eraseRevisions(database, eraser, isTrial),
          facts: eraseFacts(database, eraser, isTrial),
          held: eraseHeld(database, eraser, isTrial),
          runs: eraseRuns(database, eraser, isTrial),
          failures: eraseBySession(database, "failures", eraser, isTrial),
          jobs: eraseBySession(database, "jobs", eraser, isTrial),
        };
        if (!isTrial) eraseFlushes(database, eraser);
        return counts;
      });
    },
    async compact() {
      database.exec("PRAGMA secure_delete = ON; VACUUM");
      return database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()?.["busy"] === 0;
    },
  };
}

const RevisionRow = z.object({
  id: z.number(),
  scope: z.string(),
  file: z.string(),
  text: z.string(),
  cause: z.string(),
});

function eraseRevisions(database: Database, eraser: Eraser, isTrial: boolean): number {
  const rows = database.prepare("SELECT id, scope, file, text, cause FROM revisions ORDER BY scope, file, id").all();
  let changed = 0;
  let previous = { place: "", text: "" };
  for (const row of rows.map((each) => RevisionRow.parse(each))) {
    const place = JSON.stringify([row.scope, row.file]);
    const isGone = eraser.isScope(row.scope);
    const text = isGone ? "" : eraser.erase(row.text, row.scope);
    const cause = eraser.hits(row.cause) ? FORGOTTEN : row.cause;
    const isTouched = isGone || text !== row.text || cause !== row.cause;
    // A change that brought nothing but what is forgotten is no change any more.
    const isEmpty = isTouched && text === (previous.place === place ? previous.text : "");
    previous = { place, text };
    if (isTouched) changed++;
    if (isTrial || !isTouched) continue;
    if (isEmpty) database.prepare("DELETE FROM revisions WHERE id = ?").run(row.id);
    else database.prepare("UPDATE revisions SET text = ?, cause = ? WHERE id = ?").run(text, cause, row.id);
  }
  return changed;
}

const FactRow = z.object({
  id: z.number(),
  scope: z.string(),
  text: z.string(),
  session: z.string().nullable(),
  message: z.string().nullable(),
  quote: z.string().nullable(),
  added_at: z.string(),
  retired_reason: z.string().nullable(),
  replaced_by: z.string().nullable(),
});

function eraseFacts(database: Database, eraser: Eraser, isTrial: boolean): number {
  const rows = database.prepare("SELECT * FROM facts").all();
  let changed = 0;
  const hits = (text: string | null) => text !== null && eraser.hits(text);
  for (const row of rows.map((each) => FactRow.parse(each))) {
    const isGone =
      eraser.isScope(row.scope) || eraser.hits(row.text) || eraser.isFact({ ...row, addedAt: row.added_at });
    const isTouched = isGone || hits(row.quote) || hits(row.retired_reason) || hits(row.replaced_by);
    if (!isTouched) continue;
    changed++;
    if (isTrial) continue;
    if (isGone) database.prepare("DELETE FROM facts WHERE id = ?").run(row.id);
    else {
      database
        .prepare(
          `UPDATE facts SET quote = ?, proof = CASE WHEN ? THEN 'match' ELSE proof END, retired_reason = ?, replaced_by = ?
           WHERE id = ?`,
        )
        .run(
          hits(row.quote) ? null : row.quote,
          hits(row.quote) ? 1 : 0,
          hits(row.retired_reason) ? FORGOTTEN : row.retired_reason,
          hits(row.replaced_by) ? FORGOTTEN : row.replaced_by,
          row.id,
        );
    }
  }
  return changed;
}

function eraseHeld(database: Database, eraser: Eraser, isTrial: boolean): number {
  const rows = database
    .prepare("SELECT held.run, held.payload, runs.payload AS record FROM held JOIN runs ON runs.id = held.run")
    .all();
  const gone = rows.filter((row) => {
    const run = Run.parse(JSON.parse(String(row["record"])));
    return eraser.isRun(run) || textsIn(JSON.parse(String(row["payload"]))).some((text) => eraser.hits(text));
  });
  if (!isTrial) for (const row of gone) database.prepare("DELETE FROM held WHERE run = ?").run(String(row["run"]));
  return gone.length;
}

function eraseRuns(database: Database, eraser: Eraser, isTrial: boolean): number {
  let changed = 0;
  for (const row of database.prepare("SELECT id, payload FROM runs").all()) {
    const run = Run.parse(JSON.parse(String(row["payload"])));
    const isGone = eraser.isRun(run);
    const clean = {
      ...run,
      cause: eraser.hits(run.cause) ? FORGOTTEN : run.cause,
      reason: run.reason !== null && eraser.hits(run.reason) ? FORGOTTEN : run.reason,
      entries: run.entries?.filter(({ file }) => !eraser.isNote(file)),
    };
    const isSame =
      clean.cause === run.cause && clean.reason === run.reason && clean.entries?.length === run.entries?.length;
    if (!isGone && isSame) continue;
    changed++;
    if (isTrial) continue;
    if (isGone) database.prepare("DELETE FROM runs WHERE id = ?").run(run.id);
    else database.prepare("UPDATE runs SET payload = ? WHERE id = ?").run(JSON.stringify(clean), run.id);
  }
  return changed;
}

const JobPayload = z.looseObject({ session: z.string() });

function eraseBySession(database: Database, table: "failures" | "jobs", eraser: Eraser, isTrial: boolean): number {
  const [id, error] = table === "jobs" ? ["id", "last_error"] : ["session", "reason"];
  let changed = 0;
  for (const row of database.prepare(`SELECT * FROM ${table}`).all()) {
    const payload: unknown =
      table === "jobs" ? JSON.parse(String(row["payload"])) : { session: String(row["session"]) };
    const session = JobPayload.safeParse(payload).data?.session;
    const isGone =
      (session !== undefined && eraser.isSession(session)) || textsIn(payload).some((text) => eraser.hits(text));
    const key = row[id];
    if ((!isGone && !eraser.hits(String(row[error] ?? ""))) || key === undefined) continue;
    changed++;
    if (isTrial) continue;
    if (isGone) database.prepare(`DELETE FROM ${table} WHERE ${id} = ?`).run(key);
    else database.prepare(`UPDATE ${table} SET ${error} = ? WHERE ${id} = ?`).run(FORGOTTEN, key);
  }
  return changed;
}

function eraseFlushes(database: Database, eraser: Eraser): void {
  for (const row of database.prepare("SELECT log FROM flushes").all()) {
    const log = String(row["log"]);
    if (eraser.hits(log)) database.prepare("DELETE FROM flushes WHERE log = ?").run(log);
  }
}

/** Every text within a value, however deep. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}
