import { diffWordsWithSpace } from "diff";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { WaitingItem } from "../../../server/inspector/change-shapes.ts";
import { Quoted } from "../../parts/quoted.tsx";
import { hrefTo } from "../../route.ts";
import { showPlain } from "../../../visible-text.ts";
import { instantOf, whole } from "../../when.ts";
import { Plain, Words } from "../../words.tsx";

interface Props {
  item: WaitingItem;
  isReadOnly: boolean;
  isEditing: boolean;
  onEdit: (isOn: boolean) => void;
  onAccept: (words?: string) => void;
  onReject: () => void;
  onMove: (by: number) => void;
}

const WANTS = {
  add: "would be added",
  reword: "would be reworded",
  retire: "would be removed",
  move: "would be moved",
} as const;

/** One change that waits, why, and what stands behind it. */
export function WaitingCard({ item, isReadOnly, isEditing, onEdit, onAccept, onReject, onMove }: Props) {
  const at = instantOf(item.at);
  const isWorded = item.kind === "add" || item.kind === "reword";
  const onKey = (event: KeyboardEvent): void => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
    const key = event.key.toLowerCase();
    if (key === "arrowdown" || key === "j") onMove(1);
    else if (key === "arrowup" || key === "k") onMove(-1);
    else if (isReadOnly) return;
    else if (key === "a") onAccept();
    else if (key === "r") onReject();
    else if (key === "e" && isWorded) onEdit(true);
    else return;
    event.preventDefault();
  };
  return (
    <article class="card waiting stack" tabIndex={0} onKeyDown={onKey} aria-label={`${item.fact}: ${WANTS[item.kind]}`}>
      <div>
        <p class={`wants ${item.kind}`}>{WANTS[item.kind]}</p>
        {isEditing ? (
          <EditWords item={item} onAccept={onAccept} onCancel={() => onEdit(false)} />
        ) : (
          <p class="waiting-words" dir="auto">
            {item.kind === "reword" && item.before !== null ? (
              <Reworded before={item.before} after={item.fact} />
            ) : (
              <Words text={item.fact} />
            )}
          </p>
        )}
      </div>
      {(item.heading !== "" || item.to !== null) && (
        <p class="small">
          {item.to === null ? "under " : "from "}
          <Plain text={item.heading} />
          {item.to !== null && (
            <>
              {" to "}
              <Plain text={item.to} />
            </>
          )}
        </p>
      )}
      <p class="small">
        <Plain text={item.reason} />
      </p>
      {item.said && item.source ? (
        <Quoted
          said={item.said}
          quote={item.source.quote}
          session={item.source.session}
          message={item.source.message}
        />
      ) : (
        <p class="note">No message supports it.</p>
      )}
      <p class="meta">
        {item.source?.isUntrusted && <span class="tag warn">from outside</span>}
        {item.source?.proof === "match" && <span class="tag plain">likely source</span>}
        <a href={hrefTo("timeline", { id: item.change })}>the digest of {at ? whole(at) : "then"}</a>
        {item.name !== "user" && (
          <span>
            by <Plain text={item.name} />
          </span>
        )}
      </p>
      {!isReadOnly && !isEditing && (
        <div class="bar">
          <button type="button" class="primary" onClick={() => onAccept()}>
            Accept
          </button>
          {isWorded && (
            <button type="button" onClick={() => onEdit(true)}>
              Edit
            </button>
          )}
          <button type="button" class="danger" onClick={onReject}>
            Reject
          </button>
        </div>
      )}
    </article>
  );
}

function Reworded({ before, after }: { before: string; after: string }) {
  return (
    <>
      {diffWordsWithSpace(showPlain(before), showPlain(after)).map(({ value, added, removed }, index) => {
        if (added) return <ins key={index}>{value}</ins>;
        return removed ? <del key={index}>{value}</del> : <span key={index}>{value}</span>;
      })}
    </>
  );
}

function EditWords({
  item,
  onAccept,
  onCancel,
}: {
  item: WaitingItem;
  onAccept: (words: string) => void;
  onCancel: () => void;
}) {
  const [words, setWords] = useState(item.fact);
  const box = useRef<HTMLTextAreaElement>(null);
  // Before the next key, which belongs in here.
  useLayoutEffect(() => {
    box.current?.focus();
    box.current?.setSelectionRange(words.length, words.length);
  }, []);
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        onAccept(words);
      }}
      onKeyDown={(event) => {
        if (event.key === "Escape") onCancel();
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) onAccept(words);
      }}
    >
      <label>
        <span class="hidden">The fact as it should be said</span>
        <textarea
          ref={box}
          rows={2}
          dir="auto"
          value={words}
          onInput={(event) => setWords(event.currentTarget.value)}
        />
      </label>
      <div class="bar">
        <button type="submit" class="primary" disabled={words.trim() === ""}>
          Accept in these words
        </button>
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  );
}
