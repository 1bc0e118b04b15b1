// @module-tag stores
import { expect, it } from "vitest";
import { sayAndDigest, startPlace } from "../trust/place.ts";

it("cuts a diary entry that runs on, and says so", async () => {
  const entry = `[2026-11-15 09:00] ${"They talked on and on. ".repeat(2000)}`;
  const { memory, file } = await startPlace(() => ({ memory: "- Ana sails\n", entry }));
  const { outcome } = await sayAndDigest(memory, "I am Ana, and I sail.");
  expect(outcome).toMatchObject({ kind: "consolidated" });
  expect((await file("HISTORY.md")).length).toBeLessThan(25_000);
  expect(await file("HISTORY.md")).toMatch(/\(cut: the entry had 46018 characters\)/);
});

it("refuses a memory of megabytes as a failure: the third archives the talk as it was said", async () => {
  const flood = Array.from({ length: 60_000 }, (_, index) => `- Fact number ${index} of too many`).join("\n");
  const { memory, file } = await startPlace(() => ({ memory: flood }));
  const { outcome } = await sayAndDigest(memory, "I keep bees.");
  expect(outcome).toMatchObject({ kind: "refused", failures: 1, reason: expect.stringContaining("characters") });
  expect(await memory.readMemory()).toBe("");
  await memory.consolidate("cli:a", { all: true });
  expect(await memory.consolidate("cli:a", { all: true })).toMatchObject({ kind: "archived-raw" });
  expect(await file("HISTORY.md")).toContain("I keep bees.");
});
