import { Document, VectorStoreIndex, Settings, BaseEmbedding } from "llamaindex";

/** A vector index over one document a message. */
export const about = "VectorStoreIndex, one document a message";

export async function open({ embed }) {
  class Shared extends BaseEmbedding {
    getTextEmbedding = async (text) => [...(await embed([text]))[0]];
    getTextEmbeddings = async (texts) => (await embed(texts)).map((vector) => [...vector]);
    getQueryEmbedding = async (query) => [...(await embed([typeof query === "string" ? query : query.text]))[0]];
  }
  Settings.embedModel = new Shared();
  Settings.chunkSize = 2048;
  let index;
  return {
    async add(messages) {
      index = await VectorStoreIndex.fromDocuments(
        messages.map(
          ({ text }, number) => new Document({ text, metadata: { number }, excludedEmbedMetadataKeys: ["number"] }),
        ),
      );
    },
    async ask(query, limit) {
      const nodes = await index.asRetriever({ similarityTopK: limit }).retrieve({ query });
      return nodes.map(({ node }) => node.metadata.number);
    },
    close: async () => undefined,
  };
}
