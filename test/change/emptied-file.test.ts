// @module-tag long
import { closeSync, ftruncateSync, openSync, readFileSync, utimesSync, writeSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Memory } from "../../src/index.ts";
import { open } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";

const LONG_AGO = new Date("2026-01-01T00:00:00Z");

describe("an editor that stands still between emptying MEMORY.md and writing it", () => {
  it.each<[string, (memory: Memory) => Promise<unknown>]>([
    ["is looked at", (memory) => memory.tidy()],
    ["is changed", (memory) => memory.remember("cli:a", { fact: "Likes coffee", by: "test" })],
  ])("loses nothing when the file %s meanwhile", async (_, meanwhile) => {
    const workspace = temporaryFolder();
    const path = join(workspace, "memory/MEMORY.md");
    const memory = await open({ workspace });
    for (const fact of ["Likes tea", "Has a boat", "Sails in June"])
      await memory.remember("cli:a", { fact, by: "test" });
    const text = readFileSync(path, "utf8");
    // The window was opened before our last change.
    await memory.remember("cli:a", { fact: "Reads Homer", by: "test" });
    const file = openSync(path, "r+");
    ftruncateSync(file);
    // Emptied so long ago that nobody waits for the words any more.
    utimesSync(path, LONG_AGO, LONG_AGO);
    await meanwhile(memory);
    writeSync(file, `${text}- Written by hand\n`, 0);
    closeSync(file);
    await memory.remember("cli:a", { fact: "Likes plums", by: "test" });
    const after = await memory.readMemory();
    for (const fact of ["Likes tea", "Has a boat", "Sails in June", "Written by hand", "Likes plums"])
      expect([fact, after.split(`- ${fact}\n`).length - 1]).toEqual([fact, 1]);
    // The save did not have it, and is taken at its word; a person decides.
    expect(after).not.toContain("Reads Homer");
    expect((await memory.review()).flatMap(({ items }) => items.map(({ fact }) => fact))).toContain("Reads Homer");
    await memory.close();
  });
});
