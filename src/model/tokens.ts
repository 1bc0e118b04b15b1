import { estimateTokens } from "./estimate-tokens.ts";

/** Counts the tokens of a text. */
export type CountTokens = (text: string) => number;

/**
 * Opens what counts tokens. It is an estimate that is near enough for every model that is asked; where a bound decides,
 * `mostTokens` is simpler still.
 */
export async function openTokenizer(): Promise<CountTokens> {
  return estimateTokens;
}

/** No byte-level tokenizer makes more tokens of a text than it has bytes. */
export function mostTokens(text: string): number {
  return Buffer.byteLength(text);
}
