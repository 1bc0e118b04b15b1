import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { guardedArguments, refusedArgument } from "../../src/agent/command-rules.ts";
import { runCommands } from "../../src/agent/run-commands.ts";
import { temporaryFolder } from "../support/workspace.ts";

const limits = (folder: string) => ({
  folder,
  timeoutMs: 5000,
  maxBytes: 100_000,
  signal: new AbortController().signal,
});

async function grep(folder: string, ...words: string[]): Promise<string> {
  return (await runCommands([{ name: "grep", arguments: guardedArguments("grep", words, "memory") }], limits(folder)))
    .text;
}

it.each([
  ["-rh", "--include=*.json", "KEYHERE"],
  ["-r", "--include=[c]onfig.json", "KEYHERE", "."],
  ["-rh", "--include=*.json", "-e", "KEYHERE", ".", "-e"],
  ["-rh", "--include=*.json", "--", "KEYHERE", "."],
])("grep %s %s does not read settings, whatever it includes", async (...words) => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "config.json"), '{"apiKey": "KEYHERE-123"}\n');
  writeFileSync(join(folder, "notes.json"), '{"about": "KEYHERE in notes"}\n');
  expect(await grep(folder, ...words)).not.toContain("123");
});

it("grep still finds what it may read", async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "notes.json"), '{"about": "KEYHERE in notes"}\n');
  expect(await grep(folder, "-rh", "--include=*.json", "KEYHERE", ".")).toContain("in notes");
});

it.each([
  ["find", "-L"],
  ["find", "-follow"],
  ["ls", "-LR"],
  ["ls", "--dereference"],
  ["du", "-aL"],
])("%s %s is refused: it would follow links out", (name, word) => {
  symlinkSync("..", join(temporaryFolder(), "out"));
  expect(refusedArgument(name, [word])).toContain("refused");
});

it("a pipe ends when its last program has enough", async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "big.txt"), "abcdefghi\n".repeat(1_000_000));
  const calls = [
    { name: "sort", arguments: ["big.txt"] },
    { name: "head", arguments: ["-n", "2"] },
  ];
  const output = await runCommands(calls, { ...limits(folder), timeoutMs: 20_000 });
  expect(output.ended).toBe("by-itself");
  expect(output.text).toContain("abcdefghi\nabcdefghi\n");
});
