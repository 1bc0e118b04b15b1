import { MEMORY_FILE } from "../layout.ts";
import type { Edit } from "../state/edit.ts";
import type { Revision, State } from "../state/state.ts";
import { editsBetween } from "./edits-between.ts";

/** A revision with what it did, fact by fact; those of version 0.1 kept texts alone, and are read from them. */
export async function withEdits(state: State, revision: Revision): Promise<Revision & { edits: readonly Edit[] }> {
  if (revision.edits !== undefined) return { ...revision, edits: revision.edits };
  const texts = await state.readRevision(revision.id);
  const edits = editsBetween(texts?.before ?? "", texts?.text ?? "", revision.cause, () => null);
  return { ...revision, edits };
}

/** Gives the revisions of version 0.1 their edits, once: sums over history are made where the records lie. */
export async function fillHistory(state: State, scope: string): Promise<void> {
  for (const revision of await state.listUnfilled(scope, MEMORY_FILE))
    await state.fillEdits(revision.id, (await withEdits(state, revision)).edits);
}
