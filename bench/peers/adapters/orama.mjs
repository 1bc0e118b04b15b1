import { create, insertMultiple, search } from "@orama/orama";

/** Hybrid search, with the stemmer for English and the default weights of words and meaning. */
export const about = "hybrid, English stemming";

export async function open({ dimensions }) {
  const database = create({
    schema: { number: "number", text: "string", vector: `vector[${dimensions}]` },
    language: "english",
  });
  return {
    async add(messages, vectors) {
      await insertMultiple(
        database,
        messages.map(({ text }, number) => ({ number, text, vector: [...vectors[number]] })),
        500,
      );
    },
    async ask(query, limit, vector) {
      const { hits } = await search(database, {
        mode: "hybrid",
        term: query,
        vector: { value: [...vector], property: "vector" },
        similarity: 0,
        limit,
      });
      return hits.map(({ document }) => document.number);
    },
    close: async () => undefined,
  };
}
