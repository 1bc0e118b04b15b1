// @module-tag stores
// @module-tag long
import { closeSync, ftruncateSync, openSync, renameSync, writeSync } from "node:fs";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Memory } from "../../src/index.ts";
import { appendKept, ofFolder, readKept, testStore, writeKept } from "../support/kept.ts";
import { open, textsLeft } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";

async function place(text = "# Memory\n\n- sails\n") {
  const workspace = temporaryFolder();
  const memory = await open({ workspace });
  const file = "memory/MEMORY.md";
  await writeKept(workspace, file, text);
  await look(memory);
  const save = (words: string) => writeKept(workspace, file, words);
  return { memory, path: join(workspace, file), workspace, save, read: () => readKept(workspace, file) };
}

async function renameOver(workspace: string, path: string, text: string): Promise<void> {
  await writeKept(workspace, `${path}.new`, text);
  renameSync(join(workspace, `${path}.new`), join(workspace, path));
}

/** A look of a working process puts what it finds on record. */
const look = (memory: Memory) => memory.retire("cli:a", "nothing of the kind", "user");
const remember = (memory: Memory, fact: string) => memory.remember("cli:a", { fact, by: "user" });

describe("an editor that had the old file open", () => {
  ofFolder("an editor has the file open")("loses no line that it appends after the file was replaced", async () => {
    const { memory, path, read } = await place();
    const old = openSync(path, "a");
    await remember(memory, "The anchor is red");
    writeSync(old, "- written by hand\n");
    closeSync(old);
    await look(memory);
    expect(await read()).toMatch(/- sails\n- written by hand\n[\s\S]*- The anchor is red\n/);
    expect((await textsLeft(memory)).at(-1)).toBe(await read());
  });

  ofFolder("an editor has the file open")(
    "loses no text that it writes over the old one, and none of ours goes",
    async () => {
      const { memory, path, read } = await place();
      const old = openSync(path, "r+");
      await remember(memory, "The anchor is red");
      writeSync(old, "# Memory\n\n- sails at night\n", 0);
      closeSync(old);
      await look(memory);
      expect(await read()).toContain("- sails at night\n");
      expect(await read()).not.toContain("- sails\n");
      expect(await read()).toContain("- The anchor is red\n");
    },
  );

  const ways: [string, typeof renameOver][] = [["writes the file anew", writeKept]];
  if (testStore === undefined) ways.push(["renames another over it", renameOver]);
  it.each(ways)("and %s a minute later is taken at its word; what it left out of ours waits", async (_, save) => {
    const { memory, workspace, read } = await place();
    const buffer = await read();
    await remember(memory, "The anchor is red");
    await remember(memory, "The barrel is blue");
    await save(workspace, "memory/MEMORY.md", `${buffer}- plays chess\n`);
    await look(memory);
    expect(await read()).toBe(`${buffer}- plays chess\n`);
    const [waiting] = await memory.review();
    expect(waiting?.items.map(({ kind, fact }) => [kind, fact])).toEqual([
      ["add", "The anchor is red"],
      ["add", "The barrel is blue"],
    ]);
    await memory.decide({ change: waiting?.change ?? "", verdict: "accept", by: "user" });
    for (const fact of ["sails", "plays chess", "The anchor is red", "The barrel is blue"])
      expect(await read()).toContain(`- ${fact}\n`);
    expect(await memory.review()).toEqual([]);
  });

  ofFolder("an editor has the file open")("loses nothing of a save that takes several writes", async () => {
    const facts = Array.from({ length: 40 }, (_, number) => `- fact number ${number}\n`).join("");
    const { memory, path, read } = await place(`# Memory\n\n${facts}`);
    const shown = await read();
    const old = openSync(path, "r+");
    await remember(memory, "The anchor is red");
    const [text, half] = [`${shown}- by hand\n`, Math.floor(shown.length / 2)];
    ftruncateSync(old);
    writeSync(old, text.slice(0, half), 0);
    const looking = look(memory);
    await new Promise((resolve) => setTimeout(resolve, 20));
    writeSync(old, text.slice(half), half);
    closeSync(old);
    await looking;
    await look(memory);
    for (const line of [...facts.split("\n"), "- by hand", "- The anchor is red"])
      expect((await read()).split("\n")).toContain(line);
    expect((await textsLeft(memory)).filter((each) => !each.includes("fact number 39"))).toEqual([]);
  });

  ofFolder("an editor has the file open")("keeps both versions where it changed the line that we changed", async () => {
    const { memory, path, read } = await place();
    const old = openSync(path, "r+");
    await memory.remember("cli:a", { fact: "sails on Sundays", replaces: "sails", by: "user" });
    writeSync(old, "# Memory\n\n- sails alone\n", 0);
    closeSync(old);
    const notices: string[] = [];
    memory.on("notice", ({ text }) => notices.push(text));
    await look(memory);
    expect(notices.join()).toContain("both versions are kept");
    expect(await read()).toContain("- sails alone\n");
    expect(await read()).toContain("- sails on Sundays\n");
  });
});

