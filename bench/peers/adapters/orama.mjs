import { create, insertMultiple, search } from "@orama/orama";
import { createTokenizer } from "@orama/tokenizers/mandarin";

/** Hybrid search, with the stemmer for English, its tokenizer for Chinese, and the default weights of words and meaning. */
export const about = "hybrid, English stemming; in Chinese its own tokenizer for Mandarin";

export async function open({ dimensions, isChinese }) {
  const database = create({
    schema: { number: "number", text: "string", vector: `vector[${dimensions}]` },
    ...(isChinese ? { components: { tokenizer: createTokenizer() } } : { language: "english" }),
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
