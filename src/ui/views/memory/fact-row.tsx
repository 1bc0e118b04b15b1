import { useId } from "preact/hooks";
import type { FactLine } from "../../../server/inspector/fact-shapes.ts";
import { ask } from "../../ask.ts";
import { act } from "../../parts/act.ts";
import { instantOf, shortDay } from "../../when.ts";
import { Plain, Words } from "../../words.tsx";
import { EditFact } from "./edit-fact.tsx";
import { FactDetails } from "./fact-details.tsx";

interface Props {
  memory: string;
  line: FactLine;
  isOpen: boolean;
  isReadOnly: boolean;
  /** What is being typed in its place. */
  draft: string | undefined;
  onToggle: () => void;
  onDraft: (words: string | undefined) => void;
}

/** A fact, who brought it and how well it is borne out; opened, its whole story. */
export function FactRow({ memory, line, isOpen, isReadOnly, draft, onToggle, onDraft }: Props) {
  const id = useId();
  const which = { fact: line.fact, under: [...line.under], place: line.place };
  const retire = (): void => {
    void act(
      () => ask("retireFact", { body: { memory, ...which } }),
      (result) =>
        result.kind === "done"
          ? { text: "Retired. What was said stays.", undo: result.undo }
          : { text: result.kind === "conflict" ? result.reason : "It is already gone." },
    );
  };
  if (draft !== undefined) {
    return <EditFact memory={memory} which={which} words={draft} onWords={onDraft} onDone={() => onDraft(undefined)} />;
  }
  return (
    <article class={isOpen ? "fact open" : "fact"}>
      <button type="button" class="fact-head" aria-expanded={isOpen} aria-controls={id} onClick={onToggle}>
        <Words text={line.fact} />
        <span class="meta">
          <Origin line={line} />
        </span>
      </button>
      {isOpen && (
        <div class="fact-body stack" id={id}>
          <FactDetails memory={memory} line={line} />
          {!isReadOnly && (
            <div class="bar">
              <button type="button" onClick={() => onDraft(line.fact)}>
                Edit
              </button>
              <button type="button" class="danger" onClick={retire}>
                Retire
              </button>
            </div>
          )}
        </div>
      )}
    </article>
  );
}

function Origin({ line }: { line: FactLine }) {
  const at = instantOf(line.at);
  return (
    <>
      <span>{whoOf(line)}</span>
      {line.session && (
        <span>
          <Plain text={line.session} />
        </span>
      )}
      {at && <time dateTime={at.toISOString()}>{shortDay(at)}</time>}
      {line.isUntrusted && <span class="tag warn">from outside</span>}
      {line.proof === "none" && (line.author === "model" || line.author === "rules") && (
        <span class="tag warn">unproven</span>
      )}
      {line.proof === "match" && <span class="tag plain">likely source</span>}
    </>
  );
}

/** Who brought a fact, in a word or two. */
function whoOf({ author, name, cause }: FactLine): string {
  if (cause === "undo" || cause === "restore") return `brought back by ${cause === "undo" ? "an undo" : "a restore"}`;
  if (author === "person")
    return cause === "edit" ? "edited in the file" : cause === "review" ? "accepted by you" : "by you";
  if (author === "agent") return `by ${name ?? "the agent"}`;
  return author === "unknown" ? "of unknown origin" : "from a conversation";
}
