import { ask } from "../../ask.ts";
import { VirtualList } from "../../parts/virtual-list.tsx";
import { useQuery } from "../../use-query.ts";
import { Page } from "../../words.tsx";

/** A diary or a dated note, entry by entry, newest first where it is the diary. */
export function NotePage({ memory, file }: { memory: string; file: string }) {
  const query = useQuery(`file ${memory} ${file}`, (signal) => ask("file", { query: { memory, file }, signal }));
  if (query.error !== undefined && !query.data) {
    const isDiary = file === "HISTORY.md";
    return (
      <p class="empty">{isDiary ? "The diary is empty: its first entry comes with the first digest." : query.error}</p>
    );
  }
  if (query.data === undefined) return <p class="note">Reading…</p>;
  const { text } = query.data;
  if (file !== "HISTORY.md") {
    return (
      <article class="card">
        <Page text={text} />
      </article>
    );
  }
  const entries = text
    .split(/\n\s*\n/)
    .filter((entry) => entry.trim() !== "")
    .toReversed();
  return (
    <VirtualList
      items={entries.map((entry, index) => ({ entry, key: String(entries.length - index) }))}
      keyOf={({ key }) => key}
      guess={({ entry }) => 60 + Math.ceil(entry.length / 90) * 26}
      label="Diary, newest first"
      render={({ entry }) => (
        <article class="diary">
          <Page text={entry} />
        </article>
      )}
    />
  );
}