describe("a person who has seen it", () => {
  it("may take out what was just remembered", async () => {
    const { memory, save, read } = await place();
    const before = await read();
    await remember(memory, "The anchor is red");
    await save(before);
    await look(memory);
    expect(await read()).toBe(before);
  });

  it("may take out one fact and leave the next", async () => {
    const { memory, save, read } = await place();
    await remember(memory, "The anchor is red");
    await remember(memory, "The barrel is blue");
    const edited = (await read()).replace("- The anchor is red\n", "");
    await save(edited);
    await look(memory);
    expect(await read()).toBe(edited);
  });

  it("may move a fact to where one in the same words was just retired", async () => {
    const ana = "# Memory\n\n## Ana\n\n- likes tea\n- sails\n\n## Ben\n\n- keeps bees\n";
    const { memory, save, read } = await place(`${ana}- likes tea\n`);
    await memory.retire("cli:a", { text: "likes tea", path: ["Memory", "Ben"], place: 0 }, "user");
    expect(await read()).toBe(ana);
    const moved = `${ana.replace("- likes tea\n", "")}- likes tea\n`;
    await save(moved);
    await look(memory);
    expect(await read()).toBe(moved);
  });

  it("may move a fact of ours beside others with words of ours", async () => {
    const { memory, save, read } = await place("# Memory\n\n## Ana\n\n- likes tea\n\n## Cleo\n\n- keeps bees\n");
    await memory.remember("cli:a", { fact: "keeps bees", heading: "Ana", by: "user" });
    await memory.retire("cli:a", { text: "keeps bees", path: ["Memory", "Cleo"], place: 0 }, "user");
    await memory.remember("cli:a", { fact: "likes tea", heading: "Cleo", by: "user" });
    const moved = "# Memory\n\n## Ana\n\n- likes tea\n\n## Cleo\n\n- likes tea\n- keeps bees\n";
    await save(moved);
    await look(memory);
    expect(await read()).toBe(moved);
  });

  it("may append at any time", async () => {
    const { memory, workspace, read } = await place();
    for (let round = 0; round < 20; round++) {
      await remember(memory, `The boat number ${round} is red`);
      await appendKept(workspace, "memory/MEMORY.md", `- by hand ${round}\n`);
    }
    await look(memory);
    for (let round = 0; round < 20; round++) {
      expect(await read()).toContain(`- by hand ${round}\n`);
      expect(await read()).toContain(`- The boat number ${round} is red\n`);
    }
  });
});

ofFolder("an editor has the file open")(
  "loses none of the lines that a shell appends while facts are remembered",
  async () => {
    const { memory, path, read } = await place();
    const count = 150;
    const shell = spawn("sh", [
      "-c",
      `i=0; while [ $i -lt ${count} ]; do echo "- by hand $i" >> "$0"; i=$((i+1)); done`,
      path,
    ]);
    const ended = once(shell, "exit");
    for (let round = 0; round < 25; round++) await remember(memory, `The boat number ${round} is red`);
    await ended;
    await look(memory);
    const text = await read();
    const lost = Array.from({ length: count }, (_, index) => `- by hand ${index}\n`).filter(
      (line) => !text.includes(line),
    );
    expect(lost).toEqual([]);
    for (let round = 0; round < 25; round++) expect(text).toContain(`The boat number ${round} is red`);
  },
);

describe("a person who takes out at once what was just remembered", () => {
  it.each([
    ["the first fact of a new section", "# Memory\n\n## Ana\n\n- sails\n"],
    ["a fact that was set apart by an empty line", "# Memory\n\n## Facts\n\n```\nx\n```\n\n## Ana\n\n- sails\n"],
    ["a fact of a list", "# Memory\n\n## Facts\n\n- sails\n"],
  ])("does not see it come back: %s", async (_, start) => {
    const { memory, save, read } = await place(start);
    await memory.remember("cli:a", { fact: "likes tea", heading: "Facts", by: "user" });
    await save((await read()).replace("- likes tea\n", ""));
    await memory.remember("cli:a", { fact: "keeps bees", heading: "Ana", by: "user" });
    expect(await read()).not.toContain("likes tea");
  });
});
