import { useMemo, useState } from "preact/hooks";
import type { FactPage } from "../../../server/inspector/fact-shapes.ts";
import { ask } from "../../ask.ts";
import { VirtualList } from "../../parts/virtual-list.tsx";
import { useQuery } from "../../use-query.ts";
import { countOf } from "../../when.ts";
import { Plain } from "../../words.tsx";
import { EditFact } from "./edit-fact.tsx";
import { FactRow } from "./fact-row.tsx";
import { factKey, lineAt, toItems } from "./fact-items.ts";
import type { FactItem } from "./fact-items.ts";

interface Props {
  memory: string;
  filter: string;
  isReadOnly: boolean;
  /** A fact that a link leads to. */
  wanted: string | undefined;
}

const NONE: FactPage = { headings: [], bringers: [], facts: [] };

/** The facts as they stand, under their headings. */
export function FactList({ memory, filter, isReadOnly, wanted }: Props) {
  const query = useQuery(`facts ${memory}`, (signal) => ask("facts", { query: { memory }, signal }));
  const [open, setOpen] = useState<string | undefined>(undefined);
  const [draft, setDraft] = useState<{ key: string; fact: string; under: readonly string[]; words: string }>();
  const page = query.data ?? NONE;
  const { items, count } = useMemo(() => toItems(page, filter), [page, filter]);
  const shown = useMemo(() => {
    if (wanted === undefined) return undefined;
    const place = items.findIndex((item) => item.kind === "fact" && page.facts[item.index]?.fact === wanted);
    const item = items[place];
    if (item) setOpen(keyOf(page, item));
    return place < 0 ? undefined : place;
  }, [wanted, query.data !== undefined]);
  // Someone else changed the fact while it was being edited here: the words that were typed stay.
  const isOrphan = useMemo(
    () => draft !== undefined && !page.facts.some((_, index) => factKey(page, index) === draft.key),
    [page, draft?.key],
  );
  if (query.error !== undefined && query.data === undefined) return <p class="failed">{query.error}</p>;
  if (query.data === undefined) return <p class="note">Reading…</p>;
  return (
    <>
      {isOrphan && draft && (
        <EditFact
          memory={memory}
          which={{ fact: draft.fact, under: [...draft.under], place: 0 }}
          words={draft.words}
          isGone
          onWords={(words) => setDraft({ ...draft, words })}
          onDone={() => setDraft(undefined)}
        />
      )}
      {page.facts.length === 0 && (
        <p class="empty">
          No facts yet. Talk to your agent, or add a fact by hand; it will be in every prompt from then on.
        </p>
      )}
      {page.facts.length > 0 && count === 0 && <p class="empty">No fact contains these words.</p>}
      <p class="hidden" role="status">
        {countOf(count, "fact")}
      </p>
      <VirtualList
        items={items}
        label="Facts"
        keyOf={(item) => keyOf(page, item)}
        guess={(item) =>
          item.kind === "heading" ? 64 : 62 + Math.floor((page.facts[item.index]?.fact.length ?? 0) / 90) * 26
        }
        shown={shown}
        render={(item) => {
          if (item.kind === "heading") return <Heading path={page.headings[item.under] ?? []} />;
          const line = lineAt(page, item.index);
          const key = keyOf(page, item);
          return (
            <FactRow
              memory={memory}
              line={line}
              isOpen={open === key}
              isReadOnly={isReadOnly}
              draft={draft?.key === key ? draft.words : undefined}
              onToggle={() => setOpen(open === key ? undefined : key)}
              onDraft={(words) =>
                setDraft(words === undefined ? undefined : { key, fact: line.fact, under: line.under, words })
              }
            />
          );
        }}
      />
    </>
  );
}

function keyOf(page: FactPage, item: FactItem): string {
  return item.kind === "fact"
    ? factKey(page, item.index)
    : `# ${page.headings[item.under]?.join("\n")} ${item.first === 0 ? "" : factKey(page, item.first)}`;
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
