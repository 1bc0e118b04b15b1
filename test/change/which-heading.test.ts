// @module-tag long
import { expect, it } from "vitest";
import { writeKept } from "../support/kept.ts";
import { presentMemory, sayAndDigest, startPlace } from "../trust/place.ts";
import type { Saved } from "../trust/place.ts";

async function place(text: string, script: (memory: string) => Saved = () => ({ memory: "" })) {
  const { memory, workspace, file } = await startPlace((shown) => script(presentMemory(shown)));
  await writeKept(workspace, "memory/MEMORY.md", text);
  return { memory, text: () => file("MEMORY.md") };
}

it("a new fact goes under the heading of its level, not under one of the same title in someone's section", async () => {
  const start = "# Memory\n\n## Ana\n\n### Notes\n\n- a\n\n## Notes\n\n- b\n";
  const { memory, text } = await place(start, (shown) => ({ memory: `${shown}- plays chess\n` }));
  await sayAndDigest(memory, "I play chess.");
  await memory.remember("cli:a", { fact: "owns a boat", heading: "Notes", by: "user" });
  expect(await text()).toBe(`${start}- plays chess\n- owns a boat\n`);
});

it("headings that differ only in case are two; one that is named in a case of its own is the first of them", async () => {
  const start = "# Memory\n\n## Polish\n\n- a\n\n## polish\n\n- b\n";
  const { memory, text } = await place(start, (shown) => ({ memory: shown.replace("- b", "- plays chess\n- b") }));
  await sayAndDigest(memory, "I play chess.");
  await memory.remember("cli:a", { fact: "owns a boat", heading: "polish", by: "user" });
  await memory.remember("cli:a", { fact: "rows", heading: "POLISH", by: "user" });
  expect(await text()).toBe(`${start.replace("- a\n", "- a\n- rows\n")}- plays chess\n- owns a boat\n`);
  expect(await memory.remember("cli:a", { fact: "rows", heading: "pOLISH", by: "user" })).toMatchObject({
    kind: "known",
  });
});

it("an item goes below the item that it belongs to, not below one of the same words in a section further down", async () => {
  const start = "# Memory\n\n## Ana\n\n- has pets\n\n### House\n\n- has pets\n";
  const { memory, text } = await place(start, (shown) => ({
    memory: shown.replace("- has pets\n", "- has pets\n  - a cat\n"),
  }));
  await sayAndDigest(memory, "I have a cat.");
  expect(await text()).toBe(start.replace("- has pets\n", "- has pets\n  - a cat\n"));
});

it.each(["user", "model"])("what Ana likes, Ben may like as well, on the word of a %s who names him", async (by) => {
  const start = "# Memory\n\n## Ana\n\n- likes tea\n\n## Ben\n\n- sails\n";
  const { memory, text } = await place(start);
  expect(await memory.remember("cli:a", { fact: "likes tea", heading: "Ben", by })).toMatchObject({ kind: "saved" });
  expect(await text()).toBe(`${start}- likes tea\n`);
  expect(await memory.remember("cli:a", { fact: "likes tea", by })).toMatchObject({ kind: "known" });
});

it.each([
  ["before the first heading", "- sails\n\n## Ana\n\n- likes tea\n", "- sails\n- rows\n\n## Ana\n\n- likes tea\n"],
  [
    "behind the fact that is reworded with it",
    "- Age: 34\n\n## Ana\n\n- likes tea\n",
    "- Age: 35\n- rows\n\n## Ana\n\n- likes tea\n",
  ],
])("a fact under no heading goes %s, not into the last section", async (_, before, after) => {
  const { memory, text } = await place(before, () => ({ memory: after }));
  await sayAndDigest(memory, "I row. My age: 35.");
  expect(await text()).toBe(after);
});

it("a fact under no heading goes below the title, where all stands below one", async () => {
  const { memory, text } = await place("# Memory\n\n- sails\n\n## Ana\n\n- likes tea\n", () => ({
    memory: "- rows\n- sails\n\n## Ana\n\n- likes tea\n",
  }));
  await sayAndDigest(memory, "I row.");
  expect(await text()).toBe("# Memory\n\n- sails\n- rows\n\n## Ana\n\n- likes tea\n");
});
