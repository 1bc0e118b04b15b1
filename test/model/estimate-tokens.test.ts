import { describe, expect, it } from "vitest";
import { TOKEN_SAMPLES } from "../../bench/token-samples.ts";
import { estimateTokens } from "../../src/model/estimate-tokens.ts";
import { realTokens } from "../support/real-tokens.ts";

describe("the estimate of tokens", () => {
  it.each(Object.entries(TOKEN_SAMPLES))(
    "is never below what a tokenizer counts, and not far above it: %s",
    (_, text) => {
      const share = estimateTokens(text) / realTokens(text);
      expect(share).toBeGreaterThanOrEqual(1);
      expect(share).toBeLessThan(2);
    },
  );

  it("is within a fifth for English, which most talk is", () => {
    const text = TOKEN_SAMPLES["English"] ?? "";
    expect(estimateTokens(text) / realTokens(text)).toBeLessThan(1.2);
  });

  it("measures a long text by samples that agree with the whole", () => {
    const text = Object.values(TOKEN_SAMPLES).join("\n").repeat(30);
    expect(text.length).toBeGreaterThan(200_000);
    const share = estimateTokens(text) / realTokens(text);
    expect(share).toBeGreaterThan(1);
    expect(share).toBeLessThan(1.6);
  });

  it("gives nothing for nothing, and never more than the bytes of a short text", () => {
    expect(estimateTokens("")).toBe(0);
    for (const text of ["a", "a.b", "1", "\n", "é"]) {
      expect(estimateTokens(text)).toBeGreaterThan(0);
      expect(estimateTokens(text)).toBeLessThanOrEqual(Buffer.byteLength(text));
    }
  });
});
