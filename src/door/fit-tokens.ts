import { mostTokens, openTokenizer } from "../model/tokens.ts";

/** What fits into a budget, and how many pieces do not. */
export interface Fitted<T> {
  kept: T[];
  leftOut: number;
}

/** Keeps the first pieces whose texts fit together; the first one always stays. */
export async function fitTokens<T>(
  pieces: readonly T[],
  maxTokens: number,
  textOf: (piece: T) => string,
): Promise<Fitted<T>> {
  // The bound costs nothing; short results need no more.
  const most = pieces.reduce((sum, piece) => sum + mostTokens(textOf(piece)), 0);
  if (most <= maxTokens) return { kept: [...pieces], leftOut: 0 };
  const count = await openTokenizer();
  let rest = maxTokens;
  const end = pieces.findIndex((piece, index) => {
    rest -= count(textOf(piece)) + 1;
    return rest < 0 && index > 0;
  });
  const kept = end < 0 ? [...pieces] : pieces.slice(0, end);
  return { kept, leftOut: pieces.length - kept.length };
}

/** The longest beginning of a text that fits, and whether something is missing. */
export async function cutToTokens(text: string, maxTokens: number): Promise<{ text: string; isCut: boolean }> {
  if (mostTokens(text) <= maxTokens) return { text, isCut: false };
  const count = await openTokenizer();
  if (count(text) <= maxTokens) return { text, isCut: false };
  let fits = 0;
  let tooLong = Math.min(text.length, maxTokens * 16);
  while (tooLong - fits > 16) {
    const middle = Math.floor((fits + tooLong) / 2);
    if (count(text.slice(0, middle)) <= maxTokens) fits = middle;
    else tooLong = middle;
  }
  return { text: text.slice(0, fits).replace(/[\uD800-\uDBFF]$/, ""), isCut: true };
}
