import { z } from "zod";
import { transact } from "../database.ts";
import type { Database } from "../database.ts";
import { Edit } from "../../../state/edit.ts";
import { Author } from "../../../state/state.ts";
import type { Revision, RevisionHead, Revisions } from "../../../state/state.ts";
import { applyPatch, makePatch, WHOLE_EVERY } from "../../../state/text-patch.ts";
import { noteTurns, renewTurns } from "./turns.ts";

const RevisionRow = z.object({
  id: z.number(),
  scope: z.string(),
  file: z.string(),
  author: Author,
  cause: z.string(),
  run: z.string().nullable(),
  at: z.string(),
  edits: z
    .string()
    .nullable()
    .transform((json) => (json === null ? undefined : z.array(Edit).parse(JSON.parse(json)))),
});
const HeadRow = RevisionRow.omit({ edits: true });
const HEAD_COLUMNS = "id, scope, file, author, cause, run, at";
const COLUMNS = `${HEAD_COLUMNS}, edits`;

/** The history of memory files: the newest text whole, older ones as differences with a whole one now and then. */
export function createRevisions(database: Database): Revisions {
  return {
    async recordRevision(revision) {
      return transact(database, () => {
        if ((headOf(database, revision.scope, revision.file)?.text ?? "") === revision.text) return false;
        insertRevision(database, revision);
        return true;
      });
    },
    async listRevisions(scope, file, last, { after = 0, before = Number.MAX_SAFE_INTEGER } = {}) {
      const newest = "scope = ? AND file = ? AND id > ? AND id < ? ORDER BY id DESC LIMIT ?";
      return selectRevisions(database, newest, [scope, file, after, before, last ?? -1]).toReversed();
    },
    async listHeads(scope, file, last, { after = 0, before = Number.MAX_SAFE_INTEGER } = {}) {
      // The size is known without reading what it is the size of.
      const rows = database
        .prepare(
          `SELECT ${HEAD_COLUMNS}, octet_length(edits) AS edit_bytes FROM revisions
           WHERE scope = ? AND file = ? AND id > ? AND id < ? ORDER BY id DESC LIMIT ?`,
        )
        .all(scope, file, after, before, last ?? -1);
      return rows.map((row) => ({ ...HeadRow.parse(row), editBytes: Number(row["edit_bytes"] ?? 0) })).toReversed();
    },
    async listUndos(scope, file) {
      const rows = database
        .prepare("SELECT id, cause FROM revisions WHERE scope = ? AND file = ? AND author = 'undo' ORDER BY id")
        .all(scope, file);
      return rows.map((row) => ({ id: Number(row["id"]), cause: String(row["cause"]) }));
    },
    async revisionsOf(runs) {
      const those = "run IN (SELECT value FROM json_each(?)) ORDER BY id";
      return selectRevisions(database, those, [JSON.stringify(runs)]);
    },
    async headsAt(ids) {
      return selectHeads(database, "id IN (SELECT value FROM json_each(?)) ORDER BY id", [JSON.stringify(ids)]);
    },
    async revisionsAt(ids) {
      return selectRevisions(database, "id IN (SELECT value FROM json_each(?)) ORDER BY id", [JSON.stringify(ids)]);
    },
    async fillEdits(id, edits) {
      transact(database, () => {
        const fill = database.prepare("UPDATE revisions SET edits = ? WHERE id = ? AND edits IS NULL");
        if (fill.run(JSON.stringify(edits), id).changes > 0) noteTurns(database, "revisions.id = ?", [id]);
      });
    },
    async listUnfilled(scope, file) {
      return selectRevisions(database, "scope = ? AND file = ? AND edits IS NULL ORDER BY id", [scope, file]);
    },
    async findRevision(id) {
      const row = database.prepare(`SELECT ${COLUMNS} FROM revisions WHERE id = ?`).get(id);
      return row === undefined ? undefined : RevisionRow.parse(row);
    },
    async readRevision(id) {
      const row = database.prepare("SELECT scope, file FROM revisions WHERE id = ?").get(id);
      if (row === undefined) return undefined;
      const [scope, file] = [String(row["scope"]), String(row["file"])];
      const text = textAt(database, scope, file, id) ?? "";
      return { before: textAt(database, scope, file, id - 1) ?? "", text };
    },
    async latestRevision(scope, file) {
      const head = headOf(database, scope, file);
      if (head === undefined) return undefined;
      // What it did is not asked for here, and may be long.
      const row = database.prepare(`SELECT ${HEAD_COLUMNS} FROM revisions WHERE id = ?`).get(head.revision);
      return row === undefined ? undefined : { ...HeadRow.parse(row), text: head.text };
    },
    async listScopes() {
      const rows = database.prepare("SELECT DISTINCT scope FROM heads ORDER BY scope").all();
      return rows.map((row) => String(row["scope"]));
    },
  };
}

/** The revisions for which a condition holds, in the order that it ends with, without what they did: that may be long. */
export function selectHeads(
  database: Database,
  condition: string,
  values: readonly (string | number)[],
): RevisionHead[] {
  const rows = database.prepare(`SELECT ${HEAD_COLUMNS} FROM revisions WHERE ${condition}`).all(...values);
  return rows.map((row) => HeadRow.parse(row));
}

