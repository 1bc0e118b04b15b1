import { useEffect, useMemo, useState } from "preact/hooks";
import type { ChangeLine } from "../../server/inspector/change-shapes.ts";
import type { ViewProps } from "../app.tsx";
import { ask } from "../ask.ts";
import { VirtualList } from "../parts/virtual-list.tsx";
import { useQuery } from "../use-query.ts";
import { countOf, dayKey, instantOf, longDay, number } from "../when.ts";
import { ChangeRow } from "./timeline/change-row.tsx";

const KINDS: readonly { label: string; kinds: readonly ChangeLine["kind"][] }[] = [
  { label: "Digests", kinds: ["digest", "raw", "tidy"] },
  { label: "By hand", kinds: ["edit", "remember"] },
  { label: "Notes", kinds: ["flush", "note"] },
  { label: "Reviews", kinds: ["held", "review"] },
  { label: "Undone", kinds: ["undo", "forget"] },
  { label: "Failed", kinds: ["refused"] },
];
const PAGE = 200;

type Item =
  | { kind: "day"; key: string; at: Date; changes: ChangeLine[] }
  | { kind: "change"; key: string; change: ChangeLine };

/** Everything that happened to memory, day by day. */
export function TimelineView({ frame, route }: ViewProps) {
  const [limit, setLimit] = useState(PAGE);
  const [shows, setShows] = useState<string>();
  const wanted = route.rest["id"];
  const [open, setOpen] = useState(wanted);
  useEffect(() => {
    if (wanted !== undefined) setOpen(wanted);
  }, [wanted]);
  const query = useQuery(`changes ${limit}`, (signal) => ask("changes", { query: { limit }, signal }));
  const [known, setKnown] = useState(query.data);
  useEffect(() => {
    if (query.data) setKnown(query.data);
  }, [query.data]);
  const items = useMemo(() => toItems(known?.changes ?? [], shows), [known, shows]);
  const place = items.findIndex((item) => item.kind === "change" && item.change.id === wanted);
  if (query.error !== undefined && !known) return <p class="failed">{query.error}</p>;
  if (known === undefined) return <p class="note">Reading…</p>;
  if (known.changes.length === 0) {
    return (
      <p class="empty">
        Nothing has happened yet. The timeline starts with the first digest, or the first fact added by hand.
      </p>
    );
  }
  return (
    <>
      <div class="chips" role="group" aria-label="Show only">
        <button type="button" aria-pressed={shows === undefined} onClick={() => setShows(undefined)}>
          Everything
        </button>
        {KINDS.map(({ label }) => (
          <button
            key={label}
            type="button"
            aria-pressed={shows === label}
            onClick={() => setShows(shows === label ? undefined : label)}
          >
            {label}
          </button>
        ))}
      </div>
      {items.length === 0 && <p class="empty">Nothing of this kind.</p>}
      <VirtualList
        items={items}
        keyOf={({ key }) => key}
        guess={(item) => (item.kind === "day" ? 70 : 74)}
        label="What happened, newest first"
        shown={place < 0 ? undefined : place}
        render={(item) =>
          item.kind === "day" ? (
            <DayHead at={item.at} changes={item.changes} />
          ) : (
            <ChangeRow
              change={item.change}
              isOpen={open === item.change.id}
              isReadOnly={frame.isReadOnly}
              onToggle={() => setOpen(open === item.change.id ? undefined : item.change.id)}
            />
          )
        }
      />
      {known.isMore && (
        <p>
          <button type="button" onClick={() => setLimit(Math.min(1000, limit + PAGE))} disabled={limit >= 1000}>
            Show earlier changes
          </button>
        </p>
      )}
    </>
  );
}

function DayHead({ at, changes }: { at: Date; changes: readonly ChangeLine[] }) {
  const sum = (pick: (change: ChangeLine) => number) => changes.reduce((total, change) => total + pick(change), 0);
  const tokens = sum(({ usage }) => (usage ? usage.inputTokens + usage.outputTokens : 0));
  const priced = changes.filter(({ cost, usage }) => cost !== null && usage !== null && usage.inputTokens > 0);
  const added = sum((change) => change.addedCount);
  const removed = sum((change) => change.removedCount);
  return (
    <div class="day">
      <h2>{longDay(at)}</h2>
      <p class="meta">
        <span>{countOf(changes.length, "entry").replace("entrys", "entries")}</span>
        {added > 0 && <span class="came">+{added}</span>}
        {removed > 0 && <span class="went">−{removed}</span>}
        {tokens > 0 && <span>{countOf(tokens, "token")}</span>}
        {priced.length > 0 && (
          <span>
            cost{" "}
            {number(
              sum(({ cost }) => cost ?? 0),
              4,
            )}
          </span>
        )}
      </p>
    </div>
  );
}

function toItems(changes: readonly ChangeLine[], shows: string | undefined): Item[] {
  const kinds = KINDS.find(({ label }) => label === shows)?.kinds;
  const wanted = changes.filter(({ kind }) => kinds === undefined || kinds.includes(kind));
  const days = Map.groupBy(wanted, ({ at }) => dayKey(instantOf(at) ?? new Date(0)));
  return [...days].flatMap(([key, inDay]): Item[] => [
    { kind: "day", key, at: instantOf(inDay[0]?.at) ?? new Date(0), changes: inDay },
    ...inDay.map((change): Item => ({ kind: "change", key: `${change.id} ${change.at}`, change })),
  ]);
}
