import type { Draft, MemoryNow } from "../../src/change/draft.ts";
import { applyEdits } from "../../src/change/apply-edits.ts";
import { editsBetween } from "../../src/change/edits-between.ts";
import { planUndo } from "../../src/change/plan-undo.ts";
import { readOutline } from "../../src/change/read-outline.ts";
import { settleEdits } from "../../src/change/settle-edits.ts";
import type { Edit } from "../../src/history/edit.ts";
import { NO_COUNTS, NO_USAGE } from "../../src/history/change.ts";
import type { Change } from "../../src/history/change.ts";

/** One change that was made, with the texts that it found and left. */
export interface Step extends Change {
  before: string;
  after: string;
}

/** A memory without a disk: what commit does with planners, by the same pure functions. */
export function createSimulation(start: string) {
  let text = start;
  const steps: Step[] = [];
  const record = (made: Pick<Draft, "author" | "by" | "cause" | "of">, edits: readonly Edit[], after: string): Step => {
    const { author, by, cause, of = null } = made;
    const about = { scope: "", at: "", startedAt: "", trigger: null, outcome: "consolidated", reason: null } as const;
    const nothing = {
      stretch: null,
      usage: NO_USAGE,
      counts: NO_COUNTS,
      text: null,
      entries: [],
      held: null,
      decision: null,
    };
    const id = String(steps.length + 1);
    const step: Step = { id, ...about, ...nothing, author, by, cause, of, edits: [...edits], before: text, after };
    steps.push(step);
    text = after;
    return step;
  };
  const now = (): MemoryNow => ({ scope: "", text, outline: readOutline(text), expectations: "" });
  const change = ({ edits, text: whole, ...made }: Draft): Step => {
    const edited = whole === undefined ? applyEdits(text, edits) : { text: whole, done: edits };
    return record(made, settleEdits(edited.done, text, edited.text), edited.text);
  };
  return {
    steps,
    text: () => text,
    now,
    change,
    /** A person saves another text. */
    save: (after: string) =>
      record(
        { author: "person", by: "user", cause: "edit" },
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
        steps: steps.slice(id).map(({ before, after, cause }) => ({ before, after, isReturn: cause === "undo" })),
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
