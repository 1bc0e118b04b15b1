// @module-tag long
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyEdits } from "../../src/change/apply-edits.ts";
import { planProposal } from "../../src/change/plan-proposal.ts";
import type { Removal } from "../../src/change/plan-proposal.ts";
import { parseFacts } from "../../src/change/read-outline.ts";
import { runs } from "../support/runs.ts";

/** The plan, carried out. */
function planMemory(base: string, proposed: string, current: string, removed: readonly Removal[] = []) {
  const { edits } = planProposal(base, proposed, current, removed);
  const { text, left } = applyEdits(current, edits);
  expect(left).toEqual([]);
  return {
    text,
    added: edits.flatMap((edit) => (edit.kind === "add" ? [edit.text] : [])),
    reworded: edits.flatMap((edit) => (edit.kind === "replace" ? [{ before: edit.text, after: edit.words }] : [])),
    retired: edits.flatMap((edit) => (edit.kind === "remove" ? [edit.text] : [])),
  };
}

const factsOf = (text: string) => parseFacts(text).map((fact) => fact.text);

// Facts that share many words and differ in few, as real ones do.
const subject = fc.constantFrom("User", "Ana", "The project", "Max");
const verb = fc.constantFrom("likes", "owns", "lives in", "works on", "met");
const thing = fc.stringMatching(/^[a-z]{3,9}$/);
const fact = fc
  .tuple(subject, verb, thing, fc.nat(999))
  .map(([who, does, what, number]) => `${who} ${does} ${what} ${number}`);
const facts = fc.uniqueArray(fact, { maxLength: 25 });
const headings = fc.constantFrom("", "## User", "## Projects", "# Memory\n\n## Notes");

function memoryOf(items: readonly string[], heading = "# Memory"): string {
  return items.length === 0 ? "" : `${heading}\n\n${items.map((item) => `- ${item}`).join("\n")}\n`;
}

const others = runs(300);

