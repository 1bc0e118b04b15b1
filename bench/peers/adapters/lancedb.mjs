import * as lancedb from "@lancedb/lancedb";

/** Hybrid search as documented: full-text index and vectors, put together by reciprocal rank. */
export const about = "full text and vectors, reciprocal rank fusion; in Chinese words by its ICU tokenizer";

export async function open({ folder, isChinese }) {
  const database = await lancedb.connect(folder);
  const reranker = await lancedb.rerankers.RRFReranker.create();
  let table;
  return {
    async add(messages, vectors) {
      table = await database.createTable(
        "said",
        messages.map(({ text }, number) => ({ number, text, vector: [...vectors[number]] })),
      );
      await table.createIndex("text", {
        config: lancedb.Index.fts(isChinese ? { baseTokenizer: "icu", stem: false } : {}),
      });
    },
    async ask(query, limit, vector) {
      const words = query.replace(/[^\p{L}\p{N}\s]/gu, " ");
      const rows = await table
        .query()
        .nearestTo([...vector])
        .distanceType("cosine")
        .fullTextSearch(words)
        .rerank(reranker)
        .limit(limit)
        .toArray();
      return rows.map((row) => Number(row.number));
    },
    close: async () => undefined,
  };
}
