// @module-tag long
import fc from "fast-check";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { applyPatch, changedParts, makePatch } from "../src/history/text-patch.ts";
import { open } from "./support/talk.ts";
import { temporaryFolder } from "./support/workspace.ts";

const lines = fc.array(fc.constantFrom("- a", "- b", "- c", "", "# d", "- 你好", "- e".repeat(200)), { maxLength: 40 });
const texts = lines.map((all) => all.join("\n"));

describe("the difference of two texts", () => {
  it("gives the second back from the first, whatever they are", () => {
    fc.assert(fc.property(texts, texts, (one, other) => applyPatch(one, makePatch(one, other)) === other));
  });

  it("is short where one line goes at the top and another comes at the end", () => {
    const before = Array.from({ length: 200 }, (_, index) => `- fact number ${index}\n`);
    const after = [...before.slice(1), "- a new fact\n"];
    expect(makePatch(before.join(""), after.join("")).length).toBeLessThan(100);
  });

  it("shows every line that is new", () => {
    const isShown = (one: string, other: string) => {
      const shown = changedParts(one, other, 0).join("\n").split("\n");
      const known = new Set(one.split("\n"));
      return other.split("\n").every((line) => known.has(line) || shown.includes(line));
    };
    fc.assert(fc.property(texts, texts, isShown));
  });
});

describe("what is told of facts", () => {
  it("tells the same story after a forget has rewritten history", async () => {
    const workspace = temporaryFolder();
    const memory = await open({ workspace });
    for (const fact of ["Likes tea", "Keeps the secret zanzibar", "Sails on Fridays"])
      await memory.remember("cli:a", { fact, by: "test" });
    await memory.remember("cli:a", { fact: "Likes green tea", replaces: "Likes tea", by: "test" });
    await memory.trust.forget({ text: "zanzibar" });
    expect(await memory.trust.ledger()).toMatchObject({ entered: 3, standing: 2, reworded: 1, retired: 0, lost: [] });
    expect(await memory.trust.why("zanzibar")).toEqual([]);
    expect(await memory.trust.why("Likes green tea")).toMatchObject([{ replaced: ["Likes tea"] }]);
    for (const path of ["changes/memory.jsonl", ".tidemark/cache.sqlite", ".tidemark/queue.sqlite"])
      expect(readFileSync(join(workspace, path), "latin1")).not.toContain("zanzibar");
  });
});

describe("the list of sessions", () => {
  it("tells the same from the end of a log as an open log does, and sees what was added", async () => {
    const memory = await open({ workspace: temporaryFolder(), config: { agents: { defaults: { memoryWindow: 10 } } } });
    const session = await memory.session("cli:a");
    for (let count = 0; count < 12; count++)
      await session.append({ role: count % 2 === 0 ? "user" : "assistant", content: `message ${count}` });
    const listed = async () => (await memory.listSessions()).sessions[0];
    for (const change of [
      () => memory.consolidate("cli:a"),
      () => session.append({ role: "user", content: "one more" }),
      () => session.setMetadata({ mood: "good" }),
    ]) {
      await change();
      const { createdAt, updatedAt, cursor, length: messages } = session;
      expect(await listed()).toMatchObject({ key: "cli:a", createdAt, updatedAt, cursor, messages });
    }
    expect(session.cursor).toBeGreaterThan(0);
  });
});
