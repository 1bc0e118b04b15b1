import { wordsAfter } from "../history/edit.ts";
import type { Edit, Source } from "../history/edit.ts";
import type { Change, Decision } from "../history/change.ts";
import { applyEdits, findFact, isWithin } from "./apply-edits.ts";
import type { MemoryNow } from "./draft.ts";
import type { Planned } from "./commit.ts";
import { compareFacts } from "./compare-facts.ts";
import { wordsOf } from "./edit-records.ts";
import { addition, placeIn, removal } from "./edits-between.ts";
import { findExactly, followFact } from "./follow-fact.ts";
import type { TextStep } from "./follow-fact.ts";
import { mergeTexts } from "./merge-texts.ts";
import { planText } from "./plan-text.ts";
import { nameOf, readOutline } from "./read-outline.ts";
import type { Fact, Outline } from "./read-outline.ts";
import { findConflicts, keepConflicts } from "./undo-conflicts.ts";
import type { UndoConflict } from "./undo-conflicts.ts";

/** What an undo did to MEMORY.md. */
export type UndoOutcome =
  | {
      kind: "undone";
      /** The change that was taken back. */
      change: string;
      cause: Change["cause"];
      at: string;
      removed: string[];
      restored: string[];
      /** What was left as it is, where only a part was asked for. */
      left: UndoConflict[];
    }
  | { kind: "nothing" }
  | { kind: "conflict"; change: string; facts: string[]; conflicts: UndoConflict[] };

/** The change to be taken back, and all that came after it. */
export interface Undoing {
  target: Change;
  /** The texts that it found and left. */
  before: string;
  after: string;
  later: readonly Change[];
  /** The texts that those found and left which name a fact of this change. */
  steps: readonly TextStep[];
  /** Takes back what it can and leaves the rest. */
  isPartial: boolean;
  by: string;
  /** What was accepted with it waits again. */
  decision?: Decision | undefined;
  sourceOf(words: string, path: readonly string[]): Source | null;
}

/**
 * Takes back exactly what a change brought: what it added goes, what it took out or replaced comes back where it stood,
 * and every other line stays. Where one of its facts was changed since, nothing is touched and the conflict is told.
 */
export function planUndo(memory: MemoryNow, undoing: Undoing): Planned<UndoOutcome> {
  const { target, before, after } = undoing;
  const own = findOwn(memory, undoing);
  const conflicts = findConflicts(target.edits, undoing.later, (edit) => own.get(edit) !== undefined);
  if (conflicts.length > 0 && !undoing.isPartial) {
    const facts = conflicts.map(({ fact }) => fact);
    return { result: { kind: "conflict", change: target.id, facts, conflicts } };
  }
  const wanted = conflicts.length === 0 ? before : keepConflicts(before, after, target.edits, conflicts);
  const isLeft = (words: string | undefined) => conflicts.some(({ fact }) => fact === words);
  const inverse = invertEdits(
    target.edits.filter((edit) => !isLeft(wordsAfter(edit))),
    own,
    readOutline(before),
    createReturnCheck(memory, undoing),
  );
  // Line by line gives back the bytes; where that would disturb facts of others (a heading that they stand under by now),
  // or take another one than its own, the facts themselves are taken back one by one.
  const merged = mergeTexts(after, wanted, memory.text).text;
  const isInPlace = [...own].every(([edit, fact]) => fact?.name === nameAfter(edit));
  const isUntouched = memory.text === after && (isInPlace || isTakenBack(undoing));
  const isOwn = isUntouched || isExactly(inverse, memory.outline, readOutline(merged));
  const change = planText(memory, {
    text: isOwn ? merged : applyEdits(memory.text, inverse).text,
    cause: "undo",
    of: target.id,
    author: undoing.by === "user" ? "person" : "agent",
    by: undoing.by,
    decision: conflicts.length === 0 ? undoing.decision : undefined,
    reason: "undone",
    trace: (words, { path }) => undoing.sourceOf(words, path),
    isReturn: true,
  });
  if (change === undefined) return { result: { kind: "nothing" } };
  const { added: restored, removed } = wordsOf(change.edits);
  const { id, cause, at } = target;
  return { change, result: { kind: "undone", change: id, cause, at, removed, restored, left: conflicts } };
}

/** Whether all that came after a change was taken back again. */
function isTakenBack({ target, later }: Undoing): boolean {
  const undone = new Set<string>();
  for (const { id, cause, of } of later.toReversed()) {
    if (undone.has(id)) continue;
    const isLater = of !== null && later.some((change) => change.id === of);
    if (cause !== "undo" || of === null || of === target.id || !isLater) return false;
    undone.add(of);
  }
  return true;
}

