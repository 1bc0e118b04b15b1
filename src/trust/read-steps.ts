import type { TextStep } from "../change/follow-fact.ts";
import type { Change } from "../history/change.ts";
import { wordsAfter } from "../history/edit.ts";
import type { Edit } from "../history/edit.ts";
import type { History } from "../history/history.ts";

/** The texts that changes found and left, of those that name a fact in these words. */
export async function readSteps(
  history: History,
  changes: readonly Change[],
  words: readonly string[],
): Promise<TextStep[]> {
  const wanted = new Set(words);
  const isAbout = (edit: Edit) => wanted.has(edit.text) || wanted.has(wordsAfter(edit) ?? "");
  const steps: TextStep[] = [];
  for (const { id, cause, edits } of changes) {
    if (!edits.some(isAbout)) continue;
    const { before = "", text: after = "" } = (await history.textsOf(id)) ?? {};
    steps.push({ before, after, isReturn: cause === "undo" });
  }
  return steps;
}
