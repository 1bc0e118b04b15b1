// @module-tag long
import { describe, expect, it } from "vitest";
import type { Memory } from "../../src/index.ts";
import { readKept, writeKept } from "../support/kept.ts";
import { presentMemory, sayAndDigest, startPlace } from "../trust/place.ts";
import type { Saved } from "../trust/place.ts";

const PEOPLE = "# Memory\n\n## Ana\n\n- likes tea\n- keeps bees\n\n## Ben\n\n- likes tea\n";
const ANA = "## Ana\n\n- likes tea\n";

async function place(text: string, script: (memory: string) => Saved, config = {}) {
  const { memory, workspace, file } = await startPlace((shown) => script(presentMemory(shown)), config);
  const path = "memory/MEMORY.md";
  await writeKept(workspace, path, text);
  const edit = async (change: (before: string) => string) =>
    writeKept(workspace, path, change(await readKept(workspace, path)));
  return { memory, edit, text: () => file("MEMORY.md") };
}

/** A memory in which a proposal waits; then a person edits, and accepts. */
async function acceptAfter(text: string, script: (memory: string) => Saved, change: (before: string) => string) {
  const opened = await place(text, script, { consolidation: { review: true } });
  await sayAndDigest(opened.memory, "Something was said.");
  await opened.edit(change);
  await acceptAll(opened.memory);
  return opened;
}

async function acceptAll(memory: Memory): Promise<void> {
  for (const { change } of await memory.review()) await memory.decide({ change, verdict: "accept", by: "user" });
}

describe("what waits is accepted for the fact that it meant", () => {
  const rewords = (memory: string): Saved => ({
    memory: memory.replace(ANA, "## Ana\n\n- likes coffee now\n"),
    removed: [{ fact: "likes tea", reason: "Ana changed her mind" }],
  });
  const removes = (memory: string): Saved => ({
    memory: memory.replace(ANA, "## Ana\n\n"),
    removed: [{ fact: "likes tea", reason: "Ana stopped" }],
  });

  it("a rewording leaves Ben's fact alone when Ana's is gone by then", async () => {
    const { text } = await acceptAfter(PEOPLE, rewords, (before) => before.replace(ANA, "## Ana\n\n"));
    expect(await text()).toBe(PEOPLE.replace(`${ANA}- keeps bees\n`, "## Ana\n\n- keeps bees\n- likes coffee now\n"));
  });

  it("a removal leaves Ben's fact alone when Ana's is gone by then", async () => {
    const { text } = await acceptAfter(PEOPLE, removes, (before) => before.replace(ANA, "## Ana\n\n"));
    expect(await text()).toBe(PEOPLE.replace(ANA, "## Ana\n\n"));
  });

  it("a removal follows Ana's fact under another heading", async () => {
    const moved = (before: string) => `${before.replace(ANA, "## Ana\n\n")}\n## Cleo\n\n- likes tea\n`;
    const { text } = await acceptAfter(PEOPLE, removes, moved);
    expect(await text()).toBe(`${PEOPLE.replace(ANA, "## Ana\n\n")}\n## Cleo\n\n`);
  });

  it("of two equal facts the other stays when a person took the one out that was to go", async () => {
    const once = "# Memory\n\n- allergic to nuts\n- sails\n";
    const script = () => ({ memory: once, removed: [{ fact: "allergic to nuts", reason: "stated twice" }] });
    const { text } = await acceptAfter(`${once}- allergic to nuts\n`, script, () => once);
    expect(await text()).toBe(once);
  });

  it("what was accepted, undone and accepted again is done again", async () => {
    const { memory, text } = await acceptAfter(PEOPLE, removes, (before) => before);
    await memory.undo({ by: "user" });
    expect(await text()).toBe(PEOPLE);
    await acceptAll(memory);
    expect(await text()).toBe(PEOPLE.replace(ANA, "## Ana\n\n"));
  });

  it("new words for an item that is gone come below the same item, not under a heading of its words", async () => {
    const pets = "# Memory\n\n## Ana\n\n- has pets\n  - a cat called Tom\n  - a dog called Rex\n";
    const { text } = await acceptAfter(
      pets,
      (memory) => ({ memory: memory.replace("a cat", "a grey cat") }),
      (before) => before.replace("  - a cat called Tom\n", ""),
    );
    expect(await text()).toBe("# Memory\n\n## Ana\n\n- has pets\n  - a dog called Rex\n  - a grey cat called Tom\n");
  });
});

describe("a text of which a part waits", () => {
  /** Rewrites MEMORY.md after a page was read, so that what the page says waits. */
  async function rewrite(text: string, said: string, proposed: string) {
    const { memory, ...rest } = await place(text, () => ({ memory: "" }));
    const session = await memory.session("cli:a");
    await session.append({ role: "user", content: said });
    const call = { id: "f1", type: "function" as const, function: { name: "web_fetch", arguments: "{}" } };
    await session.append({ role: "assistant", content: null, tool_calls: [call] });
    const page = "The harbour opens at 6. Moorings cost 40 euros.";
    await session.append({ role: "tool", name: "web_fetch", tool_call_id: "f1", content: page });
    await memory.rewrite("cli:a", proposed, "model");
    return { memory, ...rest };
  }
  const moorings = "- Moorings cost 40 euros\n";

  it("loses no fact that it puts under another heading, before and after it is accepted", async () => {
    const proposed = "# Memory\n\n## Ana\n\n- likes tea\n\n## Ben\n\n- likes tea\n- keeps bees\n";
    const { memory, text } = await rewrite(PEOPLE, "Ana plays chess.", `${proposed}${moorings}`);
    expect(await text()).toBe(PEOPLE);
    const [waiting] = await memory.review();
    expect(waiting?.items).toMatchObject([
      { kind: "move", fact: "keeps bees", heading: "Ana", to: "Ben" },
      { kind: "add", fact: "Moorings cost 40 euros" },
    ]);
    await acceptAll(memory);
    expect(await text()).toBe(`${proposed}${moorings}`);
    await memory.undo({ by: "user" });
    expect(await text()).toBe(PEOPLE);
  });

  it("carries out the moves that need not wait", async () => {
    const proposed = "# Memory\n\n## Ana\n\n- likes tea\n\n## Ben\n\n- likes tea\n- keeps bees\n";
    const { memory, text } = await rewrite(PEOPLE, "Forget that Ana keeps bees.", `${proposed}${moorings}`);
    expect(await text()).toBe(proposed);
    await acceptAll(memory);
    expect(await text()).toBe(`${proposed}${moorings}`);
  });

  it("loses no fact under a heading that it renames", async () => {
    const { memory, text } = await rewrite(PEOPLE, "Hello.", `${PEOPLE.replace("Ana", "Anna")}${moorings}`);
    expect(await text()).toBe(PEOPLE);
    await acceptAll(memory);
    const facts = (await memory.trust.blame()).map(({ under, fact }) => [...under.slice(1), fact].join(": "));
    expect(facts.toSorted()).toEqual([
      "Anna: keeps bees",
      "Anna: likes tea",
      "Ben: Moorings cost 40 euros",
      "Ben: likes tea",
    ]);
  });
});
