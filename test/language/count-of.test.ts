import { expect, it } from "vitest";
import { countOf, formatCount } from "../../src/language/count-of.ts";

it("writes numbers as English does", () => {
  for (const count of [0, 1, -1, 12, 999, 1000, -1000, 12_345, 999_999, 1_000_000, 2 ** 53, 1.5, 1234.5])
    expect(formatCount(count)).toBe(count.toLocaleString("en-US"));
  expect([countOf(1, "fact"), countOf(0, "fact"), countOf(1200, "fact")]).toEqual(["1 fact", "0 facts", "1,200 facts"]);
});
