import type { TextStep } from "../change/follow-fact.ts";
import { wordsAfter } from "../state/edit.ts";
import type { Edit } from "../state/edit.ts";
import type { Revision, State } from "../state/state.ts";

/** The texts that changes found and left, of those that name a fact in these words. */
export async function readSteps(
  state: State,
  revisions: readonly (Revision & { edits: readonly Edit[] })[],
  words: readonly string[],
): Promise<TextStep[]> {
  const wanted = new Set(words);
  const isAbout = (edit: Edit) => wanted.has(edit.text) || wanted.has(wordsAfter(edit) ?? "");
  const steps: TextStep[] = [];
  for (const { id, author, edits } of revisions) {
    if (!edits.some(isAbout)) continue;
    const { before = "", text: after = "" } = (await state.readRevision(id)) ?? {};
    steps.push({ before, after, isReturn: author === "undo" });
  }
  return steps;
}
