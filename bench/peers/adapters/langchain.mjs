import { BM25Retriever } from "@langchain/community/retrievers/bm25";
import { EnsembleRetriever } from "@langchain/classic/retrievers/ensemble";
import { MemoryVectorStore } from "@langchain/classic/vectorstores/memory";

/** The documented ensemble of BM25 and vectors, half each. */
export const about = "ensemble of BM25 and vectors, weights .5 and .5";

export async function open({ embed }) {
  const embeddings = { embedDocuments: (texts) => embed(texts), embedQuery: async (text) => (await embed([text]))[0] };
  let retriever;
  return {
    async add(messages, vectors) {
      const documents = messages.map(({ text }, number) => ({ pageContent: text, metadata: { number } }));
      const store = new MemoryVectorStore(embeddings);
      await store.addVectors(
        vectors.map((vector) => [...vector]),
        documents,
      );
      retriever = new EnsembleRetriever({
        retrievers: [BM25Retriever.fromDocuments(documents, { k: 30 }), store.asRetriever(30)],
        weights: [0.5, 0.5],
      });
    },
    ask: async (query, limit) => (await retriever.invoke(query)).slice(0, limit).map(({ metadata }) => metadata.number),
    close: async () => undefined,
  };
}
