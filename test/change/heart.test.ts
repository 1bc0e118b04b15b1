// @module-tag stores
// @module-tag long
import { describe, expect, it } from "vitest";
import { readKept, writeKept } from "../support/kept.ts";
import { presentMemory, sayAndDigest, startPlace } from "../trust/place.ts";
import type { Saved } from "../trust/place.ts";

const PEOPLE = "# Memory\n\n## Ana\n\n- likes tea\n- keeps bees\n\n## Ben\n\n- likes tea\n";

async function place(text: string, script: (shown: string) => Saved, config = {}) {
  const { memory, workspace, file } = await startPlace(script, config);
  const path = "memory/MEMORY.md";
  const edit = async (change: (before: string) => string) =>
    writeKept(workspace, path, change(await readKept(workspace, path)));
  await writeKept(workspace, path, text);
  return { memory, edit, text: () => file("MEMORY.md") };
}

const page = {
  role: "tool" as const,
  name: "web_fetch",
  tool_call_id: "f1",
  content: "The harbour opens at 6. Moorings cost 40 euros.",
};

/** A turn in which the user speaks of Ana's tea, and a tool fetches a page. */
async function talkWithPage(memory: Awaited<ReturnType<typeof place>>["memory"], words: string) {
  const session = await memory.session("cli:a");
  await session.append({ role: "user", content: words });
  await session.append({
    role: "assistant",
    content: null,
    tool_calls: [{ id: "f1", type: "function", function: { name: "web_fetch", arguments: "{}" } }],
  });
  await session.append(page);
  await session.append({ role: "assistant", content: "Noted." });
  return memory.consolidate("cli:a", { all: true });
}

describe("facts of the same words (cases 72 to 74)", () => {
  it("under two headings are two: rewording one, while another item waits, leaves the other alone", async () => {
    const { memory, text } = await place(PEOPLE, (shown) => ({
      memory: `${presentMemory(shown).replace("## Ana\n\n- likes tea", "## Ana\n\n- likes coffee now")}\n## Harbour\n\n- Moorings cost 40 euros\n`,
      removed: [{ fact: "likes tea", reason: "Ana changed her mind" }],
    }));
    expect(await talkWithPage(memory, "Ana likes coffee now, no longer tea.")).toMatchObject({ kind: "consolidated" });
    const reworded = PEOPLE.replace("## Ana\n\n- likes tea", "## Ana\n\n- likes coffee now");
    expect(await text()).toBe(reworded);
    const [waiting] = await memory.review();
    expect(waiting?.items).toMatchObject([{ kind: "add", fact: "Moorings cost 40 euros" }]);
    await memory.decide({ change: waiting?.change ?? "", verdict: "accept", by: "user" });
    expect(await text()).toBe(`${reworded}\n## Harbour\n\n- Moorings cost 40 euros\n`);
    await memory.undo({ by: "user" });
    expect(await text()).toBe(reworded);
    await memory.undo({ by: "user" });
    expect(await text()).toBe(PEOPLE);
  });

  it("are told apart when one of them waits, is accepted later, and is undone", async () => {
    const { memory, text } = await place(
      PEOPLE,
      (shown) => ({
        memory: presentMemory(shown).replace("## Ben\n\n- likes tea", "## Ben\n\n- likes coffee now"),
        removed: [{ fact: "likes tea", reason: "Ben changed his mind" }],
      }),
      { consolidation: { review: true } },
    );
    await sayAndDigest(memory, "Ben likes coffee now, no longer tea.");
    expect(await text()).toBe(PEOPLE);
    const [waiting] = await memory.review();
    await memory.decide({ change: waiting?.change ?? "", verdict: "accept", by: "user" });
    expect(await text()).toBe(PEOPLE.replace("## Ben\n\n- likes tea", "## Ben\n\n- likes coffee now"));
    await memory.undo({ by: "user" });
    expect(await text()).toBe(PEOPLE);
  });

  it("are told apart by an undo after a person edited elsewhere", async () => {
    const { memory, edit, text } = await place(PEOPLE, (shown) => ({
      memory: presentMemory(shown).replace("- likes tea", "- likes coffee now"),
      removed: [{ fact: "likes tea", reason: "changed her mind" }],
    }));
    await sayAndDigest(memory, "Ana likes coffee now.");
    const [digest] = await memory.trust.log({ limit: 1 });
    await edit((before) => `${before}- plays chess\n`);
    expect(await memory.undo({ id: digest?.id, by: "user" })).toMatchObject({
      kind: "undone",
      removed: ["likes coffee now"],
      restored: ["likes tea"],
    });
    expect(await text()).toBe(`${PEOPLE}- plays chess\n`);
  });

  it("in one list are two: a removal with a reason takes one of them", async () => {
    const twice = "# Memory\n\n- allergic to nuts\n- sails\n- allergic to nuts\n";
    const { memory, text } = await place(twice, () => ({
      memory: "# Memory\n\n- allergic to nuts\n- sails\n",
      removed: [{ fact: "allergic to nuts", reason: "stated twice" }],
    }));
    await sayAndDigest(memory, "Nothing new.");
    expect(await text()).toBe("# Memory\n\n- allergic to nuts\n- sails\n");
    await memory.undo({ by: "user" });
    expect(await text()).toBe(twice);
  });

  it("stay both when two facts are remembered, a line is doubled by hand, and both are undone", async () => {
    const { memory, edit, text } = await place("# Memory\n", () => ({ memory: "" }));
    await memory.remember("cli:a", { fact: "The anchor is red", by: "user" });
    await memory.remember("cli:a", { fact: "The barrel is blue", by: "user" });
    await edit((before) =>
      before.replace("- The barrel is blue\n", "- The compass is green\n- The compass is green\n"),
    );
    const remembered = (await memory.trust.log()).filter(({ cause }) => cause === "remember");
    for (const { id } of remembered) await memory.undo({ id, by: "user" });
    expect((await text()).match(/The compass is green/g)).toHaveLength(2);
  });

  it("has a reason for one fact only, however like the others are", async () => {
    const keys =
      "# Memory\n\n- Backup key 1 lies in the safe\n- Backup key 2 lies in the safe\n- Backup key 3 lies in the safe\n- sails\n";
    const { memory, text } = await place(keys, () => ({
      memory: "# Memory\n\n- sails\n",
      removed: [{ fact: "Backup key 1 lies in the safe", reason: "thrown away" }],
    }));
    await sayAndDigest(memory, "I threw backup key 1 away.");
    expect(await text()).toBe(keys.replace("- Backup key 1 lies in the safe\n", ""));
  });
});

