import { AsidePayload } from "../../aside-payload.ts";
import { z } from "zod";
import { textsIn } from "../../../language/texts-in.ts";
import { transact } from "../database.ts";
import type { Database } from "../database.ts";
import { HeldChange } from "../../../state/edit.ts";
import { eraseEdit, FORGOTTEN } from "../../../state/erase-edit.ts";
import { eraseAnswers } from "./answers.ts";
import { eraseDecided } from "./decided.ts";
import { heldFromOlder } from "./older-records.ts";
import { readRevisions, rewriteRevisions } from "./revisions.ts";
import { changedParts } from "../../../state/text-patch.ts";
import { Run } from "../../../state/state.ts";
import type { Revision } from "../../../state/state.ts";
import type { Eraser, Erasing } from "../../../state/erasing.ts";

const CHECKPOINT_TRIES = 100;
const CHECKPOINT_PAUSE_MS = 50;

/** Forgetting, over the state's database. */
export function createErasing(database: Database): Erasing {
  return {
    async eraseRecords(eraser, isTrial) {
      const erase = () => {
        const counts = {
          revisions: eraseRevisions(database, eraser, isTrial),
          facts: eraseFacts(database, eraser, isTrial),
          held: eraseHeld(database, eraser, isTrial) + eraseDecided(database, eraser, isTrial),
          runs: eraseAnswers(database, eraser, isTrial) + eraseRuns(database, eraser, isTrial),
          failures: eraseBySession(database, "failures", eraser, isTrial),
          jobs: eraseBySession(database, "jobs", eraser, isTrial),
          aside: eraseAside(database, eraser, isTrial),
        };
        if (!isTrial) {
          eraseFlushes(database, eraser);
          eraseOutside(database, eraser);
        }
        return counts;
      };
      // Who only looks may not be allowed to write.
      if (isTrial) return erase();
      // Deleted content is overwritten, not only unlinked from its page.
      database.exec("PRAGMA secure_delete = ON");
      return transact(database, erase);
    },
    async compact() {
      database.exec("PRAGMA secure_delete = ON; VACUUM");
      // Others who read at this moment keep the old log; they are soon done.
      for (let tries = 0; tries < CHECKPOINT_TRIES; tries++) {
        if (database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()?.["busy"] === 0) return true;
        await new Promise((resolve) => setTimeout(resolve, CHECKPOINT_PAUSE_MS));
      }
      return false;
    },
  };
}

// As far as one fact reaches, and more.
const LINES_AROUND = 12;

function eraseRevisions(database: Database, eraser: Eraser, isTrial: boolean): number {
  let changed = 0;
  for (const row of database.prepare("SELECT scope, file FROM heads").all()) {
    const [scope, file] = [String(row["scope"]), String(row["file"])];
    const isGone = eraser.isScope(scope);
    if (!isGone && !mayTouchAny(database, eraser, scope, file)) continue;
    let previous = "";
    let clean = "";
    let touched = 0;
    // Of a text that was clean only what changed since can carry it.
    const eraseNext = (whole: string): string => {
      const parts = clean === "" ? [whole] : changedParts(clean, whole, LINES_AROUND);
      const isClean = parts.every((part) => !eraser.mayTouch(part, scope) || eraser.erase(part, scope) === part);
      clean = isClean ? whole : "";
      return isClean ? whole : eraser.erase(whole, scope);
    };
    const rewrite = (revision: Revision, whole: string) => {
      const text = isGone ? "" : eraseNext(whole);
      const cause = eraser.hits(revision.cause) ? FORGOTTEN : revision.cause;
      const edits = isGone ? [] : (revision.edits ?? []).flatMap((edit) => eraseEdit(edit, eraser, scope));
      const isSame =
        edits.length === (revision.edits?.length ?? 0) && edits.every((edit, at) => edit === revision.edits?.[at]);
      const isTouched = isGone || text !== whole || cause !== revision.cause || !isSame;
      // A change that brought nothing but what is forgotten is no change any more.
      const isEmpty = isTouched && text === previous;
      previous = text;
      if (isTouched) touched++;
      return isEmpty ? undefined : { cause, text, edits };
    };
    readRevisions(database, scope, file, rewrite);
    if (touched > 0 && !isTrial) {
      previous = clean = "";
      rewriteRevisions(database, scope, file, rewrite);
    }
    changed += touched;
  }
  return changed;
}

