import { z } from "zod";
import { Edit } from "../../../history/edit.ts";
import { applyPatch, makePatch, WHOLE_EVERY } from "../../../history/text-patch.ts";
import { Author } from "../../../history/state.ts";
import type { Revision, RevisionHead, Revisions } from "../../../history/state.ts";
import { textIn } from "../engine.ts";
import type { Value } from "../engine.ts";
import type { Query, Tenant } from "../tenant.ts";

const HeadRow = z.object({
  id: z.coerce.number(),
  scope: z.string(),
  file: z.string(),
  author: Author,
  cause: z.string(),
  run: z.string().nullable(),
  at: z.string(),
});
const RevisionRow = HeadRow.extend({
  edits: z
    .string()
    .nullable()
    .transform((json) => (json === null ? undefined : z.array(Edit).parse(JSON.parse(json)))),
});
const Text = z.instanceof(Uint8Array).transform((bytes) => Buffer.from(bytes).toString("utf8"));
const HEAD_COLUMNS = "id, scope, file, author, cause, run, at";
const COLUMNS = `${HEAD_COLUMNS}, edits`;

/** The history of memory files: the newest text whole, older ones as differences with a whole one now and then. */
export function createRevisions({ query, transact }: Tenant): Revisions {
  return {
    recordRevision: (revision) =>
      transact(async (ask) => {
        if (((await headOf(ask, revision.scope, revision.file))?.text ?? "") === revision.text) return false;
        await insertRevision(ask, revision);
        return true;
      }),
    async listRevisions(scope, file, last, { after = 0, before = Number.MAX_SAFE_INTEGER } = {}) {
      const newest = "scope = $2 AND file = $3 AND id > $4 AND id < $5 ORDER BY id DESC LIMIT $6";
      return (await selectRevisions(query, newest, [scope, file, after, before, last ?? null])).toReversed();
    },
    async listHeads(scope, file, last, { after = 0, before = Number.MAX_SAFE_INTEGER } = {}) {
      const rows = await query(
        `SELECT ${HEAD_COLUMNS}, octet_length(edits) AS edit_bytes FROM tidemark_revisions
         WHERE workspace = $1 AND scope = $2 AND file = $3 AND id > $4 AND id < $5 ORDER BY id DESC LIMIT $6`,
        [scope, file, after, before, last ?? null],
      );
      return rows.map((row) => ({ ...HeadRow.parse(row), editBytes: Number(row["edit_bytes"] ?? 0) })).toReversed();
    },
    headsAt: (ids) => selectHeads(query, "id = ANY ($2::bigint[]) ORDER BY id", [ids]),
    async listUndos(scope, file) {
      const rows = await query(
        `SELECT id, cause FROM tidemark_revisions
         WHERE workspace = $1 AND scope = $2 AND file = $3 AND author = 'undo' ORDER BY id`,
        [scope, file],
      );
      return rows.map((row) => ({ id: Number(row["id"]), cause: String(row["cause"]) }));
    },
    revisionsOf: (runs) => selectRevisions(query, "run = ANY ($2::text[]) ORDER BY id", [runs]),
    revisionsAt: (ids) => selectRevisions(query, "id = ANY ($2::bigint[]) ORDER BY id", [ids]),
    async fillEdits(id, edits) {
      await query("UPDATE tidemark_revisions SET edits = $3 WHERE workspace = $1 AND id = $2 AND edits IS NULL", [
        id,
        toJson(edits),
      ]);
    },
    listUnfilled: (scope, file) =>
      selectRevisions(query, "scope = $2 AND file = $3 AND edits IS NULL ORDER BY id", [scope, file]),
    async findRevision(id) {
      return (await selectRevisions(query, "id = $2", [id]))[0];
    },
    readRevision: (id) =>
      transact(async (ask) => {
        const [found] = await selectRevisions(ask, "id = $2", [id]);
        if (found === undefined) return undefined;
        const { scope, file } = found;
        const text = (await textAt(ask, scope, file, id)) ?? "";
        return { before: (await textAt(ask, scope, file, id - 1)) ?? "", text };
      }),
    async latestRevision(scope, file) {
      const [row] = await query(
        `SELECT r.id, r.scope, r.file, r.author, r.cause, r.run, r.at, h.text FROM tidemark_heads h
         JOIN tidemark_revisions r ON r.workspace = h.workspace AND r.id = h.revision
         WHERE h.workspace = $1 AND h.scope = $2 AND h.file = $3`,
        [scope, file],
      );
      return row === undefined ? undefined : { ...HeadRow.parse(row), text: Text.parse(row["text"]) };
    },
    async listScopes() {
      const rows = await query("SELECT DISTINCT scope FROM tidemark_heads WHERE workspace = $1 ORDER BY scope");
      return rows.map((row) => String(row["scope"]));
    },
  };
}

