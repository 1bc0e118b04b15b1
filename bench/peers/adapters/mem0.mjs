import { Memory } from "mem0ai/oss";

/** Messages as they are (infer: false), in its own vector store; the embedder is a LangChain object, as it documents. */
export const about = "infer: false, its memory vector store: vectors, BM25 and entities together";

export async function open({ folder, embed, dimensions }) {
  const model = {
    embedDocuments: async (texts) => (await embed(texts)).map((vector) => [...vector]),
    embedQuery: async (text) => [...(await embed([text]))[0]],
  };
  const memory = new Memory({
    version: "v1.1",
    disableHistory: true,
    embedder: { provider: "langchain", config: { model, embeddingDims: dimensions } },
    vectorStore: {
      provider: "memory",
      config: { collectionName: "said", dimension: dimensions, dbPath: `${folder}/vectors.db` },
    },
    llm: { provider: "openai", config: { apiKey: "none", model: "none" } },
    historyDbPath: `${folder}/history.db`,
  });
  return {
    async add(messages) {
      for (const [number, { text }] of messages.entries()) {
        await memory.add([{ role: "user", content: text }], { userId: "world", infer: false, metadata: { number } });
      }
    },
    async ask(query, limit) {
      const { results } = await memory.search(query, {
        filters: { user_id: "world" },
        topK: limit,
        limit,
        threshold: 0,
      });
      return results.map(({ metadata }) => metadata.number);
    },
    close: async () => undefined,
  };
}
