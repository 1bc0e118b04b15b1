import { describe, expect, it } from "vitest";
import { renderAnswer } from "../../src/recall/render-answer.ts";
import type { Hit } from "../../src/recall/recall.ts";

const HIT: Hit = {
  path: "memory/2026-03-25.md",
  startLine: 5,
  endLine: 6,
  session: "",
  messages: [],
  date: "2026-03-25T14:30:00",
  heading: "Harbour",
  text: "- The moorings cost 40 euros\n  a night",
  speaker: "",
  voice: "file",
  score: 0.4242,
};
const answer = (hit: Partial<Hit> = {}) => ({
  results: [{ ...HIT, ...hit }],
  mode: "hybrid" as const,
  confidence: 0.9,
  stale: false,
  notes: [],
});

describe("renderAnswer", () => {
  it("shows place, time, heading, score and text", () => {
    expect(renderAnswer(answer(), "mooring", false)).toBe(
      "1. memory/2026-03-25.md:5-6  2026-03-25 14:30  Harbour  0.42\n   - The moorings cost 40 euros\n     a night\n\n(confidence 0.90)",
    );
  });

  it("marks the question's words in all their forms, with colour alone", () => {
    expect(renderAnswer(answer(), "mooring costs", true)).toContain(
      "The \u001b[1mmoorings\u001b[0m \u001b[1mcost\u001b[0m 40 euros",
    );
  });

  it("shows of a long text the part that has the words", () => {
    const text = `${"Nothing to see here. ".repeat(40)}The anchor is rusty. ${"Nothing more to say. ".repeat(40)}`;
    const shown = renderAnswer(answer({ text }), "rusty anchor", false);
    expect(shown).toContain("The anchor is rusty.");
    expect(shown).toMatch(/… .* …$/ms);
    expect(shown.length).toBeLessThan(500);
  });

  it("says first that nothing is sure to answer", () => {
    const shown = renderAnswer({ ...answer(), confidence: 0.17 }, "boat", false);
    expect(shown).toMatch(/^Nothing on record is sure to answer this \(confidence 0\.17\)\. The nearest:\n\n1\. /);
  });

  it("shows the same words once, with the other places beside them", () => {
    const twice = {
      ...HIT,
      path: "sessions/cli_main.jsonl",
      startLine: 9,
      endLine: 9,
      text: "the moorings cost 40 euros a night",
    };
    const shown = renderAnswer({ ...answer(), results: [HIT, twice, { ...HIT, text: "Another." }] }, "boat", false);
    expect(shown.match(/40 euros/g)).toHaveLength(1);
    expect(shown).toContain("0.42  also sessions/cli_main.jsonl:9\n");
    expect(shown).toContain("\n2. ");
    expect(shown).not.toContain("\n3. ");
  });

  it("says that there is nothing", () => {
    expect(renderAnswer({ ...answer(), results: [] }, "boat", false)).toBe("Nothing found.");
  });
});