function selectRevisions(database: Database, condition: string, values: readonly (string | number)[]): Revision[] {
  const rows = database.prepare(`SELECT ${COLUMNS} FROM revisions WHERE ${condition}`).all(...values);
  return rows.map((row) => RevisionRow.parse(row));
}

/** Adds a revision; the caller is in a transaction. */
export function insertRevision(database: Database, revision: Omit<Revision, "id"> & { text: string }): void {
  const { scope, file, text, author, cause, run, at, edits } = revision;
  const head = headOf(database, scope, file);
  const patch = head === undefined ? undefined : patchBetween(database, scope, file, head, text);
  const { lastInsertRowid } = database
    .prepare(
      "INSERT INTO revisions (scope, file, text, patch, edits, author, cause, run, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )
    .run(
      scope,
      file,
      patch === undefined ? text : "",
      patch ?? null,
      edits === undefined ? null : JSON.stringify(edits),
      author,
      cause,
      run,
      at,
    );
  database
    .prepare("INSERT OR REPLACE INTO heads (scope, file, revision, text) VALUES (?, ?, ?, ?)")
    .run(scope, file, Number(lastInsertRowid), text);
  noteTurns(database, "revisions.id = ?", [Number(lastInsertRowid)]);
}

interface Head {
  revision: number;
  text: string;
}

function headOf(database: Database, scope: string, file: string): Head | undefined {
  const row = database.prepare("SELECT revision, text FROM heads WHERE scope = ? AND file = ?").get(scope, file);
  return row === undefined ? undefined : { revision: Number(row["revision"]), text: String(row["text"]) };
}

/** The difference to the newest text; undefined where a whole text is due, or costs hardly more. */
function patchBetween(database: Database, scope: string, file: string, head: Head, text: string): string | undefined {
  const row = database
    .prepare(
      `SELECT count(*) AS count FROM revisions WHERE scope = ? AND file = ? AND id >
       coalesce((SELECT max(id) FROM revisions WHERE scope = ? AND file = ? AND patch IS NULL), 0)`,
    )
    .get(scope, file, scope, file);
  if (Number(row?.["count"]) >= WHOLE_EVERY - 1) return undefined;
  const patch = makePatch(head.text, text);
  return patch.length * 2 > text.length ? undefined : patch;
}

/** The text of the newest revision up to this one: the last whole one, and the differences since. */
function textAt(database: Database, scope: string, file: string, id: number): string | undefined {
  const rows = database
    .prepare(
      `SELECT text, patch FROM revisions WHERE scope = ? AND file = ? AND id <= ? AND id >=
       coalesce((SELECT max(id) FROM revisions WHERE scope = ? AND file = ? AND id <= ? AND patch IS NULL), 0) ORDER BY id`,
    )
    .all(scope, file, id, scope, file, id);
  let text: string | undefined;
  for (const row of rows)
    text = row["patch"] === null ? String(row["text"]) : applyPatch(text ?? "", String(row["patch"]));
  return text;
}

/** What becomes of a revision; undefined leaves it out. */
type Rewrite = (revision: Revision, text: string) => { cause: string; text: string; edits: Edit[] } | undefined;

/** Shows every revision of a file with its text, oldest first. */
export function readRevisions(database: Database, scope: string, file: string, show: Rewrite): void {
  for (const { revision, text } of walk(database, scope, file)) show(revision, text);
}

/** Writes every revision of a file anew, oldest first; the caller is in a transaction. */
export function rewriteRevisions(database: Database, scope: string, file: string, rewrite: Rewrite): void {
  let previous: { id: number; text: string } | undefined;
  let sinceWhole = 0;
  for (const { revision, text } of walk(database, scope, file)) {
    const next = rewrite(revision, text);
    if (next === undefined) {
      database.prepare("DELETE FROM revisions WHERE id = ?").run(revision.id);
      continue;
    }
    const isWhole = previous === undefined || ++sinceWhole >= WHOLE_EVERY - 1;
    if (isWhole) sinceWhole = 0;
    const patch = isWhole ? null : makePatch(previous?.text ?? "", next.text);
    database
      .prepare("UPDATE revisions SET text = ?, patch = ?, edits = ?, cause = ? WHERE id = ?")
      .run(isWhole ? next.text : "", patch, JSON.stringify(next.edits), next.cause, revision.id);
    previous = { id: revision.id, text: next.text };
  }
  renewTurns(database, scope, file);
  if (previous === undefined) database.prepare("DELETE FROM heads WHERE scope = ? AND file = ?").run(scope, file);
  else
    database
      .prepare("UPDATE heads SET revision = ?, text = ? WHERE scope = ? AND file = ?")
      .run(previous.id, previous.text, scope, file);
}

function* walk(database: Database, scope: string, file: string): Generator<{ revision: Revision; text: string }> {
  const rows = database
    .prepare(`SELECT ${COLUMNS}, text, patch FROM revisions WHERE scope = ? AND file = ? ORDER BY id`)
    .all(scope, file);
  let text = "";
  for (const row of rows) {
    text = row["patch"] === null ? String(row["text"]) : applyPatch(text, String(row["patch"]));
    yield { revision: RevisionRow.parse(row), text };
  }
}
