import MiniSearch from "minisearch";

/** Words alone, as documented: prefixes, and one letter in five may differ; small words do not count. */
export const about = "BM25+, prefix search, fuzzy 0.2; in Chinese words as Intl.Segmenter parts them";

export async function open({ isSmallWord, isChinese }) {
  const segmenter = new Intl.Segmenter("zh", { granularity: "word" });
  const tokenize = (text) =>
    [...segmenter.segment(text)].filter(({ isWordLike }) => isWordLike).map(({ segment }) => segment);
  const index = new MiniSearch({
    fields: ["text"],
    ...(isChinese ? { tokenize } : {}),
    processTerm: (term) => (isSmallWord(term.toLowerCase()) ? null : term.toLowerCase()),
    searchOptions: { prefix: (term) => term.length > 3, fuzzy: 0.2, combineWith: "OR" },
  });
  return {
    add: async (messages) => index.addAll(messages.map(({ text }, id) => ({ id, text }))),
    ask: async (query, limit) =>
      index
        .search(query)
        .slice(0, limit)
        .map(({ id }) => id),
    close: async () => undefined,
  };
}
