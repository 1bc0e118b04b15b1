import { mkdir, writeFile } from "node:fs/promises";
import { createStore } from "@tobilu/qmd";

/** One file a message. Its vectors, expansion and reranking need models that it fetches from the network; words need none. */
export const about =
  "words alone: each telling word a lexical query, put together by rank, no reranking; its models are fetched from a host that was out of reach";

export async function open({ folder, isSmallWord }) {
  const notes = `${folder}/notes`;
  await mkdir(notes, { recursive: true });
  const store = await createStore({
    dbPath: `${folder}/index.sqlite`,
    config: { collections: { said: { path: notes, pattern: "**/*.md" } } },
  });
  return {
    async add(messages) {
      for (const [number, { text }] of messages.entries()) await writeFile(`${notes}/m${number}.md`, `${text}\n`);
      await store.update();
    },
    async ask(query, limit) {
      const words = query.match(/[\p{L}\p{N}]+/gu) ?? [];
      const telling = [...new Set(words.filter((word) => !isSmallWord(word.toLowerCase())))];
      const scores = new Map();
      for (const word of telling) {
        const rows = await store.searchLex(word, { limit });
        rows.forEach(({ displayPath }, place) => {
          const number = Number(/m(\d+)\.md$/.exec(displayPath)?.[1]);
          scores.set(number, (scores.get(number) ?? 0) + 1 / (60 + place));
        });
      }
      return [...scores]
        .toSorted((one, other) => other[1] - one[1])
        .slice(0, limit)
        .map(([number]) => number);
    },
    close: () => store.close(),
  };
}
