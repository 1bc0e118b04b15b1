import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { WaitingItem } from "../../server/inspector/change-shapes.ts";
import type { ViewProps } from "../app.tsx";
import { ask } from "../ask.ts";
import { act } from "../parts/act.ts";
import { useQuery } from "../use-query.ts";
import { countOf } from "../when.ts";
import { WaitingCard } from "./review/waiting-card.tsx";

/** What waits for a person, fact by fact; all of it can be done from the keyboard. */
export function ReviewView({ frame }: ViewProps) {
  const query = useQuery("review", (signal) => ask("review", { signal }));
  /** Decided here, and on the way to the server; what comes back from there counts. */
  const [decided, setDecided] = useState<ReadonlySet<string>>(new Set());
  const [editing, setEditing] = useState<string>();
  const list = useRef<HTMLUListElement>(null);
  /** The card that gets the focus once it is drawn: the one after that which was decided. */
  const next = useRef<number>(undefined);
  useLayoutEffect(() => {
    if (next.current === undefined) return;
    const cards = list.current?.querySelectorAll<HTMLElement>(".waiting");
    cards?.[Math.min(next.current, cards.length - 1)]?.focus();
    next.current = undefined;
  });
  if (query.error !== undefined && !query.data) return <p class="failed">{query.error}</p>;
  if (query.data === undefined) return <p class="note">Reading…</p>;
  const items = query.data.items.filter((item) => !decided.has(keyOf(item)));
  const focusAt = (index: number): void => {
    const cards = list.current?.querySelectorAll<HTMLElement>(".waiting");
    cards?.[Math.max(0, Math.min(index, cards.length - 1))]?.focus();
  };
  const settle = (item: WaitingItem, index: number, verdict: "accept" | "reject", words?: string): void => {
    const key = keyOf(item);
    setEditing(undefined);
    setDecided((before) => new Set([...before, key]));
    next.current = index;
    const showAgain = () => setDecided((before) => new Set([...before].filter((each) => each !== key)));
    // Once the list is here that no longer has it, it need not be hidden: an undo may bring it back.
    void decide(item, verdict, words).then(() => query.again(showAgain));
  };
  if (items.length === 0) {
    return (
      <p class="empty">
        Nothing is waiting. Changes that rest on outside sources, that no message supports, or that would remove too
        much come here before they become memory.
      </p>
    );
  }
  return (
    <>
      <p class="note">
        {countOf(items.length, "change")} waiting for you.
        {!frame.isReadOnly && (
          <>
            {" "}
            On a card: <kbd>A</kbd> accepts, <kbd>E</kbd> edits, <kbd>R</kbd> rejects, <kbd>↑</kbd> and <kbd>↓</kbd>{" "}
            move.
          </>
        )}
      </p>
      <ul class="stack" ref={list} aria-label="Changes waiting for you">
        {items.map((item, index) => (
          <li key={keyOf(item)}>
            <WaitingCard
              item={item}
              isReadOnly={frame.isReadOnly}
              isEditing={editing === keyOf(item)}
              onEdit={(isOn) => {
                setEditing(isOn ? keyOf(item) : undefined);
                if (!isOn) next.current = index;
              }}
              onAccept={(words) => settle(item, index, "accept", words)}
              onReject={() => settle(item, index, "reject")}
              onMove={(by) => focusAt(index + by)}
            />
          </li>
        ))}
      </ul>
    </>
  );
}

function decide(item: WaitingItem, verdict: "accept" | "reject", words?: string) {
  return act(
    () =>
      ask("decide", {
        params: { change: item.change },
        body: { verdict, item: item.id, ...(words === undefined ? {} : { words }) },
      }),
    (result) => {
      if (result.kind === "refused") return { text: `It still waits: ${result.reason}.` };
      if (result.kind === "gone") return { text: "It has already been decided elsewhere." };
      return { text: verdict === "accept" ? "Accepted." : "Rejected.", undo: result.undo };
    },
  );
}

function keyOf({ change, id }: WaitingItem): string {
  return `${change} ${id}`;
}
