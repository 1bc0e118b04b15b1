import { checkBelief } from "../../belief/check-belief.ts";
import { containment, keyWords } from "../../language/similarity.ts";
import { wordsAfter } from "../../history/edit.ts";
import type { Edit } from "../../history/edit.ts";
import { hold, isDigest } from "../draft.ts";
import type { Draft } from "../draft.ts";

// So much of an old fact is in the new one that was to take its place.
const SAME_MATTER = 0.3;

/**
 * What the user did not assert (asked, quoted, pasted, hedged, denied) or has contradicted since is no fact, whoever
 * proposes it: it waits for a person, and so does the removal of what it was to replace.
 */
export function checkSaid(change: Draft): Draft {
  const { basis } = change;
  if (!isDigest(change) || basis?.heard === undefined) return change;
  const { heard, evidence } = basis;
  const reasons = new Map<Edit, string>();
  for (const edit of change.edits) {
    const words = wordsAfter(edit);
    const verdict = words === undefined ? undefined : checkBelief(words, evidence, heard);
    if (verdict?.kind === "held") reasons.set(edit, `the user did not say that “${words}”: ${verdict.reason}`);
  }
  if (reasons.size === 0) return change;
  const held = [...reasons.keys()].map((edit) => keyWords(wordsAfter(edit) ?? ""));
  const isMatter = (edit: Edit) =>
    edit.kind === "remove" && held.some((words) => containment(keyWords(edit.text), words, () => 1) >= SAME_MATTER);
  let checked = change;
  for (const [edit, reason] of reasons) checked = hold(checked, reason, (each) => each === edit);
  return hold(checked, "its replacement is waiting", isMatter);
}
