import { useEffect, useMemo, useState } from "preact/hooks";
import type { TalkLine, Transcript } from "../../../server/inspector/talk-shapes.ts";
import { ask } from "../../ask.ts";
import { VirtualList } from "../../parts/virtual-list.tsx";
import { hrefTo } from "../../route.ts";
import { useQuery } from "../../use-query.ts";
import { countOf, dayKey, instantOf, longDay } from "../../when.ts";
import { Plain } from "../../words.tsx";
import { MessageRow } from "./message-row.tsx";

const PAGE = 200;

type Item =
  | { kind: "day"; key: string; at: Date }
  | { kind: "mark"; key: string; waiting: number }
  | { kind: "message"; key: string; line: TalkLine; result: TalkLine[]; isDigested: boolean };

interface Props {
  session: string;
  archive: string | undefined;
  message: string | undefined;
}

/** A session as it was said, with the tide mark where it stands. */
export function TranscriptPage({ session, archive, message }: Props) {
  const [range, setRange] = useState<{ from: number; limit: number }>();
  useEffect(() => setRange(undefined), [message]);
  const query = useQuery(
    `transcript ${session} ${archive} ${message} ${range?.from} ${range?.limit}`,
    (signal) =>
      ask("transcript", { query: { session, archive, ...(range ?? { around: message, limit: PAGE }) }, signal }),
    ["talk", "records"],
  );
  const [known, setKnown] = useState<Transcript>();
  useEffect(() => {
    if (query.data) setKnown(query.data);
  }, [query.data]);
  const items = useMemo(() => (known === undefined ? [] : toItems(known)), [known]);
  if (query.error !== undefined && !known) return <p class="failed">{query.error}</p>;
  if (known === undefined) return <p class="note">Reading…</p>;
  const end = known.from + known.messages.length;
  const place = message === undefined ? -1 : items.findIndex((item) => item.kind === "message" && isOf(item, message));
  const show = (from: number, to: number): void =>
    setRange({ from: Math.max(0, from), limit: Math.min(500, to - from) });
  return (
    <section class="transcript" aria-label="Transcript">
      <a class="back" href={hrefTo("talk")}>
        ← All sessions
      </a>
      <header class="transcript-head">
        <h2>
          <Plain text={known.title || session} />
        </h2>
        <p class="meta">
          <Plain text={session} />
          <span>{countOf(known.length, "message")}</span>
          <span>{known.cursor === known.length ? "all digested" : `${known.cursor} digested`}</span>
          {known.archive && <span class="tag plain">ended</span>}
        </p>
      </header>
      {known.length === 0 && <p class="empty">Nothing has been said here since the session started over.</p>}
      {known.from > 0 && (
        <button type="button" onClick={() => show(known.from - PAGE, Math.min(end, known.from + 300))}>
          Earlier messages ({known.from})
        </button>
      )}
      <VirtualList
        items={items}
        keyOf={({ key }) => key}
        guess={(item) => (item.kind === "message" ? 70 + Math.ceil(item.line.text.length / 80) * 24 : 60)}
        label="Messages"
        shown={place < 0 ? undefined : place}
        render={(item) => <Shown item={item} wanted={message} />}
      />
      {end < known.length && (
        <button type="button" onClick={() => show(Math.max(known.from, end - 300), end + PAGE)}>
          Later messages ({known.length - end})
        </button>
      )}
    </section>
  );
}

function Shown({ item, wanted }: { item: Item; wanted: string | undefined }) {
  if (item.kind === "day") return <p class="talk-day">{longDay(item.at)}</p>;
  if (item.kind === "mark") {
    return (
      <div class="tide-mark" role="separator" aria-label="Tide mark">
        <svg viewBox="0 0 600 16" preserveAspectRatio="none" aria-hidden="true">
          <path d={WAVE} />
        </svg>
        <p>
          The tide mark: everything above is digested
          {item.waiting > 0 &&
            `; ${countOf(item.waiting, "message")} below ${item.waiting === 1 ? "is" : "are"} not yet`}
        </p>
      </div>
    );
  }
  return (
    <MessageRow
      line={item.line}
      results={item.result}
      isDigested={item.isDigested}
      isWanted={item.line.id === wanted}
    />
  );
}

const WAVE = `M0 8 ${Array.from({ length: 30 }, (_, index) => `q10 ${index % 2 === 0 ? -9 : 9} 20 0`).join(" ")}`;

/** Messages by day; a tool's answer goes with the call that asked for it. */
function toItems({ messages, from, cursor, length }: Transcript): Item[] {
  const items: Item[] = [];
  const results = new Map<string, TalkLine[]>();
  const asked = new Set(messages.flatMap(({ calls }) => calls.map(({ id }) => id)));
  for (const line of messages) {
    if (line.answers !== null && asked.has(line.answers))
      results.set(line.answers, [...(results.get(line.answers) ?? []), line]);
  }
  let day = "";
  let isMarked = cursor < from;
  messages.forEach((line, index) => {
    if (!isMarked && from + index >= cursor && cursor > 0) {
      items.push({ kind: "mark", key: "mark", waiting: length - cursor });
      isMarked = true;
    }
    if (line.answers !== null && asked.has(line.answers)) return;
    const at = instantOf(line.at);
    if (at && dayKey(at) !== day) items.push({ kind: "day", key: `day ${dayKey(at)} ${index}`, at });
    if (at) day = dayKey(at);
    const result = line.calls.flatMap(({ id }) => results.get(id) ?? []);
    items.push({ kind: "message", key: line.id, line, result, isDigested: from + index < cursor });
  });
  const isAllDigested = cursor === length && from + messages.length === length && length > 0;
  if (!isMarked && isAllDigested) items.push({ kind: "mark", key: "mark", waiting: 0 });
  return items;
}

function isOf(item: Extract<Item, { kind: "message" }>, message: string): boolean {
  return item.line.id === message || item.result.some(({ id }) => id === message);
}
