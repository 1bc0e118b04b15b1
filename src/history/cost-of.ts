/** Money per million tokens. */
interface Price {
  input: number;
  output: number;
  cached?: number | undefined;
}

/** What a call cost; null where no price is known. */
export function costOf(
  usage: { inputTokens: number; outputTokens: number; cachedTokens: number },
  price: Price | undefined,
): number | null {
  if (price === undefined) return null;
  const fresh = usage.inputTokens - usage.cachedTokens;
  return (
    (fresh * price.input + usage.cachedTokens * (price.cached ?? price.input) + usage.outputTokens * price.output) / 1e6
  );
}
