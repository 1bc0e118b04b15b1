import { wordsAfter } from "../state/edit.ts";
import type { Edit } from "../state/edit.ts";
import type { FactCounts, RetiredFact, SourcedFact } from "../state/state.ts";
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

/** The facts that edits bring, with where they come from. */
export function factsOf(edits: readonly Edit[]): SourcedFact[] {
  return edits.flatMap((edit): SourcedFact[] => {
    const text = wordsAfter(edit);
    if (text === undefined || (edit.kind !== "add" && edit.kind !== "replace")) return [];
    const source = edit.source ?? { session: null, message: null, quote: null, proof: "none" as const };
    return [{ text, path: edit.path, ...source }];
  });
}

/** The facts that edits take out, why, and how many of their equals stay. */
export function retiredBy(edits: readonly Edit[], after: string): RetiredFact[] {
  const left = readOutline(after).names;
  return edits.flatMap((edit): RetiredFact[] => {
    const isOut = edit.kind === "move" ? edit.to.file !== MEMORY_FILE : edit.kind !== "add";
    if (!isOut || edit.kind === "add") return [];
    const { text, path, reason } = edit;
    const replacedBy = (edit.kind === "remove" ? edit.heir : wordsAfter(edit)) ?? null;
    return [{ text, path, reason, replacedBy, left: left.get(nameOf(edit)) ?? 0 }];
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
