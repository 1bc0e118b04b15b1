import { LibSQLVector } from "@mastra/libsql";

/** What its semantic recall asks: vectors in LibSQL. */
export const about = "semantic recall: vectors in LibSQL";

export async function open({ folder, dimensions }) {
  const store = new LibSQLVector({ id: "said", url: `file:${folder}/mastra.db` });
  await store.createIndex({ indexName: "said", dimension: dimensions });
  return {
    async add(messages, vectors) {
      for (let first = 0; first < messages.length; first += 500) {
        const some = vectors.slice(first, first + 500);
        await store.upsert({
          indexName: "said",
          vectors: some.map((vector) => [...vector]),
          metadata: some.map((_, index) => ({ number: first + index })),
        });
      }
    },
    async ask(_query, limit, vector) {
      const rows = await store.query({ indexName: "said", queryVector: [...vector], topK: limit });
      return rows.map(({ metadata }) => metadata.number);
    },
    close: async () => undefined,
  };
}
