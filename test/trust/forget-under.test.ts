import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseFacts } from "../../src/change/read-outline.ts";
import { createForgetMatch } from "../../src/trust/forget-match.ts";
import type { ForgetRequest } from "../../src/trust/forget-match.ts";
import { eraseText } from "../../src/trust/erase-text.ts";
import { readKept, ofFolder, writeKept } from "../support/kept.ts";
import { open } from "../support/talk.ts";
import { whereKept } from "../support/where-kept.ts";
import { temporaryFolder } from "../support/workspace.ts";

function erase(markdown: string, request: ForgetRequest, kind: "memory" | "diary" | "note" = "memory") {
  const hints = { facts: new Map<string, []>(), entries: new Set<string>(), timezone: "UTC", kind };
  return eraseText(markdown, createForgetMatch(request, "UTC"), hints);
}

const BEN = "# Memory\n\n## Ben\n\n- plays chess\n";

describe("what stands under what is forgotten", () => {
  it.each([
    ["a section", `${BEN}\n## Ana\n\n- likes tea\n\nA paragraph.\n`, BEN],
    ["a section in the middle", "## Ana\n- likes tea\n\n## Ben\n- plays chess\n", "## Ben\n- plays chess\n"],
    [
      "the sections below it",
      `${BEN}\n## Ana\n\n### Work\n\n- paints\n\n#### Hours\n\n| day | from |\n| - | - |\n| Mon | 9 |\n`,
      BEN,
    ],
    ["a heading that is underlined", `${BEN}\nAna\n---\n\n- likes tea\n`, BEN],
    ["a heading in bold, with whose it is", `${BEN}\n## **Ana's** notes\n\n- likes tea\n`, BEN],
    ["a longer name", `${BEN}\n## Ana Silva\n\n### Work\n\n- paints\n`, BEN],
    ["what hangs below an item", `${BEN}- Ana\n  - likes tea\n    - green\n- sails\n`, `${BEN}- sails\n`],
    [
      "the list that a line leads",
      `${BEN}\nAna:\n\n- likes tea\n- paints\n\nThe harbour is cold.\n`,
      `${BEN}\n\nThe harbour is cold.\n`,
    ],
    [
      "the list that a bold line leads",
      `${BEN}\n**Ana**\n- likes tea\n\n## Rui\n- sails\n`,
      `${BEN}\n\n## Rui\n- sails\n`,
    ],
    ["what is said of two together", `${BEN}\n## Ana and Ben\n\n- live in Bern\n`, BEN],
    [
      "but not what is the other's own",
      `${BEN}\n## Ana and Ben\n\n- live in Bern\n\n### Ben\n\n- snores\n\n### Ana\n\n- paints\n`,
      `${BEN}\n## [forgotten]\n\n### Ben\n\n- snores\n`,
    ],
    [
      "but not the whole memory, whose title names it",
      "# Ana's memory\n\n- wakes early\n\n## Ben\n\n- plays chess\n",
      "# [forgotten]\n\n## Ben\n\n- plays chess\n",
    ],
    [
      "with Windows line ends",
      "## Ben\r\n- plays chess\r\n\r\n## Ana\r\n- likes tea\r\n",
      "## Ben\r\n- plays chess\r\n",
    ],
    ["and no heading that only begins alike", "## Anadia\n\n- is a town\n", "## Anadia\n\n- is a town\n"],
  ])("goes with a person: %s", (_, before, after) => {
    expect(erase(before, { person: "Ana" }).text).toBe(after);
    expect(erase(after, { person: "Ana" })).toMatchObject({ text: after, gone: [] });
  });

  it("goes whatever the memory looks like, and all else stays under its own headings", () => {
    const title = fc.constantFrom("Ana", "Ben", "Carl", "Notes", "About Ana");
    const item = fc.record({
      depth: fc.nat(2),
      words: fc.constantFrom("likes tea", "sails", "Ana", "Ben", "Ana's dog"),
    });
    const section = fc.record({
      level: fc.integer({ min: 2, max: 4 }),
      title,
      items: fc.array(item, { maxLength: 5 }),
    });
    fc.assert(
      fc.property(fc.array(section, { maxLength: 8 }), fc.constantFrom("\n", "\n\n"), (sections, gap) => {
        const before = `# Memory\n\n${sections
          .map(({ level, title: name, items }) => {
            // An item is at most one step deeper than the one before it.
            const depths = items.map(({ depth }, at) => Math.min(depth, at));
            const lines = items.map(({ words }, at) => `${"  ".repeat(depths[at] ?? 0)}- ${words}\n`);
            return `${"#".repeat(level)} ${name}${gap}${lines.join("")}\n`;
          })
          .join("")}`;
        const isTheirs = ({ path, text }: { path: readonly string[]; text: string }) =>
          [...path, text].some((each) => each.includes("Ana"));
        const { text, gone } = erase(before, { person: "Ana" });
        const stay = parseFacts(before).filter((fact) => !isTheirs(fact));
        expect(parseFacts(text).map(({ name }) => name)).toEqual(stay.map(({ name }) => name));
        expect(text).not.toContain("Ana");
        expect(gone.filter((each) => !each.startsWith("#"))).toHaveLength(parseFacts(before).length - stay.length);
      }),
      { seed: 20261116, numRuns: 300 },
    );
  });

  it("goes with a text, and each fact is counted", () => {
    const { text, gone } = erase(`${BEN}\n## The harbour project\n\n- ends in May\n- costs 3 million\n`, {
      text: "harbour project",
    });
    expect(text).toBe(BEN);
    expect(gone).toEqual(["## The harbour project", "ends in May", "costs 3 million"]);
  });

  it("ends with an entry of the diary", () => {
    const before = "[2026-11-15 09:00] A talk.\n\n## Ana\n\n- likes tea\n\n[2026-11-16 09:00] Rui sails.\n\n";
    expect(erase(before, { person: "Ana" }, "diary").text).toBe(
      "[2026-11-15 09:00] A talk.\n\n[2026-11-16 09:00] Rui sails.\n\n",
    );
  });

  it("is shown, counted, and gone from every record; it is not said of somebody else", async () => {
    const workspace = temporaryFolder();
    const memory = await open({ workspace });
    await memory.remember("cli:a", { fact: "plays chess", heading: "Ben", by: "user" });
    await memory.remember("cli:a", { fact: "likes jasmine tea", heading: "Ana", by: "user" });
    await memory.remember("cli:a", { fact: "likes jasmine tea with milk", replaces: "likes jasmine tea", by: "user" });
    await memory.remember("cli:a", { fact: "snores", heading: "Ben", by: "user" });
    const trial = await memory.trust.forget({ person: "Ana" }, { isTrial: true });
    if (trial.kind !== "trial") throw new Error("a trial was asked for");
    expect(trial.finds.map(({ text }) => text)).toEqual(["## Ana", "likes jasmine tea with milk"]);
    expect(trial.counts).toMatchObject({ memory: 2, changes: 3 });
    const forgotten = await memory.trust.forget({ person: "Ana" });
    // One more: the change by which it left the file.
    expect(forgotten).toMatchObject({ receipt: { left: [], counts: { memory: 2, changes: 4 } } });
    expect(await memory.readMemory()).toMatch(/^# .+\n\n## Ben\n\n- plays chess\n- snores\n$/);
    expect(await whereKept(workspace, "jasmine")).toEqual([]);
    expect((await memory.trust.blame()).map(({ fact, session }) => [fact, session])).toEqual([
      ["plays chess", "cli:a"],
      ["snores", "cli:a"],
    ]);
    expect((await memory.trust.ledger()).lost).toEqual([]);
    // The next change finds the memory as it was left.
    await memory.remember("cli:b", { fact: "is allergic to nuts", heading: "Ana", by: "user" });
    expect(await memory.readMemory()).toMatch(/- snores\n\n## Ana\n\n- is allergic to nuts\n$/);
  });

  it("goes from the records also where only a label led it", async () => {
    const workspace = temporaryFolder();
    const memory = await open({ workspace });
    await writeKept(workspace, "memory/MEMORY.md", "# Memory\n\n**Ben**\n- sails\n\n**Ana**\n- likes jasmine tea\n");
    await memory.trust.blame();
    await memory.remember("cli:a", { fact: "likes jasmine tea with milk", replaces: "likes jasmine tea", by: "user" });
    await memory.trust.forget({ person: "Ana" });
    expect(await memory.readMemory()).toBe("# Memory\n\n**Ben**\n- sails\n");
    expect(await memory.history.listFacts()).toEqual([]);
  });

  ofFolder("notes are files")("goes from notes, too", async () => {
    const workspace = temporaryFolder();
    const memory = await open({ workspace });
    await writeKept(workspace, "memory/family.md", "# Family\n\n## Rui\n\n- sails\n\n## Ana\n\n- likes jasmine tea\n");
    await writeKept(workspace, "memory/sister.md", "# Ana Reis\n\n## Drinks\n\n- likes jasmine tea\n");
    await memory.trust.forget({ person: "Ana" });
    expect(await whereKept(workspace, "jasmine")).toEqual([]);
    // The one that was replaced is held on to for a while, without her.
    expect(await readKept(workspace, "memory/family.md")).toContain("sails");
  });
});
