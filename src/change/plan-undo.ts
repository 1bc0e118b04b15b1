import { wordsAfter } from "../state/edit.ts";
import type { Edit, Source } from "../state/edit.ts";
import type { Revision } from "../state/state.ts";
import { align } from "./align.ts";
import type { Change, MemoryNow } from "./change.ts";
import type { Planned } from "./commit.ts";
import { applyEdits, findFact } from "./apply-edits.ts";
import { wordsOf } from "./edit-records.ts";
import { addition } from "./edits-between.ts";
import { mergeTexts } from "./merge-texts.ts";
import { planText } from "./plan-text.ts";
import { isSamePath, nameOf, readOutline } from "./read-outline.ts";
import type { Fact, Outline } from "./read-outline.ts";
import { joinLines } from "./split-lines.ts";
import type { Lines } from "./split-lines.ts";

/** A fact that a change brought and that someone changed since, so that taking it back would be a guess. */
export interface UndoConflict {
  fact: string;
  /** What it says now. */
  became: string | undefined;
  /** The revision that changed it. */
  revision: number;
}

/** What an undo did to MEMORY.md. */
export type UndoOutcome =
  | {
      kind: "undone";
      revision: number;
      cause: string;
      at: string;
      removed: string[];
      restored: string[];
      /** What was left as it is, where only a part was asked for. */
      left: UndoConflict[];
    }
  | { kind: "nothing" }
  | { kind: "conflict"; revision: number; facts: string[]; conflicts: UndoConflict[] };

/** The change to be taken back, and all that came after it. */
export interface Undoing {
  target: Revision & { edits: readonly Edit[] };
  /** The texts that it found and left. */
  before: string;
  after: string;
  later: readonly (Revision & { edits: readonly Edit[] })[];
  /** Takes back what it can and leaves the rest. */
  isPartial: boolean;
  by: string;
  sourceOf(words: string, path: readonly string[]): Source | null;
}

/**
 * Takes back exactly what a revision brought: the inverse of its change is merged into the present text, so that what it
 * added goes, what it took out or replaced comes back where it stood, and every other line stays. Where one of its facts
 * was changed since, nothing is touched and the conflict is told.
 */
export function planUndo(memory: MemoryNow, undoing: Undoing): Planned<UndoOutcome> {
  const { target, before, after } = undoing;
  const conflicts = findConflicts(memory, undoing);
  if (conflicts.length > 0 && !undoing.isPartial) {
    const facts = conflicts.map(({ fact }) => fact);
    return { result: { kind: "conflict", revision: target.id, facts, conflicts } };
  }
  const wanted = conflicts.length === 0 ? before : keepConflicts(before, after, target.edits, conflicts);
  const isLeft = (words: string | undefined) => conflicts.some(({ fact }) => fact === words);
  const toText = (text: string): Change | undefined =>
    planText(memory, {
      text,
      cause: `undo of revision ${target.id}`,
      author: "undo",
      by: undoing.by,
      reason: "undone",
      trace: (words, { path }) => undoing.sourceOf(words, path),
      isReturn: true,
    });
  // What was moved since is no longer where the lines would be found.
  const elsewhere = followMoves(target.edits, undoing.later).filter((edit) => !isLeft(wordsAfter(edit)));
  const restText = mergeTexts(after, wanted, memory.text).text;
  const merged = toText(applyEdits(restText, invertEdits(elsewhere, readOutline(before))).text);
  // Line by line gives back the bytes; where that would disturb facts of others (a heading that they stand under by now),
  // or finds none of them because equal ones stand around, the facts themselves are taken back one by one.
  const isBack = createReturnCheck(before, memory.text);
  const isInverse = createInverseCheck(target.edits);
  const isOwn = merged?.edits.every((edit) => isInverse(edit) && !isBack(edit)) ?? false;
  const own = target.edits.filter((edit) => !isLeft(wordsAfter(edit)));
  const inverse = invertEdits(
    merged === undefined ? own.filter((edit) => hasStoodSince(edit, undoing.later)) : own,
    readOutline(before),
  ).flatMap((edit) => (isBack(edit) ? withoutReturn(edit) : [edit]));
  const change = isOwn ? merged : toText(applyEdits(memory.text, inverse).text);
  if (change === undefined) return { result: { kind: "nothing" } };
  const { added: restored, removed } = wordsOf(change.edits);
  const { id: revision, cause, at } = target;
  return { change, result: { kind: "undone", revision, cause, at, removed, restored, left: conflicts } };
}

/** Tells whether an edit only takes back something of these. */
function createInverseCheck(edits: readonly Edit[]): (edit: Edit) => boolean {
  const words = wordsOf(edits);
  const [added, removed] = [new Set(words.added), new Set(words.removed)];
  const moved = new Set(edits.filter(({ kind }) => kind === "move").map(({ text }) => text));
  return (edit) => {
    if (edit.kind === "move") return moved.has(edit.text);
    const after = wordsAfter(edit);
    const isRestored = after === undefined || removed.has(after) || moved.has(after);
    return isRestored && (edit.kind === "add" || added.has(edit.text));
  };
}

/** Tells whether what an edit would bring back is back already, by someone else's hand. */
function createReturnCheck(before: string, current: string): (edit: Edit) => boolean {
  const [once, now] = [readOutline(before).names, readOutline(current).names];
  return (edit) => {
    const text = wordsAfter(edit);
    if (text === undefined) return false;
    const name = nameOf({ path: edit.path, text });
    return (now.get(name) ?? 0) >= (once.get(name) ?? 0);
  };
}