it("an undo takes back one of two equal facts, though another stands before it and others came behind", async () => {
  const { memory, edit, text } = await place("# Memory\n\n## Facts\n\n- The anchor is green\n", () => ({ memory: "" }));
  await memory.remember("cli:a", { fact: "The anchor is blue", by: "user" });
  await edit((before) => before.replace("- The anchor is green", "- The anchor is blue"));
  await memory.remember("cli:a", { fact: "The anchor is green", by: "user" });
  const log = await memory.trust.log({ limit: 9 });
  const brought = log.findLast(({ added }) => added.includes("The anchor is blue"));
  expect(await memory.undo({ id: brought?.id, by: "user" })).toMatchObject({
    kind: "undone",
    removed: ["The anchor is blue"],
  });
  expect(await text()).toBe("# Memory\n\n## Facts\n\n- The anchor is blue\n- The anchor is green\n");
});

describe("a fact that was put under another heading since", () => {
  const start = "# Memory\n\n## Facts\n\n- keeps bees\n\n## Ana\n\n- likes jazz\n";
  const moved = (text: string) =>
    text.replace("- owns a boat\n", "").replace("- likes jazz\n", "- likes jazz\n- owns a boat\n");

  it("goes with the undo of what brought it", async () => {
    const { memory, edit, text } = await place(start, () => ({ memory: "" }));
    await memory.remember("cli:a", { fact: "owns a boat", by: "user" });
    await edit(moved);
    await memory.remember("cli:a", { fact: "plays chess", by: "user" });
    const brought = (await memory.trust.log({ limit: 9 })).find(({ added }) => added.includes("owns a boat"));
    expect(await memory.undo({ id: brought?.id, by: "user" })).toMatchObject({
      kind: "undone",
      removed: ["owns a boat"],
    });
    expect(await text()).toBe(start.replace("- keeps bees\n", "- keeps bees\n- plays chess\n"));
  });

  it("stays when it was taken out there and said anew", async () => {
    const { memory, edit, text } = await place(start, () => ({ memory: "" }));
    await memory.remember("cli:a", { fact: "owns a boat", by: "user" });
    await edit(moved);
    await memory.retire("cli:a", "owns a boat", "user");
    await memory.remember("cli:a", { fact: "owns a boat", heading: "Ana", by: "user" });
    const [brought] = (await memory.trust.log({ limit: 9 }))
      .filter(({ added }) => added.includes("owns a boat"))
      .slice(-1);
    expect(await memory.undo({ id: brought?.id, by: "user" })).toEqual({ kind: "nothing" });
    expect(await text()).toContain("- owns a boat\n");
  });
});

describe("a change and its undo give back the bytes (case 75)", () => {
  it.each([
    ["a code block", "# M\n\n- a\n\n```sh\n# not a heading\n- not an item\n```\n- b\n"],
    ["a fence inside an item", "- run this:\n  ```sh\n  npm i\n  - x\n  ```\n- b\n"],
    ["a table", "| a | b |\n|---|---|\n| 1 | 2 |\n\n- c\n"],
    ["nested lists", "- a\n  - b\n    1. c\n  - b\n- d\n"],
    ["CRLF", "# M\r\n\r\n- a\r\n- b\r\n"],
    ["one CRLF line", "# M\n\n- a\r\n- b\n"],
    ["no last newline", "# M\n\n- a\n- b"],
    ["front matter", "---\ntitle: x\n---\n\n# M\n\n- a\n"],
    ["comments", "# M\n\n<!-- a\ncomment -->\n\n- a <!-- why -->\n- b\n"],
    ["a comment that never ends", "# M\n\n- a <!-- oops\n- b\n\n<!-- and here\n\n- c\n"],
    ["equal lines", "- a\n- a\n\n## X\n\n- a\n"],
    ["tilde fences and rules", "~~~\n- x\n~~~\n\n---\n\n- b\n***\n- c\n"],
    ["a byte order mark", "\uFEFF# M\n\n- a\n"],
    ["setext headings", "Title\n=====\n\n- a\n\nSub\n---\n- b\n"],
    ["loose items and paragraphs", "- a\n\n  more of a\n\n- b\n\nA paragraph\nof two lines.\n\n> quoted\n"],
  ])("with %s", async (_, text) => {
    const { memory, text: now } = await place(text, () => ({ memory: "" }));
    await memory.remember("cli:a", { fact: "The anchor is red", by: "user" });
    expect(await now()).toContain("- The anchor is red");
    await memory.retire("cli:a", "The anchor is red", "user");
    await memory.remember("cli:a", { fact: "The barrel is blue", heading: "Boat", by: "user" });
    const facts = (await memory.trust.blame()).map(({ fact }) => fact);
    expect(facts).toContain("The barrel is blue");
    for (let undone = 0; undone < 3; undone++)
      expect(await memory.undo({ by: "user" })).toMatchObject({ kind: "undone" });
    expect(await now()).toBe(text);
  });
});
