import type { Change, MemoryNow } from "../../src/change/change.ts";
import { applyEdits } from "../../src/change/apply-edits.ts";
import { editsBetween } from "../../src/change/edits-between.ts";
import { planUndo } from "../../src/change/plan-undo.ts";
import { readOutline } from "../../src/change/read-outline.ts";
import { settleEdits } from "../../src/change/settle-edits.ts";
import type { Edit } from "../../src/history/edit.ts";
import type { Revision } from "../../src/history/state.ts";

/** One change that was made, with the texts that it found and left. */
export interface Step extends Revision {
  edits: readonly Edit[];
  before: string;
  after: string;
}

/** A memory without a disk: what commit does with planners, by the same pure functions. */
export function createSimulation(start: string) {
  let text = start;
  const steps: Step[] = [];
  const record = (author: Step["author"], cause: string, edits: readonly Edit[], after: string): Step => {
    const about = { scope: "", file: "MEMORY.md", run: null, at: "" };
    const step: Step = { id: steps.length + 1, ...about, author, cause, edits, before: text, after };
    steps.push(step);
    text = after;
    return step;
  };
  const now = (): MemoryNow => ({ scope: "", text, outline: readOutline(text), expectations: "" });
  const change = ({ author, cause, edits, text: whole }: Change): Step => {
    const edited = whole === undefined ? applyEdits(text, edits) : { text: whole, done: edits };
    return record(author, cause, settleEdits(edited.done, text, edited.text), edited.text);
  };
  return {
    steps,
    text: () => text,
    now,
    change,
    /** A person saves another text. */
    save: (after: string) =>
      record(
        "person",
        "edited outside Tidemark",
        editsBetween(text, after, "edited", () => null),
        after,
      ),
    undo(id: number, isPartial = false) {
      const target = steps[id - 1];
      if (target === undefined) throw new Error(`no step ${id}`);
      const { change: planned, result } = planUndo(now(), {
        target,
        before: target.before,
        after: target.after,
        later: steps.slice(id),
        steps: steps.slice(id).map(({ before, after, author }) => ({ before, after, isReturn: author === "undo" })),
        isPartial,
        by: "user",
        sourceOf: () => null,
      });
      if (planned) change(planned);
      return result;
    },
  };
}

/** The name of each fact of a text: its headings and its words. */
export function namesIn(text: string): string[] {
  return readOutline(text).facts.map(({ path, text: words }) => [...path, words].join(" › "));
}