/** The revisions for which a condition holds, in the order that it ends with, without what they did. */
export async function selectHeads(ask: Query, condition: string, values: readonly Value[]): Promise<RevisionHead[]> {
  const rows = await ask(
    `SELECT ${HEAD_COLUMNS} FROM tidemark_revisions WHERE workspace = $1 AND ${condition}`,
    values,
  );
  return rows.map((row) => HeadRow.parse(row));
}

async function selectRevisions(ask: Query, condition: string, values: readonly Value[]): Promise<Revision[]> {
  const rows = await ask(`SELECT ${COLUMNS} FROM tidemark_revisions WHERE workspace = $1 AND ${condition}`, values);
  return rows.map((row) => RevisionRow.parse(row));
}

/** Adds a revision; the caller is in a transaction. */
export async function insertRevision(ask: Query, revision: Omit<Revision, "id"> & { text: string }): Promise<void> {
  const { scope, file, text, author, cause, run, at, edits } = revision;
  // The counter's row is locked until the end: revisions of a workspace come one after the other.
  const [counted] = await ask(
    `INSERT INTO tidemark_counters AS known (workspace, name, value) VALUES ($1, 'revision', 1)
     ON CONFLICT (workspace, name) DO UPDATE SET value = known.value + 1 RETURNING value`,
  );
  const id = Number(counted?.["value"]);
  const head = await headOf(ask, scope, file);
  const patch = head === undefined ? undefined : await patchBetween(ask, scope, file, head.text, text);
  await ask(
    `INSERT INTO tidemark_revisions (workspace, id, scope, file, text, patch, edits, author, cause, run, at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [
      id,
      scope,
      file,
      Buffer.from(patch === undefined ? text : ""),
      patch ?? null,
      edits === undefined ? null : toJson(edits),
      author,
      cause,
      run,
      at,
    ],
  );
  await ask(
    `INSERT INTO tidemark_heads (workspace, scope, file, revision, text) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (workspace, scope, file) DO UPDATE SET revision = excluded.revision, text = excluded.text`,
    [scope, file, id, Buffer.from(text)],
  );
}

async function headOf(ask: Query, scope: string, file: string): Promise<{ text: string } | undefined> {
  const [row] = await ask(
    "SELECT text FROM tidemark_heads WHERE workspace = $1 AND scope = $2 AND file = $3 FOR UPDATE",
    [scope, file],
  );
  return row === undefined ? undefined : { text: Text.parse(row["text"]) };
}

/** The difference to the newest text; undefined where a whole text is due, or costs hardly more. */
async function patchBetween(
  ask: Query,
  scope: string,
  file: string,
  before: string,
  text: string,
): Promise<string | undefined> {
  const [row] = await ask(
    `SELECT count(*) AS count FROM tidemark_revisions WHERE workspace = $1 AND scope = $2 AND file = $3 AND id >
     coalesce((SELECT max(id) FROM tidemark_revisions
       WHERE workspace = $1 AND scope = $2 AND file = $3 AND patch IS NULL), 0)`,
    [scope, file],
  );
  if (Number(row?.["count"]) >= WHOLE_EVERY - 1) return undefined;
  const patch = makePatch(before, text);
  return patch.length * 2 > text.length ? undefined : patch;
}

/** The text of the newest revision up to this one: the last whole one, and the differences since. */
async function textAt(ask: Query, scope: string, file: string, id: number): Promise<string | undefined> {
  const rows = await ask(
    `SELECT text, patch FROM tidemark_revisions WHERE workspace = $1 AND scope = $2 AND file = $3 AND id <= $4 AND id >=
     coalesce((SELECT max(id) FROM tidemark_revisions
       WHERE workspace = $1 AND scope = $2 AND file = $3 AND id <= $4 AND patch IS NULL), 0) ORDER BY id`,
    [scope, file, id],
  );
  let text: string | undefined;
  for (const row of rows)
    text = row["patch"] === null ? Text.parse(row["text"]) : applyPatch(text ?? "", textIn(row, "patch"));
  return text;
}

/** Every revision of a file with its text, oldest first. */
export async function readRevisions(
  ask: Query,
  scope: string,
  file: string,
): Promise<{ revision: Revision; text: string }[]> {
  const rows = await ask(
    `SELECT ${COLUMNS}, text, patch FROM tidemark_revisions WHERE workspace = $1 AND scope = $2 AND file = $3 ORDER BY id`,
    [scope, file],
  );
  let text = "";
  return rows.map((row) => {
    text = row["patch"] === null ? Text.parse(row["text"]) : applyPatch(text, textIn(row, "patch"));
    return { revision: RevisionRow.parse(row), text };
  });
}

/** What PostgreSQL can read as JSON: no NUL, and no half of a character. */
export function toJson(value: unknown): string {
  return JSON.stringify(value, (_, field: unknown) =>
    typeof field === "string" ? field.replaceAll("\0", "\uFFFD").toWellFormed() : field,
  );
}
