import { ask, sentenceFor } from "../ask.ts";
import { tellChange } from "../live.ts";
import { say } from "./toasts.tsx";

/** Does something that changes memory, and says so; what can be taken back has a button for it. */
export async function act<T>(
  work: () => Promise<T>,
  told: (result: T) => { text: string; undo?: string | null },
): Promise<T | undefined> {
  try {
    const result = await work();
    const { text, undo } = told(result);
    tellChange();
    say({ text, action: undo ? { label: "Undo", run: () => void undoChange(undo) } : undefined });
    return result;
  } catch (error) {
    say({ text: sentenceFor(error), isError: true });
    return undefined;
  }
}

/** Takes back a change; where parts of it were changed since, says so and offers to take back the rest. */
export async function undoChange(id: string, partial = false): Promise<void> {
  try {
    const outcome = await ask("undo", { body: { id, partial } });
    tellChange();
    if (outcome.kind === "nothing") return say({ text: "There is nothing left to undo." });
    if (outcome.kind === "returned") return say({ text: `Back in the review: ${outcome.items.join("; ")}` });
    if (outcome.kind === "conflict") {
      const [first] = outcome.conflicts;
      const what = first?.became ? `“${first.fact}” now says “${first.became}”` : `“${first?.fact}” has changed since`;
      return say({
        text: `Not undone: ${what}.`,
        action: { label: "Undo the rest", run: () => void undoChange(id, true) },
        isError: true,
      });
    }
    const { undo, removed, restored } = outcome;
    const counts = [removed.length > 0 && `${removed.length} out`, restored.length > 0 && `${restored.length} back`];
    const redo = undo ? { label: "Redo", run: () => void undoChange(undo) } : undefined;
    return say({ text: `Undone: ${counts.filter(Boolean).join(", ")}.`, action: redo });
  } catch (error) {
    return say({ text: sentenceFor(error), isError: true });
  }
}
