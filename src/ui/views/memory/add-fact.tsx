import { useRef } from "preact/hooks";
import { ask } from "../../ask.ts";
import { act } from "../../parts/act.ts";
import { formText } from "../../parts/form-text.ts";

/** Adds a fact by hand. */
export function AddFact({ memory }: { memory: string }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const add = async (form: HTMLFormElement): Promise<void> => {
    const { fact = "", heading = "" } = formText(form);
    const result = await act(
      () => ask("addFact", { body: { memory, fact, ...(heading === "" ? {} : { heading }) } }),
      (answer) => {
        if (answer.kind === "done") return { text: "Added.", undo: answer.undo };
        return { text: answer.kind === "known" ? "Memory already says so." : answer.reason };
      },
    );
    if (result?.kind !== "done") return;
    form.reset();
    dialog.current?.close();
  };
  return (
    <>
      <button type="button" class="primary" onClick={() => dialog.current?.showModal()}>
        Add a fact
      </button>
      <dialog ref={dialog} aria-labelledby="add-title">
        <form
          class="stack"
          onSubmit={(event) => {
            event.preventDefault();
            void add(event.currentTarget);
          }}
        >
          <h2 id="add-title">Add a fact</h2>
          <label class="field">
            The fact
            <textarea name="fact" rows={3} required dir="auto" />
          </label>
          <label class="field">
            Under which heading; “Facts” if left empty
            <input name="heading" dir="auto" />
          </label>
          <div class="bar">
            <button type="submit" class="primary">
              Add
            </button>
            <button type="button" onClick={() => dialog.current?.close()}>
              Cancel
            </button>
          </div>
        </form>
      </dialog>
    </>
  );
}
