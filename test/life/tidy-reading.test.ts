import { expect, it } from "vitest";
import { parseFacts } from "../../src/change/read-outline.ts";
import { readKept, writeKept } from "../support/kept.ts";
import { open } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";

const FRIENDS = Array.from(
  { length: 12 },
  (_, index) => `- name of friend ${index} is Friend${index} Person${index}\n`,
);
const PLANS = [
  "March: meeting with the bank about the loan",
  "June: trip to Norway",
  "May: the deadline of the report",
];

const namesOf = (text: string) => parseFacts(text).map(({ path, text: words }) => [...path, words].join(" › "));

/** What is left after tidying, and the note that the rest went to. */
async function tidied(text: string, memoryBudgetTokens: number) {
  const workspace = temporaryFolder();
  await writeKept(workspace, "memory/MEMORY.md", text);
  const memory = await open({ workspace, config: { agents: { defaults: { memoryBudgetTokens } } } });
  const { moved, note } = await memory.tidy();
  return {
    moved,
    left: await readKept(workspace, "memory/MEMORY.md"),
    note: await readKept(workspace, `memory/${note}`),
  };
}

it.each([
  ["a rule", "User is always allergic to nuts\n- plan: a long trip in 2026-05, to see what comes next\n---\n"],
  ["a paragraph", "User is always allergic to nuts\n```\nplan: a long trip in 2026-05\n```\nUser is called Ana\n"],
  ["code", "- User is always allergic to nuts\n\nplan: a long trip in 2026-05\n\n    always so\n"],
])("what is over the budget goes without changing how the rest reads: before %s", async (_, odd) => {
  const text = `# Memory\n\n${odd}\n${FRIENDS.join("")}`;
  const { moved, left } = await tidied(text, 190);
  expect(moved.length).toBeGreaterThan(0);
  const gone = new Set(moved);
  expect(namesOf(left)).toEqual(namesOf(text).filter((name) => !gone.has(name.split(" › ").at(-1) ?? "")));
});

it("facts that go to a note stay facts of their own there", async () => {
  const text = `# Memory\n\n${PLANS.map((plan) => `The plan for ${plan}\n`).join("\n")}\n${FRIENDS.join("")}`;
  const { moved, note } = await tidied(text, 190);
  expect(parseFacts(note).map((fact) => fact.text)).toEqual(
    moved.toSorted((a, b) => text.indexOf(a) - text.indexOf(b)),
  );
  expect(note).toContain(FRIENDS.slice(-2).join(""));
});
