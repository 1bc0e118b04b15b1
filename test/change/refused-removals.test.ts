// @module-tag long
import { describe, expect, it } from "vitest";
import type { ConfigInput } from "../../src/index.ts";
import { writeKept } from "../support/kept.ts";
import { sayAndDigest, startPlace } from "../trust/place.ts";
import type { Saved } from "../trust/place.ts";

const NESTED = "# Memory\n\n- Ana\n  - likes tea\n- Ben sails\n";

async function place(text: string, answer: Saved = { memory: text }, config: ConfigInput = {}) {
  const { memory, workspace, file } = await startPlace(() => answer, config);
  const write = (next: string) => writeKept(workspace, "memory/MEMORY.md", next);
  await write(text);
  const waiting = async () => (await memory.review()).flatMap(({ items }) => items.map(({ fact }) => fact));
  return { memory, write, waiting, text: () => file("MEMORY.md") };
}

describe("a removal after which other lines would read differently", () => {
  it.each([
    ["a rule would make a heading of the line above", "words\n- goes\n---\n", "words\n\n---\n"],
    ["two paragraphs would become one", "one\n```\ngoes\n```\ntwo\n", "one\n\ntwo\n"],
    [
      "rules at the top would hide what is between them",
      "- goes\n---\nname: Ana\n\n---\n",
      "\n---\nname: Ana\n\n---\n",
    ],
    ["with other line ends", "words\r\n- goes\r\n---\r\n", "words\r\n\r\n---\r\n"],
    ["a list needs no empty line", "- one\n- goes\n- two\n", "- one\n- two\n"],
  ])("leaves an empty line where that is all it takes: %s", async (_, before, after) => {
    const { memory, text } = await place(before);
    const goes = before.includes("```") ? "``` goes ```" : "goes";
    expect(await memory.retire("cli:a", goes, "user")).toEqual({ kind: "retired", fact: goes });
    expect(await text()).toBe(after);
  });

  it("is told as not done where an item has others below it, and leaves nothing on record", async () => {
    const { memory, text, waiting } = await place(NESTED);
    const runs = (await memory.trust.log()).length;
    const receipt = await memory.retire("cli:a", "Ana", "user");
    expect(receipt).toEqual({
      kind: "unclear",
      reason: expect.stringMatching(/^"Ana" stays: .*below it/),
      candidates: [],
    });
    expect(await text()).toBe(NESTED);
    expect(await waiting()).toEqual([]);
    const added = (await memory.trust.log()).slice(runs).map(({ cause }) => cause);
    expect(added).not.toContain("retire");
    expect(await memory.retire("cli:a", "likes tea", "user")).toMatchObject({ kind: "retired" });
    expect(await memory.retire("cli:a", "Ana", "user")).toMatchObject({ kind: "retired" });
    expect(await text()).toBe("# Memory\n\n- Ben sails\n");
  });

  const removal: Saved = {
    memory: "# Memory\n\n- likes tea\n- Ben sails\n",
    removed: [{ fact: "Ana", reason: "Ana moved away" }],
  };

  it("waits in the review when a model proposes it", async () => {
    const { memory, text, waiting } = await place(NESTED, removal);
    await sayAndDigest(memory, "Ana moved away.");
    expect(await text()).toContain("- Ana\n  - likes tea\n");
    expect(await waiting()).toContain("Ana");
  });

  it("goes on waiting, with the reason, when it is accepted; what can be done is done", async () => {
    const both = { ...removal, removed: [...(removal.removed ?? []), { fact: "Ben sails", reason: "sold the boat" }] };
    const answer = { ...both, memory: "# Memory\n\n" };
    const { memory, write, waiting, text } = await place(NESTED, answer, { consolidation: { review: true } });
    await sayAndDigest(memory, "Ana moved away, and Ben sold the boat.");
    expect(await waiting()).toEqual(["Ana", "Ben sails"]);
    const [{ change } = { change: "" }] = await memory.review();
    expect(await memory.decide({ change, verdict: "accept", by: "user" })).toEqual({
      change,
      accepted: ["Ben sails"],
      rejected: [],
      refused: [{ fact: "Ana", reason: expect.stringContaining("below it") }],
      left: 1,
      decision: expect.any(String),
    });
    expect(await text()).toBe("# Memory\n\n- Ana\n  - likes tea\n");
    expect(await waiting()).toEqual(["Ana"]);
    const again = await memory.decide({ change, verdict: "accept", by: "user" });
    expect(again).toMatchObject({ accepted: [], left: 1, decision: null });
    await write("# Memory\n\n- Ana\n");
    expect(await memory.decide({ change, verdict: "accept", by: "user" })).toMatchObject({
      accepted: ["Ana"],
      left: 0,
    });
    expect(await text()).toBe("# Memory\n\n");
    expect(await waiting()).toEqual([]);
  });
});
