import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { NamedFact } from "../../../server/inspector/fact-shapes.ts";
import { ask } from "../../ask.ts";
import { act } from "../../parts/act.ts";
import { Plain } from "../../words.tsx";

interface Props {
  memory: string;
  /** The fact as it was when the edit began. */
  which: NamedFact;
  words: string;
  /** Someone changed or retired it meanwhile. */
  isGone?: boolean;
  onWords: (words: string) => void;
  onDone: () => void;
}

/** A fact in other words. Nothing that was typed is lost when someone else was faster. */
export function EditFact({ memory, which, words, isGone = false, onWords, onDone }: Props) {
  const [now, setNow] = useState<NamedFact[]>();
  const box = useRef<HTMLTextAreaElement>(null);
  // Before the next key, which belongs in here.
  useLayoutEffect(() => {
    box.current?.focus();
    box.current?.setSelectionRange(words.length, words.length);
  }, []);
  const save = async (base: NamedFact): Promise<void> => {
    const result = await act(
      () => ask("editFact", { body: { memory, ...base, words } }),
      (answer) => {
        if (answer.kind === "done") return { text: "Reworded.", undo: answer.undo };
        return { text: answer.kind === "known" ? "Memory already says so." : answer.reason };
      },
    );
    if (result?.kind === "conflict") setNow(result.now);
    else if (result) onDone();
  };
  // Where it stood is where it belongs.
  const heading = which.under.at(-1);
  const add = async (): Promise<void> => {
    const result = await act(
      () => ask("addFact", { body: { memory, fact: words, ...(heading === undefined ? {} : { heading }) } }),
      (answer) => ({
        text: answer.kind === "done" ? "Added." : "Memory already says so.",
        undo: answer.kind === "done" ? answer.undo : null,
      }),
    );
    if (result && result.kind !== "conflict") onDone();
  };
  const isConflict = isGone || now !== undefined;
  return (
    <form
      class={isConflict ? "edit conflict" : "edit"}
      onSubmit={(event) => {
        event.preventDefault();
        void save(which);
      }}
      onKeyDown={(event) => {
        if (event.key === "Escape") onDone();
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !isConflict) void save(which);
      }}
    >
      {isConflict && (
        <div class="conflict-words" role="alert">
          <strong>This fact was changed elsewhere while you were editing it.</strong> Your words are still here; nothing
          was overwritten.
          <p>
            It said: <Plain text={which.fact} as="q" />
          </p>
          {now?.map((each) => (
            <p key={JSON.stringify(each)}>
              Now: <Plain text={each.fact} as="q" />{" "}
              <button type="button" onClick={() => void save(each)}>
                Replace it with mine
              </button>
            </p>
          ))}
        </div>
      )}
      <label>
        <span class="hidden">The fact in other words</span>
        <textarea ref={box} rows={2} dir="auto" value={words} onInput={(event) => onWords(event.currentTarget.value)} />
      </label>
      <div class="bar">
        {isConflict ? (
          <button type="button" class="primary" onClick={() => void add()}>
            Keep mine as well
          </button>
        ) : (
          <button type="submit" class="primary" disabled={words.trim() === ""}>
            Save
          </button>
        )}
        <button type="button" onClick={onDone}>
          {isConflict ? "Discard mine" : "Cancel"}
        </button>
        {!isConflict && <span class="note">Ctrl+Enter saves, Esc cancels.</span>}
      </div>
    </form>
  );
}
