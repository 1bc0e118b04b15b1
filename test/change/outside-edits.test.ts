import { appendFileSync, closeSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from "node:fs";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Memory } from "../../src/index.ts";
import { open, revisionTexts } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";

async function place(text = "# Memory\n\n- sails\n") {
  const workspace = temporaryFolder();
  const memory = await open({ workspace });
  const path = join(workspace, "memory/MEMORY.md");
  writeFileSync(path, text);
  await look(memory);
  return { memory, path, workspace, read: () => readFileSync(path, "utf8") };
}

/** A look of a working process puts what it finds on record. */
const look = (memory: Memory) => memory.retire("cli:a", "nothing of the kind", "user");
const remember = (memory: Memory, fact: string) => memory.remember("cli:a", { fact, by: "user" });

describe("an editor that had the old file open", () => {
  it("loses no line that it appends after the file was replaced", async () => {
    const { memory, path, read } = await place();
    const old = openSync(path, "a");
    await remember(memory, "The anchor is red");
    writeSync(old, "- written by hand\n");
    closeSync(old);
    await look(memory);
    expect(read()).toMatch(/- sails\n- written by hand\n[\s\S]*- The anchor is red\n/);
    expect((await revisionTexts(memory)).at(-1)).toBe(read());
  });

  it("loses no text that it writes over the old one, and none of ours goes", async () => {
    const { memory, path, read } = await place();
    const old = openSync(path, "r+");
    await remember(memory, "The anchor is red");
    writeSync(old, "# Memory\n\n- sails at night\n", 0);
    closeSync(old);
    await look(memory);
    expect(read()).toContain("- sails at night\n");
    expect(read()).not.toContain("- sails\n");
    expect(read()).toContain("- The anchor is red\n");
  });

  it.each([
    ["writes the file anew", (path: string, text: string) => writeFileSync(path, text)],
    [
      "renames another over it",
      (path: string, text: string) => {
        writeFileSync(`${path}.new`, text);
        renameSync(`${path}.new`, path);
      },
    ],
  ])("and %s a minute later keeps its edit, and what came meanwhile", async (_, save) => {
    const { memory, path, read } = await place();
    const buffer = read();
    await remember(memory, "The anchor is red");
    await remember(memory, "The barrel is blue");
    save(path, `${buffer}- plays chess\n`);
    await look(memory);
    for (const fact of ["sails", "plays chess", "The anchor is red", "The barrel is blue"])
      expect(read()).toContain(`- ${fact}\n`);
    await memory.undo({ by: "user" });
    expect(read()).not.toContain("The barrel is blue");
    expect(read()).toContain("- plays chess\n");
  });

  it("keeps both versions where it changed the line that we changed", async () => {
    const { memory, path, read } = await place();
    const old = openSync(path, "r+");
    await memory.remember("cli:a", { fact: "sails on Sundays", replaces: "sails", by: "user" });
    writeSync(old, "# Memory\n\n- sails alone\n", 0);
    closeSync(old);
    const notices: string[] = [];
    memory.on("notice", ({ text }) => notices.push(text));
    await look(memory);
    expect(notices.join()).toContain("both versions are kept");
    expect(read()).toContain("- sails alone\n");
    expect(read()).toContain("- sails on Sundays\n");
  });
});

describe("a person who has seen it", () => {
  it("may take out what was just remembered", async () => {
    const { memory, path, read } = await place();
    const before = read();
    await remember(memory, "The anchor is red");
    writeFileSync(path, before);
    await look(memory);
    expect(read()).toBe(before);
  });

  it("may take out one fact and leave the next", async () => {
    const { memory, path, read } = await place();
    await remember(memory, "The anchor is red");
    await remember(memory, "The barrel is blue");
    const edited = read().replace("- The anchor is red\n", "");
    writeFileSync(path, edited);
    await look(memory);
    expect(read()).toBe(edited);
  });

  it("may append at any time", async () => {
    const { memory, path, read } = await place();
    for (let round = 0; round < 20; round++) {
      await remember(memory, `The boat number ${round} is red`);
      appendFileSync(path, `- by hand ${round}\n`);
    }
    await look(memory);
    for (let round = 0; round < 20; round++) {
      expect(read()).toContain(`- by hand ${round}\n`);
      expect(read()).toContain(`- The boat number ${round} is red\n`);
    }
  });
});

it("loses none of the lines that a shell appends while facts are remembered", async () => {
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
  const text = read();
  const lost = Array.from({ length: count }, (_, index) => `- by hand ${index}\n`).filter(
    (line) => !text.includes(line),
  );
  expect(lost).toEqual([]);
  for (let round = 0; round < 25; round++) expect(text).toContain(`The boat number ${round} is red`);
});
