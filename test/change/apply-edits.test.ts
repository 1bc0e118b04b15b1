// @module-tag long
import { describe, expect, it } from "vitest";
import { applyEdits } from "../../src/change/apply-edits.ts";
import { addition, removal } from "../../src/change/edits-between.ts";
import { readOutline } from "../../src/change/read-outline.ts";

/** The edits that take out the facts of these numbers. */
function removals(text: string, numbers: readonly number[]) {
  const { facts } = readOutline(text);
  return numbers.flatMap((number) => {
    const fact = facts[number];
    return fact ? [removal(fact, "why")] : [];
  });
}

const PARENT = "- Ben\n  - sails\n";

describe("where one of many edits cannot be made", () => {
  it("the others take the very facts that they name, also among equals", () => {
    const text = `- likes tea\n- keeps bees\n- likes tea\n- moved\n- likes tea <!-- third -->\n\n${PARENT}`;
    const { text: after, refused } = applyEdits(text, removals(text, [5, 0, 2]));
    expect(after).toBe(`- keeps bees\n- moved\n- likes tea <!-- third -->\n\n${PARENT}`);
    expect(refused.map((edit) => edit.text)).toEqual(["Ben"]);
  });

  it("an item goes with those below it, in whatever order they are named", () => {
    const text = `- Ana\n  - likes tea\n    - green\n- x\n\n${PARENT}`;
    for (const order of [
      [0, 1, 2, 4],
      [4, 0, 1, 2],
      [0, 4, 2, 1],
    ]) {
      const { text: after, done, refused } = applyEdits(text, removals(text, order));
      expect(after).toBe(`- x\n\n${PARENT}`);
      expect([done.length, refused.length]).toEqual([3, 1]);
    }
  });

  it("the file is not read again for each of the others", () => {
    const lines = Array.from({ length: 2000 }, (_, index) => `- fact number ${index}\n`).join("");
    const text = `## Facts\n\n${lines}\n${PARENT}`;
    const fresh = readOutline(`## Facts\n\n${Array.from({ length: 400 }, (_, index) => `- new ${index}\n`).join("")}`);
    const edits = [...fresh.facts.map((fact) => addition(fact, fresh, null)), ...removals(text, [2000])];
    expect(applyEdits(text, edits)).toMatchObject({ refused: [{ text: "Ben" }] });
  });
});

it("thousands of equal lines are taken out one by one", () => {
  const text = "- likes tea\n".repeat(20_000);
  const { facts } = readOutline(text);
  const edits = facts.slice(1).map((fact) => removal(fact, "told twice"));
  expect(applyEdits(text, edits).text).toBe("- likes tea\n");
});
