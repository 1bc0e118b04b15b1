import { useMemo, useState } from "preact/hooks";
import type { FactLine, FactPage } from "../../../server/inspector/shapes.ts";
import { ask } from "../../ask.ts";
import { VirtualList } from "../../parts/virtual-list.tsx";
import { useQuery } from "../../use-query.ts";
import { countOf } from "../../when.ts";
import { Plain } from "../../words.tsx";
import { EditFact } from "./edit-fact.tsx";
import { FactRow } from "./fact-row.tsx";

type Item = { kind: "heading"; key: string; path: readonly string[] } | { kind: "fact"; key: string; fact: FactLine };
interface Props {
  memory: string;
  filter: string;
  isReadOnly: boolean;
  /** A fact that a link leads to. */
  wanted: string | undefined;
}

/** The facts as they stand, under their headings. */
export function FactList({ memory, filter, isReadOnly, wanted }: Props) {
  const query = useQuery(`facts ${memory}`, (signal) => ask("facts", { query: { memory }, signal }));
  const [open, setOpen] = useState<string | undefined>(undefined);
  const [draft, setDraft] = useState<{ fact: string; words: string }>();
  const page = query.data;
  const facts = useMemo(() => page && toLines(page), [page]);
  const items = useMemo(() => toItems(facts ?? [], filter), [facts, filter]);
  const shown = useMemo(() => {
    const place =
      wanted === undefined ? -1 : items.findIndex((item) => item.kind === "fact" && item.fact.fact === wanted);
    const item = items[place];
    if (item) setOpen(item.key);
    return place < 0 ? undefined : place;
  }, [wanted, facts !== undefined]);
  if (query.error !== undefined && facts === undefined) return <p class="failed">{query.error}</p>;
  if (facts === undefined) return <p class="note">Reading…</p>;
  // Someone else changed the fact while it was being edited here: the words that were typed stay.
  const isOrphan = draft !== undefined && !facts.some(({ fact }) => fact === draft.fact);
  return (
    <>
      {isOrphan && (
        <EditFact
          memory={memory}
          fact={draft.fact}
          words={draft.words}
          isGone
          onWords={(words) => setDraft({ ...draft, words })}
          onDone={() => setDraft(undefined)}
        />
      )}
      {facts.length === 0 && (
        <p class="empty">
          Nothing is believed yet. Talk to your agent, or add a fact by hand: it is in every prompt from then on.
        </p>
      )}
      {facts.length > 0 && items.length === 0 && <p class="empty">No fact has these words.</p>}
      <p class="hidden" role="status">
        {countOf(items.filter(({ kind }) => kind === "fact").length, "fact")}
      </p>
      <VirtualList
        items={items}
        label="Facts"
        keyOf={({ key }) => key}
        guess={(item) => (item.kind === "heading" ? 64 : 62 + Math.floor(item.fact.fact.length / 90) * 26)}
        shown={shown}
        render={(item) =>
          item.kind === "heading" ? (
            <Heading path={item.path} />
          ) : (
            <FactRow
              memory={memory}
              line={item.fact}
              isOpen={open === item.key}
              isReadOnly={isReadOnly}
              draft={draft?.fact === item.fact.fact ? draft.words : undefined}
              onToggle={() => setOpen(open === item.key ? undefined : item.key)}
              onDraft={(words) => setDraft(words === undefined ? undefined : { fact: item.fact.fact, words })}
            />
          )
        }
      />
    </>
  );
}

function Heading({ path }: { path: readonly string[] }) {
  const title = path.at(-1) ?? "";
  return (
    <h2 class="heading">
      {path.length > 2 && (
        <span class="above">
          <Plain text={path.slice(1, -1).join(" › ")} />
        </span>
      )}
      <Plain text={title} />
    </h2>
  );
}

const NO_SOURCE = { session: null, message: null, quote: null, proof: "none", isUntrusted: false } as const;

function toLines({ facts, headings, bringers }: FactPage): FactLine[] {
  return facts.flatMap(({ fact, line, under, by, source }) => {
    const bringer = bringers[by];
    return bringer ? [{ fact, line, under: headings[under] ?? [], ...bringer, ...(source ?? NO_SOURCE) }] : [];
  });
}

function toItems(facts: readonly FactLine[], filter: string): Item[] {
  const wanted = filter.trim().toLowerCase().split(/\s+/).filter(Boolean);
  const seen = new Map<string, number>();
  const items: Item[] = [];
  let above = "";
  for (const fact of facts) {
    const text = `${fact.fact} ${fact.under.join(" ")}`.toLowerCase();
    if (!wanted.every((word) => text.includes(word))) continue;
    const path = fact.under.join("\n");
    if (path !== above && fact.under.length > 0)
      items.push({ kind: "heading", key: `# ${path} ${items.length}`, path: fact.under });
    above = path;
    // The same words under the same heading are two facts, and have two places.
    const name = `${path}\n${fact.fact}`;
    const times = seen.get(name) ?? 0;
    seen.set(name, times + 1);
    items.push({ kind: "fact", key: `${name}\n${times}`, fact });
  }
  return items;
}
