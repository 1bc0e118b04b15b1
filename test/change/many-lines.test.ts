// @module-tag long
import { expect, it } from "vitest";
import { mergeTexts } from "../../src/change/merge-texts.ts";

const MANY = "- likes tea\n".repeat(150_000);

it("merges what two sides put in, however many lines that are", () => {
  expect(mergeTexts("x\n", `x\n${MANY}`, "y\nx\n").text).toBe(`y\nx\n${MANY}`);
  expect(mergeTexts("x\n", "y\nx\n", `x\n${MANY}`).text).toBe(`y\nx\n${MANY}`);
});
