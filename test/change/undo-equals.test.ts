// @module-tag long
import { expect, it } from "vitest";
import { readKept, writeKept } from "../support/kept.ts";
import { startPlace } from "../trust/place.ts";

const path = "memory/MEMORY.md";

async function place(text: string) {
  const { memory, workspace, file } = await startPlace(() => ({ memory: "" }));
  await writeKept(workspace, path, text);
  const edit = async (change: (before: string) => string) =>
    writeKept(workspace, path, change(await readKept(workspace, path)));
  const newest = async () => (await memory.history.latest("", "MEMORY.md"))?.change.id ?? "";
  return { memory, edit, newest, text: () => file("MEMORY.md") };
}

it("what comes back stands under its own heading, though a section came behind it since", async () => {
  const { memory, newest, text } = await place("# M\n\n## Ana\n\n- sails\n\n## Ben\n\n- likes tea\n");
  await memory.retire("cli:a", "likes tea", "user");
  const retired = await newest();
  await memory.remember("cli:a", { fact: "keeps bees", heading: "Cleo", by: "user" });
  await memory.undo({ id: retired, by: "user" });
  // The empty line that was left below Ben ends the file by now.
  expect(await text()).toBe("# M\n\n## Ana\n\n- sails\n\n## Ben\n\n- likes tea\n\n## Cleo\n\n- keeps bees\n\n");
});

it("one of two equal facts comes back under its own heading, too", async () => {
  const start = "# M\n\n## Ana\n\n- likes tea\n\n## Ben\n\n- sails\n- likes tea\n- likes tea\n";
  const { memory, newest, text } = await place(start);
  await memory.retire("cli:a", { text: "likes tea", path: ["M", "Ben"], place: 1 }, "user");
  const retired = await newest();
  await memory.remember("cli:a", { fact: "keeps bees", heading: "Cleo", by: "user" });
  await memory.undo({ id: retired, by: "user" });
  expect(await text()).toBe(`${start}\n## Cleo\n\n- keeps bees\n`);
});

it("a change is undone, redone and undone again, though its fact was put under another heading in between", async () => {
  const { memory, edit, newest, text } = await place("# M\n\n## Ana\n\n- sails\n");
  await memory.remember("cli:a", { fact: "likes tea", heading: "Ben", by: "user" });
  const brought = await newest();
  const moved = "# M\n\n## Ana\n\n- sails\n- likes tea\n\n## Ben\n";
  await edit(() => moved);
  await memory.undo({ id: brought, by: "user" });
  const undone = await newest();
  expect(await text()).not.toContain("likes tea");
  await memory.undo({ id: undone, by: "user" });
  expect(await text()).toBe(moved);
  expect(await memory.undo({ id: brought, by: "user" })).toMatchObject({ kind: "undone", removed: ["likes tea"] });
  expect(await text()).not.toContain("likes tea");
});

it("a rewording that was moved is taken back where it stands, though the same words stood there all the while", async () => {
  const { memory, edit, newest, text } = await place(
    "# M\n\n## Ana\n\n- likes tea\n\n## Ben\n\n- likes tea\n- sails\n",
  );
  const replaces = { text: "likes tea", path: ["M", "Ben"], place: 0 };
  await memory.remember("cli:a", { fact: "likes green tea", replaces, by: "user" });
  const reworded = await newest();
  await edit(() => "# M\n\n## Ana\n\n- likes tea\n- likes green tea\n\n## Ben\n\n- sails\n");
  await memory.undo({ id: reworded, by: "user" });
  expect(await text()).toBe("# M\n\n## Ana\n\n- likes tea\n- likes tea\n\n## Ben\n\n- sails\n");
});

it("an agent's move of a fact is taken back after others edited", async () => {
  const start = "# M\n\n## Ana\n\n- likes tea\n- sails\n\n## Ben\n\n- likes tea\n";
  const { memory, edit, newest, text } = await place(start);
  await memory.rewrite("cli:a", "# M\n\n## Ana\n\n- likes tea\n\n## Ben\n\n- likes tea\n- sails\n", "model");
  const moved = await newest();
  await edit((before) => before.replace("## Ana\n\n- likes tea\n", "## Ana\n\n- plays chess\n"));
  await memory.undo({ id: moved, by: "user" });
  expect(await text()).toBe("# M\n\n## Ana\n\n- plays chess\n- sails\n\n## Ben\n\n- likes tea\n");
});

it("a rewording that was moved is taken back, though another fact in its old words was moved there, too", async () => {
  const { memory, edit, newest, text } = await place(
    "# M\n\n## Ana\n\n- sails\n\n## Ben\n\n- likes tea\n\n## Cleo\n\n- likes tea\n",
  );
  const replaces = { text: "likes tea", path: ["M", "Ben"], place: 0 };
  await memory.remember("cli:a", { fact: "keeps bees", replaces, by: "user" });
  const reworded = await newest();
  await edit(() => "# M\n\n## Ana\n\n- sails\n- likes tea\n\n## Ben\n\n- keeps bees\n\n## Cleo\n\n");
  await memory.trust.look();
  await edit(() => "# M\n\n## Ana\n\n- sails\n- likes tea\n- keeps bees\n\n## Ben\n\n\n## Cleo\n\n");
  await memory.undo({ id: reworded, by: "user" });
  expect(await text()).toBe("# M\n\n## Ana\n\n- sails\n- likes tea\n- likes tea\n\n## Ben\n\n\n## Cleo\n\n");
});

it("its own fact is taken back in a text that came to be the same again", async () => {
  const start = "# M\n\n## Ana\n\n- sails\n- keeps bees\n\n## Ben\n\n- likes tea\n";
  const { memory, edit, newest, text } = await place(start);
  const replaces = { text: "keeps bees", path: ["M", "Ana"], place: 0 };
  await memory.remember("cli:a", { fact: "likes tea", replaces, by: "user" });
  const reworded = await newest();
  const same = await text();
  await edit(() => "# M\n\n## Ana\n\n- sails\n- likes tea\n\n## Ben\n\n");
  await memory.trust.look();
  await edit(() => "# M\n\n## Ana\n\n- sails\n\n## Ben\n\n- likes tea\n");
  await memory.remember("cli:a", { fact: "likes tea", heading: "Ana", by: "user" });
  expect(await text()).toBe(same);
  await memory.undo({ id: reworded, by: "user" });
  expect(await text()).toBe("# M\n\n## Ana\n\n- sails\n- likes tea\n\n## Ben\n\n- keeps bees\n");
});