describe("the three-way plan", () => {
  it("loses no fact without a reason, unless a new one takes its place", () => {
    fc.assert(
      fc.property(facts, fc.array(fc.boolean()), facts, headings, (base, kept, fresh, heading) => {
        const proposed = [...base.filter((_, index) => kept[index] ?? true), ...fresh];
        const text = memoryOf(base);
        const plan = planMemory(text, memoryOf(proposed, heading), text);
        const after = new Set(factsOf(plan.text));
        const replaced = new Set(plan.reworded.map(({ before }) => before));
        for (const item of base) expect(after.has(item) || replaced.has(item)).toBe(true);
        // One new fact replaces one old one at most, and what replaces is there.
        expect(new Set(plan.reworded.map((pair) => pair.after)).size).toBe(plan.reworded.length);
        for (const item of [...plan.added, ...plan.reworded.map((pair) => pair.after)])
          expect(after.has(item)).toBe(true);
        expect(plan.retired).toEqual([]);
      }),
      others,
    );
  });

  it("takes no drop for a rewording when nothing alike is added", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(9999), { minLength: 6, maxLength: 30 }), fc.nat(), (numbers, pick) => {
        const base = numbers.map((number) => `Fact number ${number} is about topic-${number}`);
        const without = base.filter((_, index) => index !== pick % base.length);
        const plan = planMemory(
          memoryOf(base),
          memoryOf([...without, "Fact number 77777 is about topic-77777"]),
          memoryOf(base),
        );
        expect(factsOf(plan.text)).toEqual(expect.arrayContaining(base));
      }),
      others,
    );
  });

  it("keeps what others added or changed meanwhile", () => {
    fc.assert(
      fc.property(facts, facts, facts, fc.array(fc.nat(3)), (base, fresh, theirs, fates) => {
        const current = [
          ...base
            .map((item, index) => (fates[index] === 1 ? `${item}, they say` : item))
            .filter((_, index) => fates[index] !== 2),
          ...theirs,
        ];
        const plan = planMemory(memoryOf(base), memoryOf([...base, ...fresh]), memoryOf(current));
        const after = factsOf(plan.text);
        for (const item of current) expect(after).toContain(item);
        // What they deleted stays deleted: the model did not bring it anew.
        const deleted = base.filter(
          (item, index) => fates[index] === 2 && !theirs.includes(item) && !fresh.includes(item),
        );
        for (const item of deleted) expect(after).not.toContain(item);
        for (const item of fresh.filter((each) => !base.includes(each))) expect(after).toContain(item);
      }),
      others,
    );
  });

  it("changes nothing when applied again", () => {
    fc.assert(
      fc.property(facts, facts, (base, fresh) => {
        const proposed = memoryOf([...base, ...fresh]);
        const once = planMemory(memoryOf(base), proposed, memoryOf(base)).text;
        const twice = planMemory(memoryOf(base), proposed, once);
        expect(twice.text).toBe(once);
        expect(twice.added).toEqual([]);
      }),
      others,
    );
  });

  it("touches no line that it has no business with", () => {
    const current =
      "# Memory\n\nA paragraph of mine,\nover two lines.\n\n<!-- a comment -->\n\n## User\n* Ana\n    1. nested\n\n---\n\n| a | b |\n|---|---|\n| 1 | 2 |\n";
    const plan = planMemory(current, current.replace("* Ana", "* Ana\n* Plays chess"), current);
    expect(plan.text).toBe(current.replace("    1. nested\n", "    1. nested\n* Plays chess\n"));
  });

  it("puts new facts under their headings and makes those that are missing", () => {
    const base = "# Memory\n\n## User\n- Ana\n\n## Work\n- ACME\n";
    const proposed = "# Memory\n\n## User\n- Ana\n- Born in 1990\n\n## Health\n- Allergic to nuts\n\n## Work\n- ACME\n";
    expect(planMemory(base, proposed, base).text).toBe(
      "# Memory\n\n## User\n- Ana\n- Born in 1990\n\n## Work\n- ACME\n\n## Health\n\n- Allergic to nuts\n",
    );
  });

  it("never counts a template's hints as facts", () => {
    const template =
      "# Long-term Memory\n\nThis file stores important information that should persist across sessions.\n\n## User Information\n\n(Important facts about the user)\n";
    expect(parseFacts(template)).toEqual([]);
    expect(planMemory(template, "- Likes tea\n", template).text).toContain("- Likes tea");
  });

  const merge = (base: string, proposed: string, removals: { fact: string; reason: string }[] = []) =>
    planMemory(base, proposed, base, removals);

  it.each([
    ["Ana's phone is 555-1234", "Bob's phone is 555-9876"],
    ["Deadline of project Apollo is 3 May", "Deadline of project Gemini is 9 June"],
    ["Likes jazz", "Likes rock music"],
    ["fact 5", "fact 31"],
    ["Allergic to peanuts", "Allergic to cats"],
    ["Ana keeps two grey cats", "Bob keeps two grey cats"],
  ])("keeps “%s” when “%s” is put in its place without a reason", (before, after) => {
    for (const more of ["", "- Owns a boat\n", "- Owns a boat\n- Plays chess\n- Knows Rust\n- Sleeps late\n"]) {
      expect(factsOf(merge(`${more}- ${before}\n`, `${more}- ${after}\n`).text)).toEqual(
        expect.arrayContaining([before, after]),
      );
    }
  });

  it.each([
    ["Lives in Berlin", "Moved from Berlin to Lisbon in May 2026"],
    ["Works at Siemens", "Left Siemens for SAP in 2026"],
    ["Age: 34", "Age: 35"],
    ["The budget is 500 EUR", "The budget is 700 EUR"],
    ["Likes tea", "Likes green tea"],
    ["Ana keeps two grey cats", "Ana keeps three grey cats"],
    ["[ ] buy milk", "[x] buy milk"],
  ])("takes “%s” → “%s” for one fact, in a memory of any size", (before, after) => {
    for (const more of [
      "",
      "- Owns a boat\n- Plays chess\n",
      Array.from({ length: 30 }, (_, index) => `- Room ${index} has a lamp\n`).join(""),
    ]) {
      expect(merge(`${more}- ${before}\n`, `${more}- ${after}\n`).text).toBe(`${more}- ${after}\n`);
    }
  });

  it("takes a removal with a reason and a new fact in its place for a rewording", () => {
    const plan = merge("- Prefers tea\n- Owns a cat\n", "- Prefers coffee\n- Owns a cat\n", [
      { fact: "Prefers tea", reason: "changed her mind" },
    ]);
    expect(plan).toMatchObject({
      text: "- Prefers coffee\n- Owns a cat\n",
      reworded: [{ before: "Prefers tea", after: "Prefers coffee" }],
    });
  });

  it("tells the same words under different headings apart", () => {
    const plan = merge("## Alice\n- Likes tea\n", "## Alice\n- Likes tea\n\n## Bob\n- Likes tea\n- Lives in Oslo\n");
    expect(plan.text).toBe("## Alice\n- Likes tea\n\n## Bob\n\n- Likes tea\n- Lives in Oslo\n");
  });

  it("writes nothing into code, keeps tables whole, and children with their parents", () => {
    const code = "## Build\n- step one\n\n```sh\n# install deps\nnpm i\n```\n";
    expect(merge(code, code.replace("step one", "step one\n- step two")).text).toBe(
      code.replace("step one", "step one\n- step two"),
    );
    const table = "## A\n- x\n\n| who | where |\n|---|---|\n| Ana | Rome |\n";
    expect(merge("## A\n- x\n", table).text).toBe(table);
    const nested = "- Project A\n  - uses Go\n- Project B\n  - uses Rust\n";
    expect(
      merge(nested, "- Project A\n  - uses Go\n  - uses Rust\n", [{ fact: "Project B", reason: "over" }]).text,
    ).toBe(nested);
    expect(merge("- Ana\n", "- Ana\n- Has a dog\n  - named Max\n  - brown\n- Sings\n").text).toBe(
      "- Ana\n- Has a dog\n  - named Max\n  - brown\n- Sings\n",
    );
  });

  it("reads files with a byte order mark and other line ends as they are", () => {
    expect(merge("\uFEFF# Memory\n\n- a b\n", "# Memory\n\n- a b\n- c d\n").text).toBe(
      "\uFEFF# Memory\n\n- a b\n- c d\n",
    );
    expect(merge("# M\r\n\r\n- a b\r\n", "# M\n\n- a b\n- c d\n").text).toBe("# M\r\n\r\n- a b\r\n- c d\r\n");
  });

  it("tells hundreds of rewordings apart", () => {
    const many = Array.from({ length: 300 }, (_, index) => `- Thing ${index} lives at Place${index}`).join("\n");
    expect(merge(many, many.replaceAll("lives", "stays")).reworded).toHaveLength(300);
  });
});