/** Where each fact that a change brought, or put under other headings, stands now; undefined where it is gone. */
function findOwn({ outline }: MemoryNow, { target, before, after, steps }: Undoing): Map<Edit, Fact | undefined> {
  const left = readOutline(after);
  const { fresh, moved } = compareFacts(readOutline(before).facts, left.facts);
  const free = [...fresh, ...moved.values()];
  const own = new Map<Edit, Fact | undefined>();
  for (const edit of target.edits) {
    const name = nameAfter(edit);
    if (name === undefined) continue;
    const found = free.find((fact) => fact.name === name) ?? left.facts.find((fact) => fact.name === name);
    if (found) free.splice(free.indexOf(found), free.includes(found) ? 1 : 0);
    const now = found && followFact(found, steps);
    own.set(edit, now && findExactly(outline, now));
  }
  return own;
}

/** The name of what an edit leaves in the file. */
function nameAfter(edit: Edit): string | undefined {
  if (edit.kind === "move") return isWithin(edit) ? nameOf({ path: edit.to.path, text: edit.text }) : undefined;
  const text = wordsAfter(edit);
  return text === undefined ? undefined : nameOf({ path: edit.path, text });
}

/** The edits of the present text that take these back. `before` is the text that they were made on. */
function invertEdits(
  edits: readonly Edit[],
  own: ReadonlyMap<Edit, Fact | undefined>,
  before: Outline,
  isBack: ReturnCheck,
): Edit[] {
  const back = (edit: Edit): Edit[] => {
    const fact = findFact(before.facts, edit);
    return fact && !isBack(fact) ? [addition(fact, before, null)] : [];
  };
  return edits.flatMap((edit): Edit[] => {
    const fact = own.get(edit);
    const gone = fact ? [removal(fact, "undone")] : [];
    if (edit.kind === "add") return gone;
    if (edit.kind === "remove" || (edit.kind === "move" && !isWithin(edit))) return back(edit);
    const old = findFact(before.facts, edit);
    if (fact === undefined || old === undefined) return edit.kind === "move" ? [] : [...gone, ...back(edit)];
    const { path, text, place, lines } = fact;
    const name = { file: edit.file, path: [...path], text, place, was: [...lines], reason: "undone" };
    if (edit.kind === "move")
      return [{ kind: "move", ...name, to: { file: edit.file, path: [...old.path], ...placeIn(before, old) } }];
    if (isBack(old, old.path, fact) || isBack(old, path, fact)) return gone;
    return [{ kind: "replace", ...name, lines: [...old.lines], words: old.text, source: null }];
  });
}

/** Whether what would be brought back, under its own headings or these, is back already, by someone else's hand. */
type ReturnCheck = (fact: Fact, under?: readonly string[], heir?: Fact) => boolean;

function createReturnCheck({ outline }: MemoryNow, { before, after, steps }: Undoing): ReturnCheck {
  const old = readOutline(before);
  const left = readOutline(after);
  return ({ text, path, name }, under = path, heir) => {
    const there = nameOf({ path: under, text });
    // What took its place may say the same in another form.
    const count = (outline.names.get(there) ?? 0) - (heir?.name === there ? 1 : 0);
    if (there === name) return count >= Math.max(1, old.names.get(there) ?? 0);
    // Elsewhere those are others, as long as it is known where they came from.
    const others = left.facts.filter((fact) => fact.text === text).map((fact) => followFact(fact, steps));
    return count > others.filter((fact) => fact !== undefined && nameOf(fact) === there).length;
  };
}

/** Whether a text differs from the present one by these edits and nothing else; headings that came and went are no facts. */
function isExactly(edits: readonly Edit[], present: Outline, next: Outline): boolean {
  const { moved, gone, fresh } = compareFacts(present.facts, next.facts);
  const titles = new Set(present.headings.map(({ title }) => title));
  // Under a heading that was renamed since, a fact comes back under its new title.
  const isPlaceThere = (edit: Edit) => edit.kind !== "add" || edit.headings.every(({ title }) => titles.has(title));
  const brought = edits.filter((edit) => wordsAfter(edit) !== undefined);
  const back = brought.map((edit) => nameOf({ path: edit.path, text: wordsAfter(edit) ?? "" }));
  const free = [...fresh];
  const isTaken = brought.every((edit, index) => {
    const at = free.findIndex(({ name, text }) => (isPlaceThere(edit) ? name === back[index] : text === edit.text));
    return at >= 0 && free.splice(at, 1).length > 0;
  });
  const within = edits.filter(isWithin);
  const out = edits.filter((edit) => edit.kind !== "add" && !isWithin(edit));
  return isTaken && free.length === 0 && isSame([...moved.keys()], within) && isSame(gone, out);
}

function isSame(facts: readonly Fact[], edits: readonly Edit[]): boolean {
  const names = facts.map(({ name }) => name).toSorted();
  return names.join("\n\n") === edits.map(nameOf).toSorted().join("\n\n");
}
