/** Counts the tokens of a text. */
export type CountTokens = (text: string) => number;

let tokenizer: Promise<CountTokens> | undefined;

/**
 * Opens the tokenizer (o200k, near enough for every model that is asked). It is a large table, so it is loaded at the
 * first real need: where a bound is enough, `mostTokens` costs nothing.
 */
export function openTokenizer(): Promise<CountTokens> {
  tokenizer ??= import("gpt-tokenizer/encoding/o200k_base").then(({ countTokens }) => (text) => {
    try {
      return countTokens(text, { disallowedSpecial: new Set() });
    } catch (error) {
      // A text that the tokenizer cannot take must not count as nothing.
      if (error instanceof Error) return mostTokens(text);
      throw error;
    }
  });
  return tokenizer;
}

/** No byte-level tokenizer makes more tokens of a text than it has bytes. */
export function mostTokens(text: string): number {
  return Buffer.byteLength(text);
}
