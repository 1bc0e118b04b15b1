import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { WaitingItem } from "../../server/inspector/shapes.ts";
import type { ViewProps } from "../app.tsx";
import { ask, sentenceFor } from "../ask.ts";
import { act } from "../parts/act.ts";
import { say, SHOWN_MS } from "../parts/toasts.tsx";
import { useQuery } from "../use-query.ts";
import { countOf } from "../when.ts";
import { WaitingCard } from "./review/waiting-card.tsx";

/** What waits for a person, fact by fact; all of it can be done from the keyboard. */
export function ReviewView({ frame }: ViewProps) {
  const query = useQuery("review", (signal) => ask("review", { signal }));
  const [decided, setDecided] = useState<ReadonlySet<string>>(new Set());
  const [editing, setEditing] = useState<string>();
  const list = useRef<HTMLUListElement>(null);
  const pending = useRef(new Map<string, () => void>());
  /** The card that gets the focus once it is drawn: the one after that which was decided. */
  const next = useRef<number>(undefined);
  useEffect(() => {
    const all = pending.current;
    const finish = (): void => {
      for (const carryOut of all.values()) carryOut();
      all.clear();
    };
    addEventListener("pagehide", finish);
    return () => {
      removeEventListener("pagehide", finish);
      finish();
    };
  }, []);
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
  const hide = (item: WaitingItem, index: number): void => {
    setEditing(undefined);
    setDecided((before) => new Set([...before, keyOf(item)]));
    next.current = index;
  };
  const showAgain = (key: string): void => setDecided((before) => new Set([...before].filter((each) => each !== key)));
  const accept = (item: WaitingItem, index: number, words?: string): void => {
    hide(item, index);
    void decide(item, "accept", words).then((result) => result === undefined && showAgain(keyOf(item)));
  };
  const reject = (item: WaitingItem, index: number): void => {
    const key = keyOf(item);
    hide(item, index);
    const carryOut = (): void => {
      clearTimeout(timer);
      pending.current.delete(key);
      ask("decide", { params: { run: item.run }, body: bodyOf(item), keepalive: true })
        .then(() => query.again())
        .catch((error: unknown) => {
          showAgain(key);
          say({ text: sentenceFor(error), isError: true });
        });
    };
    // A rejection cannot be taken back once it is carried out: it waits for a second thought as long as one is offered.
    const timer = setTimeout(carryOut, SHOWN_MS);
    pending.current.set(key, carryOut);
    say({
      text: "Rejected.",
      action: {
        label: "Undo",
        run: () => {
          if (!pending.current.delete(key)) return;
          clearTimeout(timer);
          showAgain(key);
        },
      },
    });
  };
  if (items.length === 0) {
    return (
      <p class="empty">
        Nothing waits. What stands on outside sources, what no message bears out, and what would take out too much comes
        here before it becomes memory.
      </p>
    );
  }
  return (
    <>
      <p class="note">
        {countOf(items.length, "change")} {items.length === 1 ? "waits" : "wait"} for you.
        {!frame.isReadOnly && (
          <>
            {" "}
            On a card: <kbd>A</kbd> accepts, <kbd>E</kbd> edits, <kbd>R</kbd> rejects, <kbd>↑</kbd> and <kbd>↓</kbd>{" "}
            move.
          </>
        )}
      </p>
      <ul class="stack" ref={list} aria-label="Changes that wait">
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
              onAccept={(words) => accept(item, index, words)}
              onReject={() => reject(item, index)}
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
        params: { run: item.run },
        body: { verdict, item: item.number, fact: item.fact, ...(words === undefined ? {} : { words }) },
      }),
    (result) => {
      if (result.kind === "gone") return { text: "It was decided elsewhere already." };
      return { text: verdict === "accept" ? "Accepted." : "Rejected.", undo: result.undo };
    },
  );
}

function bodyOf({ number, fact }: WaitingItem) {
  return { verdict: "reject" as const, item: number, fact };
}

function keyOf({ run, kind, fact, before }: WaitingItem): string {
  return `${run} ${kind} ${fact} ${before ?? ""}`;
}
