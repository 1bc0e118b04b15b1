import { expect, it } from "vitest";
import { readKept, writeKept } from "../support/kept.ts";
import { presentMemory, sayAndDigest, startPlace } from "./place.ts";
import type { Saved } from "./place.ts";

const path = "memory/MEMORY.md";

async function place(text: string, script: (memory: string) => Saved = () => ({ memory: "" })) {
  const { memory, workspace } = await startPlace((shown) => script(presentMemory(shown)));
  await writeKept(workspace, path, text);
  const edit = async (change: (before: string) => string) =>
    writeKept(workspace, path, change(await readKept(workspace, path)));
  return { memory, edit };
}

it("of equal facts in one list each has the change that brought it, and its own source", async () => {
  const { memory, edit } = await place("# Memory\n\n## Facts\n\n- sails\n");
  await (await memory.session("cli:a")).append({ role: "user", content: "I like tea." });
  await memory.remember("cli:a", { fact: "likes tea", by: "user" });
  await edit((before) => before.replace("- sails\n", "- likes tea\n- sails\n"));
  await memory.remember("cli:a", { fact: "likes tea", heading: "Ana", by: "user" });
  const ids = (await memory.history.list()).map(({ id }) => id);
  const expected = [
    { fact: "likes tea", line: 5, place: 0, author: "person", change: ids[2], session: null },
    { fact: "likes tea", line: 7, place: 1, author: "person", change: ids[1], session: "cli:a" },
    { fact: "likes tea", line: 11, under: ["Memory", "Ana"], author: "person", change: ids[3] },
  ];
  expect((await memory.trust.blame()).filter(({ fact }) => fact === "likes tea")).toMatchObject(expected);
  const stories = await memory.trust.why("likes tea");
  expect(stories).toMatchObject(expected);
  expect(stories.map(({ history }) => history.map(({ change }) => ids.indexOf(change) + 1))).toEqual([
    [2, 3],
    [2, 3],
    [4],
  ]);
});

it("of equal facts under two headings each has what itself took the place of, also after one was moved", async () => {
  const people = "# Memory\n\n## Ana\n\n- likes tea\n\n## Ben\n\n- likes milk\n";
  const { memory, edit } = await place(people, (text) => ({
    memory: text.includes("tea")
      ? text.replace("likes tea", "likes coffee")
      : text.replace("likes milk", "likes coffee"),
    removed: [{ fact: text.includes("tea") ? "likes tea" : "likes milk", reason: "changed" }],
  }));
  await sayAndDigest(memory, "Ana likes coffee now, no longer tea.");
  await sayAndDigest(memory, "Ben likes coffee now, no longer milk.");
  await edit((before) =>
    before.replace("- likes coffee\n", "").replace("## Ben", "## Cleo\n\n- likes coffee\n\n## Ben"),
  );
  const stories = await memory.trust.why("likes coffee");
  const ids = (await memory.history.list({ scope: "", file: "MEMORY.md" })).map(({ id }) => id);
  expect(stories.map(({ under, replaced, change }) => ({ under, replaced, change }))).toEqual([
    { under: ["Memory", "Cleo"], replaced: ["likes tea"], change: ids[1] },
    { under: ["Memory", "Ben"], replaced: ["likes milk"], change: ids[2] },
  ]);
  const blamed = await memory.trust.blame();
  expect(blamed.map(({ under, change }) => [under.at(-1), change])).toEqual([
    ["Cleo", ids[1]],
    ["Ben", ids[2]],
  ]);
});