function withoutReturn(edit: Edit): Edit[] {
  if (edit.kind !== "replace") return [];
  const { file, path, text, place, was, reason } = edit;
  return [{ kind: "remove", file, path, text, place, was, reason }];
}

/** The edits that take these back. `before` is the text that they were made on. */
function invertEdits(edits: readonly Edit[], before: Outline): Edit[] {
  const back = (edit: Exclude<Edit, { kind: "add" }>): Edit[] => {
    const fact = findFact(before.facts, edit);
    return fact ? [addition(fact, before, null)] : [];
  };
  return edits.flatMap((edit): Edit[] => {
    const { file, path, place } = edit;
    if (edit.kind === "add")
      return [{ kind: "remove", file, path, text: edit.text, place, was: edit.lines, reason: "undone" }];
    if (edit.kind === "remove") return back(edit);
    if (edit.kind === "move") return edit.to.file === file ? [] : back(edit);
    const { text, words, was, lines } = edit;
    return [
      {
        kind: "replace",
        file,
        path,
        text: words,
        place,
        was: lines,
        lines: was,
        words: text,
        reason: "undone",
        source: null,
      },
    ];
  });
}

/** The edits whose facts were put under other headings since, and stand there, as if they had been made there. */
function followMoves(edits: readonly Edit[], later: Undoing["later"]): Edit[] {
  const since = later.flatMap(({ edits: each }) => each);
  return edits.flatMap((edit): Edit[] => {
    const words = wordsAfter(edit);
    let path = edit.path;
    for (const next of since) {
      if (next.kind === "add" || next.text !== words || !isSamePath(next.path, path)) continue;
      if (isEnd(next)) return [];
      path = next.kind === "move" ? next.to.path : path;
    }
    return isSamePath(path, edit.path) ? [] : [{ ...edit, path, place: 0 }];
  });
}

/** Whether nobody has touched what an edit brought, so that what stands there by its name is its own. */
function hasStoodSince(edit: Edit, later: Undoing["later"]): boolean {
  const words = wordsAfter(edit);
  const isIt = (next: Edit) => next.kind !== "add" && next.text === words && isSamePath(next.path, edit.path);
  return words !== undefined && !later.some(({ edits }) => edits.some(isIt));
}

/** Under other headings of the same file a fact still stands. */
function isEnd(edit: Edit): boolean {
  return edit.kind !== "add" && (edit.kind !== "move" || edit.to.file !== edit.file);
}

/** The facts of a change that are not as it left them, and what became of them. */
function findConflicts(memory: MemoryNow, { target, after, later }: Undoing): UndoConflict[] {
  const left = readOutline(after);
  const stands = standing(left, memory.outline);
  return target.edits.flatMap((edit) => {
    const fact = wordsAfter(edit);
    const found = fact === undefined ? undefined : findFact(left.facts, { ...edit, text: fact });
    if (fact === undefined || found === undefined || stands(found)) return [];
    const end = endOf(fact, edit.path, later);
    // Gone without a successor, and it had replaced nothing: there is nothing left to take back.
    if (!end || end.isUndo || (end.became === undefined && edit.kind !== "replace")) return [];
    return [{ fact, became: end.became, revision: end.revision }];
  });
}

/** Whether a fact of the earlier text is still where it was in the later one. */
function standing(earlier: Outline, later: Outline): (fact: Fact) => boolean {
  const places = align(earlier.lines, later.lines);
  return ({ start, end }) => {
    for (let line = start; line < end; line++) if ((places[line] ?? -1) < 0) return false;
    return true;
  };
}

/** How a fact that was there at a revision came to an end after it. */
function endOf(
  fact: string,
  path: readonly string[],
  later: Undoing["later"],
): { became: string | undefined; revision: number; isUndo: boolean } | undefined {
  const isIt = (edit: Edit) => isEnd(edit) && edit.text === fact;
  const isHere = (edit: Edit) => isIt(edit) && isSamePath(edit.path, path);
  for (const test of [isHere, isIt]) {
    const revision = later.findLast(({ edits }) => edits.some(test));
    const edit = revision?.edits.find(test);
    if (revision && edit)
      return { became: wordsAfter(edit), revision: revision.id, isUndo: revision.author === "undo" };
  }
  return undefined;
}

/** The text before the change, but with what cannot be taken back as the change left it. */
function keepConflicts(
  before: string,
  after: string,
  edits: readonly Edit[],
  conflicts: readonly UndoConflict[],
): string {
  const old = readOutline(before);
  const next = readOutline(after);
  const kept = new Map<number, Fact>();
  const gone = new Set<number>();
  for (const edit of edits) {
    if (edit.kind !== "replace" || !conflicts.some(({ fact }) => fact === edit.words)) continue;
    const from = findFact(old.facts, edit);
    const to = findFact(next.facts, { ...edit, text: edit.words });
    if (!from || !to) continue;
    kept.set(from.start, to);
    for (let line = from.start; line < from.end; line++) gone.add(line);
  }
  const result: Lines = { lines: [], ends: [] };
  for (const [line, text] of old.lines.entries()) {
    const fact = kept.get(line);
    result.lines.push(...(fact?.lines ?? (gone.has(line) ? [] : [text])));
    while (result.ends.length < result.lines.length) result.ends.push(old.ends[line] ?? "");
  }
  return joinLines(result);
}
