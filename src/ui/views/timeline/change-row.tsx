import { useId } from "preact/hooks";
import type { ChangeLine } from "../../../server/inspector/change-shapes.ts";
import { clock, instantOf } from "../../when.ts";
import { Plain } from "../../words.tsx";
import { ChangeDetails } from "./change-details.tsx";

const TITLES: Readonly<Record<ChangeLine["kind"], string>> = {
  digest: "Digest",
  held: "Digest waiting for you",
  refused: "Failed digest",
  raw: "Archived as it was said",
  edit: "Edit",
  remember: "Fact added by hand",
  undo: "Undo",
  restore: "Restored an earlier state",
  import: "Import waiting for you",
  review: "Review",
  flush: "Flush to the day’s note",
  note: "Note of an ended session",
  tidy: "Tidied",
  forget: "Forgotten",
};

interface Props {
  change: ChangeLine;
  isOpen: boolean;
  isReadOnly: boolean;
  onToggle: () => void;
}

/** One thing that happened; opened, all of it. */
export function ChangeRow({ change, isOpen, isReadOnly, onToggle }: Props) {
  const id = useId();
  const at = instantOf(change.at);
  return (
    <article class={`change ${change.kind}${isOpen ? " open" : ""}`}>
      <button type="button" class="change-head" aria-expanded={isOpen} aria-controls={id} onClick={onToggle}>
        <span class="dot" aria-hidden="true" />
        {at && <time dateTime={at.toISOString()}>{clock(at)}</time>}
        <span class="change-title">
          <strong>{titleOf(change)}</strong>
          {change.session && (
            <span class="small">
              {" "}
              <Plain text={change.session} />
            </span>
          )}
          <Summary change={change} />
        </span>
        <span class="change-counts">
          {change.addedCount > 0 && <span class="came">+{change.addedCount}</span>}
          {change.removedCount > 0 && <span class="went">−{change.removedCount}</span>}
        </span>
      </button>
      {isOpen && (
        <div class="change-body stack" id={id}>
          <ChangeDetails change={change} isReadOnly={isReadOnly} />
        </div>
      )}
    </article>
  );
}

function titleOf({ kind, author, cause }: ChangeLine): string {
  const isPerson = author === "person";
  if (kind === "edit" && isPerson) return "Edit in the file";
  if (cause === "retire") return isPerson ? "Fact retired by you" : "Fact retired";
  if (kind === "remember" && !isPerson) return "Fact saved by the agent";
  if (kind === "review" && isPerson) return "Review, by you";
  return TITLES[kind];
}

function Summary({ change }: { change: ChangeLine }) {
  const [first] = change.added;
  const [gone] = change.removed;
  const more = change.addedCount + change.removedCount - 1;
  const words = first ?? gone;
  if (words === undefined) {
    const told = change.reason ?? (change.files.length > 0 ? change.files.join(", ") : undefined);
    return told === undefined ? null : (
      <span class="change-words">
        <Plain text={told} />
      </span>
    );
  }
  return (
    <span class="change-words">
      {first === undefined ? (
        <del>
          <Plain text={words} />
        </del>
      ) : (
        <Plain text={words} />
      )}
      {more > 0 && <span class="small"> and {more} more</span>}
    </span>
  );
}
