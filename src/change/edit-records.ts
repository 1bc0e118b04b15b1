import { wordsAfter } from "../history/edit.ts";
import type { Edit } from "../history/edit.ts";
import type { FactCounts } from "../history/change.ts";
import { MEMORY_FILE } from "../layout.ts";
import { nameOf, readOutline } from "./read-outline.ts";

/** What edits did to the facts, in numbers. */
export function countEdits(edits: readonly Edit[], before: number): FactCounts {
  const count = (kind: Edit["kind"]) => edits.filter((edit) => edit.kind === kind).length;
  const [added, reworded, retired] = [count("add"), count("replace"), count("remove")];
  const movedOut = edits.filter((edit) => edit.kind === "move" && edit.to.file !== MEMORY_FILE).length;
  const unproven = edits.filter((edit) => edit.kind === "add" && edit.source?.proof === "none").length;
  const counts = { kept: Math.max(0, before - reworded - retired - movedOut), added, reworded, retired };
  return unproven > 0 ? { ...counts, unproven } : counts;
}

/** The edits, each that takes a fact out with how many of its equals stay. */
export function countEquals(edits: readonly Edit[], after: string): Edit[] {
  const names = readOutline(after).names;
  return edits.map((edit): Edit => {
    if (edit.kind === "add") return edit;
    const left = names.get(nameOf(edit)) ?? 0;
    return left === 0 ? edit : { ...edit, left };
  });
}

/** The words of facts that came and of those that went, by edits. */
export function wordsOf(edits: readonly Edit[]): { added: string[]; removed: string[] } {
  return {
    added: edits.flatMap((edit) => wordsAfter(edit) ?? []),
    removed: edits.flatMap((edit) =>
      edit.kind === "add" || (edit.kind === "move" && edit.to.file === MEMORY_FILE) ? [] : [edit.text],
    ),
  };
}