/** Whether a revision of a file can hold anything of it: most of the time none can, and nothing need be put together. */
function mayTouchAny(database: Database, eraser: Eraser, scope: string, file: string): boolean {
  const rows = database
    .prepare("SELECT text, patch, edits, cause FROM revisions WHERE scope = ? AND file = ?")
    .iterate(scope, file);
  for (const { text, patch, edits, cause } of rows)
    if ([text, patch, edits, cause].some((each) => typeof each === "string" && eraser.mayTouch(each, scope)))
      return true;
  return false;
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
  for (const each of rows) {
    if (!mayGo(each, eraser)) continue;
    const row = FactRow.parse(each);
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

/** A quick look at a fact: only what can be meant is read closely. */
function mayGo(row: Record<string, unknown>, eraser: Eraser): boolean {
  const scope = String(row["scope"]);
  const texts = [row["text"], row["quote"], row["retired_reason"], row["replaced_by"]];
  if (eraser.isScope(scope) || texts.some((text) => typeof text === "string" && eraser.mayTouch(text, scope)))
    return true;
  const { session } = row;
  const [text, addedAt] = [String(row["text"]), String(row["added_at"])];
  return eraser.isFact({ text, session: typeof session === "string" ? session : null, message: null, addedAt });
}

function eraseHeld(database: Database, eraser: Eraser, isTrial: boolean): number {
  const rows = database
    .prepare("SELECT held.run, held.payload, runs.payload AS record FROM held JOIN runs ON runs.id = held.run")
    .all();
  const hits = (value: unknown) => textsIn(value).some((text) => eraser.hits(text));
  let changed = 0;
  for (const row of rows) {
    const run = Run.parse(JSON.parse(String(row["record"])));
    const held = HeldChange.parse(heldFromOlder(JSON.parse(String(row["payload"])), run.scope));
    const items = eraser.isRun(run.id) ? [] : held.items.filter((item) => !hits(item));
    const entry = hits(held.entry) ? FORGOTTEN : held.entry;
    if (items.length === held.items.length && entry === held.entry) continue;
    changed++;
    if (isTrial) continue;
    if (items.length === 0) database.prepare("DELETE FROM held WHERE run = ?").run(run.id);
    else
      database
        .prepare("UPDATE held SET payload = ? WHERE run = ?")
        .run(JSON.stringify({ ...held, entry, items }), run.id);
  }
  return changed;
}

function eraseRuns(database: Database, eraser: Eraser, isTrial: boolean): number {
  let changed = 0;
  for (const row of database.prepare("SELECT id, payload FROM runs").all()) {
    // Its scope says nothing of the words in it.
    if (!eraser.isRun(String(row["id"])) && !eraser.mayTouch(String(row["payload"]), "")) continue;
    const run = Run.parse(JSON.parse(String(row["payload"])));
    const isGone = eraser.isRun(run.id);
    const clean = {
      ...run,
      cause: eraser.hits(run.cause) ? FORGOTTEN : run.cause,
      reason: run.reason !== null && eraser.hits(run.reason) ? FORGOTTEN : run.reason,
      entries: run.entries
        ?.filter(({ file }) => !eraser.isNote(file))
        .map(({ file, hash }) => ({ file, hash: eraser.entryHash(hash) })),
    };
    const isSame =
      clean.cause === run.cause &&
      clean.reason === run.reason &&
      JSON.stringify(clean.entries) === JSON.stringify(run.entries);
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

/** What was set aside goes whole if it holds anything of it: there is no half of it that could still be finished. */
function eraseAside(database: Database, eraser: Eraser, isTrial: boolean): number {
  const rows = database.prepare("SELECT run, scope, payload, problem FROM journal WHERE problem IS NOT NULL").all();
  const gone = rows.filter((row) => {
    const texts = [row["payload"], row["problem"]].map(String);
    const parsed = AsidePayload.safeParse(row["payload"]).data;
    return (
      eraser.isScope(String(row["scope"])) ||
      [...texts, ...textsIn(parsed)].some((text) => eraser.hits(text)) ||
      (parsed !== undefined && eraser.isSession(parsed.run.session))
    );
  });
  if (!isTrial) for (const row of gone) database.prepare("DELETE FROM journal WHERE run = ?").run(String(row["run"]));
  return gone.length;
}

function eraseFlushes(database: Database, eraser: Eraser): void {
  for (const row of database.prepare("SELECT log FROM flushes").all()) {
    const log = String(row["log"]);
    if (eraser.hits(log)) database.prepare("DELETE FROM flushes WHERE log = ?").run(log);
  }
}

function eraseOutside(database: Database, eraser: Eraser): void {
  for (const row of database.prepare("SELECT DISTINCT session FROM outside_messages").all()) {
    const session = String(row["session"]);
    if (eraser.isSession(session)) database.prepare("DELETE FROM outside_messages WHERE session = ?").run(session);
  }
  for (const row of database.prepare("SELECT DISTINCT scope FROM outside_words").all()) {
    const scope = String(row["scope"]);
    if (eraser.isScope(scope)) database.prepare("DELETE FROM outside_words WHERE scope = ?").run(scope);
  }
}
