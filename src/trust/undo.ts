import { commit } from "../change/commit.ts";
import { planUndo } from "../change/plan-undo.ts";
import type { UndoOutcome } from "../change/plan-undo.ts";
import { planText } from "../change/plan-text.ts";
import { wordsOf } from "../change/edit-records.ts";
import { isSteering, writeSteeringFile } from "../change/steering-files.ts";
import { MemoryError } from "../errors.ts";
import type { Change, ChangeHead, Decision } from "../history/change.ts";
import { wordsAfter } from "../history/edit.ts";
import type { Edit, Source } from "../history/edit.ts";
import type { FactRecord, History } from "../history/history.ts";
import { MEMORY_FILE } from "../layout.ts";
import type { Workspace } from "../workspace.ts";
import { findTarget } from "./find-target.ts";
import { readSteps } from "./read-steps.ts";

/** What is to be taken back: a change by its id, or the newest one of a key's memory. */
export interface UndoWish {
  id?: string | undefined;
  key?: string | undefined;
  by: string;
  /** Takes back what it can and leaves the rest. */
  partial?: boolean | undefined;
}

/** Takes back what a change brought, as a change of its own; without an id the newest that stands, a person's too. */
export async function undo(workspace: Workspace, wish: UndoWish): Promise<UndoOutcome> {
  const { id, key = "" } = wish;
  const wanted = id === undefined ? undefined : await findTarget(workspace, id);
  if (wanted !== undefined && wanted.file !== MEMORY_FILE)
    throw new MemoryError("NOT_FOUND", `${id} did not change MEMORY.md; there is nothing to undo`);
  const scope = wanted?.scope ?? workspace.filesOf(key).scope;
  const { result } = await commit<UndoOutcome>(workspace, scope, async (memory) => {
    const { history } = workspace;
    const head = wanted ?? (await findNewest(history, scope));
    const [target] = head === undefined ? [] : await history.at([head.id]);
    if (head === undefined || target === undefined) return { result: { kind: "nothing" } };
    const heads = await history.list({ scope, file: MEMORY_FILE, after: head.sequence });
    if (isUndone(head, heads)) return { result: { kind: "nothing" } };
    const later = await history.at(heads.map((each) => each.id));
    const texts = await history.textsOf(target.id);
    const records = await recordsOf(history, scope, target.edits);
    const words = target.edits.flatMap((edit) => [edit.text, wordsAfter(edit) ?? edit.text]);
    return planUndo(memory, {
      target,
      before: texts?.before ?? "",
      after: texts?.text ?? "",
      later,
      steps: await readSteps(history, later, words),
      isPartial: wish.partial === true,
      by: wish.by,
      decision: returned(target),
      sourceOf: (words, path) => sourceOf(records, words, path),
    });
  });
  return result;
}

/** What was accepted in the review waits again, as it did before. */
function returned({ decision }: Change): Decision | undefined {
  return decision === null ? undefined : { ...decision, verdict: "return" };
}

/** Whether a change is taken back, by an undo that stands itself. */
function isUndone({ id }: ChangeHead, later: readonly ChangeHead[]): boolean {
  const undone = new Set<string>();
  for (const each of later.toReversed())
    if (each.cause === "undo" && each.of && !undone.has(each.id)) undone.add(each.of);
  return undone.has(id);
}

// Most often the newest change is meant.
const LOOK_BACK = 50;

/** The newest change that stands; an undo is not taken back by asking for another one. */
async function findNewest(history: History, scope: string): Promise<ChangeHead | undefined> {
  const undone = new Set<string>();
  for (let before: number | undefined; ;) {
    const page = await history.list({ scope, file: MEMORY_FILE, last: LOOK_BACK, before });
    for (const change of page.toReversed()) {
      if (change.cause !== "undo" && !undone.has(change.id)) return change;
      if (change.cause === "undo" && change.of && !undone.has(change.id)) undone.add(change.of);
    }
    if (page.length < LOOK_BACK) return undefined;
    before = page[0]?.sequence;
  }
}

/** What is known of the facts that edits name: one of them may come back. */
async function recordsOf(history: History, scope: string, edits: readonly Edit[]): Promise<FactRecord[]> {
  const texts = new Set(edits.flatMap((edit) => [edit.text, wordsAfter(edit) ?? edit.text]));
  const found = await Promise.all([...texts].map((text) => history.listFacts({ scope, text })));
  return found.flat();
}

/** What a restore changed. */
export interface Restored {
  kind: "restored" | "nothing";
  /** The change whose text was brought back. */
  change: string;
  added: string[];
  removed: string[];
}

/** Brings MEMORY.md back, byte for byte, to what a change left; that is a change of its own and can be undone. */
export async function restore(workspace: Workspace, id: string, by: string): Promise<Restored> {
  const { history } = workspace;
  const target = await findTarget(workspace, id);
  const { scope, file } = target;
  if (file === null) throw new MemoryError("NOT_FOUND", `${id} left MEMORY.md as it was; name another change`);
  const why = { cause: "restore", of: target.id } as const;
  // It is read while nobody else changes this memory: what is forgotten meanwhile must not come back.
  const read = async (): Promise<string> => {
    const found = await history.textsOf(target.id);
    if (found === undefined) throw new MemoryError("NOT_FOUND", `What ${id} said has been forgotten meanwhile`);
    return found.text;
  };
  if (isSteering(file)) {
    await writeSteeringFile(workspace, scope, { file, read, decision: null, ...why });
    return { kind: "restored", change: target.id, added: [], removed: [] };
  }
  const { result } = await commit<Restored>(workspace, scope, async (memory) => {
    const text = await read();
    const records = await history.listFacts({ scope });
    const trace = (words: string, { path }: { path: readonly string[] }) => sourceOf(records, words, path);
    const author = by === "user" ? "person" : "agent";
    const change = planText(memory, {
      text,
      ...why,
      author,
      by,
      reason: "not in the state that was restored",
      trace,
      isReturn: true,
    });
    const nothing: Restored = { kind: "nothing", change: target.id, added: [], removed: [] };
    return { change, result: change ? { ...nothing, kind: "restored", ...wordsOf(change.edits) } : nothing };
  });
  return result;
}

/** A fact that comes back has the source that it had. */
function sourceOf(records: readonly FactRecord[], words: string, path: readonly string[]): Source | null {
  const known = records.filter(({ text, change }) => text === words && change !== null);
  const record = known.findLast((each) => each.path?.join("\n") === path.join("\n")) ?? known.at(-1);
  if (record === undefined) return null;
  const { session, message, quote, proof, origin } = record;
  return { session, message, quote, proof, origin };
}
