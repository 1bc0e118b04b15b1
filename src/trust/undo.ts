import { commit } from "../change/commit.ts";
import { planUndo, undoneIn } from "../change/plan-undo.ts";
import type { UndoOutcome } from "../change/plan-undo.ts";
import { planText } from "../change/plan-text.ts";
import { withEdits } from "../change/fill-history.ts";
import { wordsOf } from "../change/edit-records.ts";
import { isSteering, writeSteeringFile } from "../change/steering-files.ts";
import { MemoryError } from "../errors.ts";
import { MEMORY_FILE } from "../layout.ts";
import { wordsAfter } from "../state/edit.ts";
import type { Edit, Source } from "../state/edit.ts";
import type { FactRecord, Revision, RevisionHead, State } from "../state/state.ts";
import type { Workspace } from "../workspace.ts";
import { findTarget } from "./find-target.ts";
import { readSteps } from "./read-steps.ts";

/** What is to be taken back: a run or a revision by its id, or the newest change of a key's memory. */
export interface UndoWish {
  id?: string | undefined;
  key?: string | undefined;
  by: string;
  /** Takes back what it can and leaves the rest. */
  partial?: boolean | undefined;
}

/** Takes back what a revision brought, as a new revision; the newest that stands and was not a person's own without an id. */
export async function undo(workspace: Workspace, wish: UndoWish): Promise<UndoOutcome> {
  const { id, key = "" } = wish;
  const wanted = id === undefined ? undefined : (await findTarget(workspace.state, id)).revision;
  if (id !== undefined && wanted === undefined)
    throw new MemoryError("NOT_FOUND", `${id} did not change MEMORY.md; there is nothing to undo`);
  const scope = wanted?.scope ?? workspace.filesOf(key).scope;
  const { result } = await commit<UndoOutcome>(workspace, scope, async (memory) => {
    const { state } = workspace;
    const undone = undoneBy(await state.listUndos(scope, MEMORY_FILE));
    const target = wanted ?? (await findNewest(state, scope, undone));
    if (target === undefined || undone.has(target.id)) return { result: { kind: "nothing" } };
    const later = await state.listRevisions(scope, MEMORY_FILE, undefined, { after: target.id });
    const whole = await withEdits(state, target);
    const texts = await workspace.state.readRevision(target.id);
    const records = await recordsOf(state, scope, whole.edits);
    const told = await Promise.all(later.map((each) => withEdits(state, each)));
    const words = whole.edits.flatMap((edit) => [edit.text, wordsAfter(edit) ?? edit.text]);
    return planUndo(memory, {
      target: whole,
      before: texts?.before ?? "",
      after: texts?.text ?? "",
      later: told,
      steps: await readSteps(state, told, words),
      isPartial: wish.partial === true,
      by: wish.by,
      sourceOf: (words, path) => sourceOf(records, words, path),
    });
  });
  // What was accepted in the review waits again, as it did before.
  if (result.kind === "undone" && result.left.length === 0) await returnAccepted(workspace, scope, result.revision);
  return result;
}

async function returnAccepted({ state }: Workspace, scope: string, revision: number): Promise<void> {
  const [target] = await state.headsAt([revision]);
  if (target?.scope === scope && target.run !== null && target.cause.startsWith("review of "))
    await state.returnDecided(target.run);
}

// Most often the newest change is meant.
const LOOK_BACK = 50;

/** The newest change that stands and was not a person's own. */
async function findNewest(state: State, scope: string, undone: ReadonlySet<number>): Promise<Revision | undefined> {
  for (let before: number | undefined; ;) {
    const between: { before?: number } = before === undefined ? {} : { before };
    const page: RevisionHead[] = await state.listHeads(scope, MEMORY_FILE, LOOK_BACK, between);
    const found = page.findLast(({ id, author }) => author !== "undo" && author !== "person" && !undone.has(id));
    if (found !== undefined) return state.findRevision(found.id);
    if (page.length < LOOK_BACK) return undefined;
    before = page[0]?.id;
  }
}

/** What is known of the facts that edits name: one of them may come back. */
async function recordsOf(state: State, scope: string, edits: readonly Edit[]): Promise<FactRecord[]> {
  const texts = new Set(edits.flatMap((edit) => [edit.text, wordsAfter(edit) ?? edit.text]));
  const found = await Promise.all([...texts].map((text) => state.listFacts({ scope, text })));
  return found.flat();
}

/** What a restore changed. */
export interface Restored {
  kind: "restored" | "nothing";
  revision: number;
  added: string[];
  removed: string[];
}

/** Brings MEMORY.md back, byte for byte, to what it was at a revision; that is a change of its own and can be undone. */
export async function restore(workspace: Workspace, id: string, by: string): Promise<Restored> {
  const { revision } = await findTarget(workspace.state, id);
  if (revision === undefined) throw new MemoryError("NOT_FOUND", `${id} left MEMORY.md as it was; name a revision`);
  const cause = `restored revision ${revision.id}`;
  // It is read while nobody else changes this memory: what is forgotten meanwhile must not come back.
  const read = async (): Promise<string> => {
    const found = await workspace.state.readRevision(revision.id);
    if (found === undefined) throw new MemoryError("NOT_FOUND", `What ${id} said has been forgotten meanwhile`);
    return found.text;
  };
  if (isSteering(revision.file)) {
    await writeSteeringFile(workspace, revision.scope, { file: revision.file, read, cause });
    return { kind: "restored", revision: revision.id, added: [], removed: [] };
  }
  const { result } = await commit<Restored>(workspace, revision.scope, async (memory) => {
    const text = await read();
    const records = await workspace.state.listFacts({ scope: revision.scope });
    const trace = (words: string, { path }: { path: readonly string[] }) => sourceOf(records, words, path);
    const change = planText(memory, { text, cause, author: "agent", by, reason: cause, trace, isReturn: true });
    const nothing: Restored = { kind: "nothing", revision: revision.id, added: [], removed: [] };
    return { change, result: change ? { ...nothing, kind: "restored", ...wordsOf(change.edits) } : nothing };
  });
  return result;
}

/** The changes that are taken back, by undos that stand themselves. */
function undoneBy(undos: readonly Pick<Revision, "id" | "cause">[]): Set<number> {
  const undone = new Set<number>();
  for (const { id, cause } of undos.toReversed()) {
    if (!undone.has(id)) undone.add(undoneIn(cause) ?? 0);
  }
  return undone;
}

/** A fact that comes back has the source that it had. */
function sourceOf(records: readonly FactRecord[], words: string, path: readonly string[]): Source | null {
  const known = records.filter(({ text, run }) => text === words && run !== null);
  const record = known.findLast((each) => each.path?.join("\n") === path.join("\n")) ?? known.at(-1);
  if (record === undefined) return null;
  const { session, message, quote, proof, origin } = record;
  return { session, message, quote, proof, origin };
}
