import { MEMORY_FILE } from "../layout.ts";
import { wordsAfter } from "../history/edit.ts";
import type { Edit } from "../history/edit.ts";
import { compareFacts } from "./compare-facts.ts";
import { editsBetween, sourcesOf } from "./edits-between.ts";
import { nameOf, readOutline } from "./read-outline.ts";

/**
 * The edits as they came to stand: a new fact has the headings that it was really put under. Where edits did more than
 * they say (an item that is reworded is a new heading to those below it), they are read off the texts instead, so that
 * the log, replayed, always gives the file.
 */
export function settleEdits(edits: readonly Edit[], before: string, after: string): Edit[] {
  const settled = placeAdditions(edits, before, after);
  if (isReplayed(settled, before, after)) return settled;
  const gone = new Map(edits.flatMap((edit) => (edit.kind === "add" ? [] : [[edit.text, edit.reason] as const])));
  const actual = editsBetween(before, after, "what stands above it was reworded", sourcesOf(edits));
  return actual.map((edit) => (edit.kind === "add" ? edit : { ...edit, reason: gone.get(edit.text) ?? edit.reason }));
}

function placeAdditions(edits: readonly Edit[], before: string, after: string): Edit[] {
  if (!edits.some(({ kind }) => kind === "add")) return [...edits];
  const fresh = Map.groupBy(
    compareFacts(readOutline(before).facts, readOutline(after).facts).fresh,
    ({ text }) => text,
  );
  return edits.map((edit) => {
    if (edit.kind !== "add") return edit;
    const same = fresh.get(edit.text) ?? [];
    const fact = same.find((each) => each.name === nameOf(edit)) ?? same[0];
    if (fact === undefined) return edit;
    same.splice(same.indexOf(fact), 1);
    return { ...edit, path: [...fact.path], place: fact.place };
  });
}

/** Whether the facts of one text, with these edits done, are those of the other. */
function isReplayed(edits: readonly Edit[], before: string, after: string): boolean {
  const changes = new Map<string, number>();
  const count = (name: string, by: number) => changes.set(name, (changes.get(name) ?? 0) + by);
  for (const edit of edits) {
    if (edit.kind !== "add") count(nameOf(edit), -1);
    const words = wordsAfter(edit);
    if (words !== undefined) count(nameOf({ ...edit, text: words }), 1);
    if (edit.kind === "move" && edit.to.file === MEMORY_FILE) count(nameOf({ ...edit, path: edit.to.path }), 1);
  }
  const [old, next] = [readOutline(before).names, readOutline(after).names];
  const isRight = (name: string) => (next.get(name) ?? 0) === (old.get(name) ?? 0) + (changes.get(name) ?? 0);
  for (const names of [old, next, changes]) for (const name of names.keys()) if (!isRight(name)) return false;
  return true;
}
