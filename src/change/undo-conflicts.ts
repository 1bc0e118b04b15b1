import { wordsAfter } from "../history/edit.ts";
import type { Edit } from "../history/edit.ts";
import type { Change } from "../history/change.ts";
import { findFact, isWithin } from "./apply-edits.ts";
import { isSamePath, readOutline } from "./read-outline.ts";
import type { Fact } from "./read-outline.ts";
import { joinLines } from "./split-lines.ts";
import type { Lines } from "./split-lines.ts";

/** A fact that a change brought and that someone changed since, so that taking it back would be a guess. */
export interface UndoConflict {
  fact: string;
  /** What it says now. */
  became: string | undefined;
  /** The change that changed it. */
  change: string;
}

/** The facts that a change brought and that no longer stand, where someone put others in their place. */
export function findConflicts(
  edits: readonly Edit[],
  later: readonly Change[],
  stands: (edit: Edit) => boolean,
): UndoConflict[] {
  return edits.flatMap((edit) => {
    const fact = wordsAfter(edit);
    if (fact === undefined || stands(edit)) return [];
    const end = endOf(fact, edit.path, later);
    // Gone without a successor, and it had replaced nothing: there is nothing left to take back.
    if (!end || end.isUndo || (end.became === undefined && edit.kind !== "replace")) return [];
    return [{ fact, became: end.became, change: end.change }];
  });
}

/** How a fact that was there at a change came to an end after it. */
function endOf(
  fact: string,
  path: readonly string[],
  later: readonly Change[],
): { became: string | undefined; change: string; isUndo: boolean } | undefined {
  const isIt = (edit: Edit) => edit.kind !== "add" && !isWithin(edit) && edit.text === fact;
  const isHere = (edit: Edit) => isIt(edit) && isSamePath(edit.path, path);
  for (const test of [isHere, isIt]) {
    const change = later.findLast(({ edits }) => edits.some(test));
    const edit = change?.edits.find(test);
    if (change && edit) return { became: wordsAfter(edit), change: change.id, isUndo: change.cause === "undo" };
  }
  return undefined;
}

/** The text before the change, but with what cannot be taken back as the change left it. */
export function keepConflicts(
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
    for (const each of fact?.lines ?? (gone.has(line) ? [] : [text])) result.lines.push(each);
    while (result.ends.length < result.lines.length) result.ends.push(old.ends[line] ?? "");
  }
  return joinLines(result);
}
