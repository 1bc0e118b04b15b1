import { describe, expect, it } from "vitest";
import { withoutFrame } from "../../src/recall/without-frame.ts";

describe("a question without its frame", () => {
  it.each([
    [
      "Can you give me a short summary of how my allotment has developed over our conversations?",
      "my allotment has developed ?",
    ],
    [
      "List the order in which I brought up different aspects of the boat repair. Mention only four items.",
      "the boat repair. .",
    ],
    ["What size did I say the window frames are?", "What size the window frames are?"],
    ["How did you recommend I prune the quince?", "How prune the quince?"],
    ["Could you please walk me through the seating plan?", "the seating plan?"],
    ["请总结一下搬家的经过", "搬家的经过"],
  ])("keeps what %j is about", (question, rest) => {
    expect(withoutFrame(question)).toBe(rest);
  });

  it.each([
    "What did I order at the bakery?",
    "Which parts of the bicycle are worn?",
    "When is the summary due?",
    "What did the three items cost?",
    "Who mentioned the lighthouse?",
  ])("leaves %j as it is", (question) => {
    expect(withoutFrame(question)).toBe(question);
  });

  it("never takes everything away", () => {
    for (const question of ["Can you give me a summary of it?", "Tell me.", "in order", "?", "总结"]) {
      expect(withoutFrame(question).trim()).not.toBe("");
    }
  });
});
