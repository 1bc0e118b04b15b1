import { eraseEdit, FORGOTTEN } from "../../../history/erase-edit.ts";
import type { Eraser } from "../../../history/erasing.ts";
import { makePatch, WHOLE_EVERY } from "../../../history/text-patch.ts";
import type { Query } from "../tenant.ts";
import { readRevisions, toJson } from "./revisions.ts";

/** Takes something out of the history of every file, by writing it anew; a trial only counts. */
export async function eraseRevisions(ask: Query, eraser: Eraser, isTrial: boolean): Promise<number> {
  let changed = 0;
  for (const row of await ask("SELECT scope, file FROM tidemark_heads WHERE workspace = $1")) {
    const [scope, file] = [String(row["scope"]), String(row["file"])];
    const isGone = eraser.isScope(scope);
    let previous = "";
    let touched = 0;
    const rewritten = (await readRevisions(ask, scope, file)).map(({ revision, text: whole }) => {
      const text = isGone ? "" : eraser.erase(whole, scope);
      const cause = eraser.hits(revision.cause) ? FORGOTTEN : revision.cause;
      const edits = isGone ? [] : (revision.edits ?? []).flatMap((edit) => eraseEdit(edit, eraser, scope));
      const known = revision.edits ?? [];
      const isSame = edits.length === known.length && edits.every((edit, at) => edit === known[at]);
      const isTouched = isGone || text !== whole || cause !== revision.cause || !isSame;
      // A change that brought nothing but what is forgotten is no change any more.
      const isEmpty = isTouched && text === previous;
      previous = text;
      if (isTouched) touched++;
      return { id: revision.id, isEmpty, text, cause, edits };
    });
    changed += touched;
    if (touched > 0 && !isTrial) await rewrite(ask, scope, file, rewritten);
  }
  return changed;
}

interface Rewritten {
  id: number;
  isEmpty: boolean;
  text: string;
  cause: string;
  edits: unknown[];
}

async function rewrite(ask: Query, scope: string, file: string, revisions: readonly Rewritten[]): Promise<void> {
  let last: Rewritten | undefined;
  let sinceWhole = 0;
  for (const revision of revisions) {
    const { id, isEmpty, text, cause, edits } = revision;
    if (isEmpty) {
      await ask("DELETE FROM tidemark_revisions WHERE workspace = $1 AND id = $2", [id]);
      continue;
    }
    const isWhole = last === undefined || ++sinceWhole >= WHOLE_EVERY - 1;
    if (isWhole) sinceWhole = 0;
    await ask(
      "UPDATE tidemark_revisions SET text = $3, patch = $4, edits = $5, cause = $6 WHERE workspace = $1 AND id = $2",
      [id, Buffer.from(isWhole ? text : ""), isWhole ? null : makePatch(last?.text ?? "", text), toJson(edits), cause],
    );
    last = revision;
  }
  if (last === undefined)
    await ask("DELETE FROM tidemark_heads WHERE workspace = $1 AND scope = $2 AND file = $3", [scope, file]);
  else
    await ask("UPDATE tidemark_heads SET revision = $4, text = $5 WHERE workspace = $1 AND scope = $2 AND file = $3", [
      scope,
      file,
      last.id,
      Buffer.from(last.text),
    ]);
}
