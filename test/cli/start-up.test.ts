import { expect, it } from "vitest";
import { countLoaded } from "./count-loaded.ts";
import { workspaceWithTalk } from "./run-cli.ts";

// How long a command takes to start depends on the machine and what else it does; what it loads does not.
const MEMORY = "dist/memory.js";
const CHANGES = "dist/changes.js";

it.each([
  { command: ["--help"], files: 6, kilobytes: 260, without: ["dist/settings.js", "dist/folder.js", MEMORY, CHANGES] },
  { command: ["status"], files: 12, kilobytes: 1600, without: [CHANGES] },
  { command: ["log"], files: 14, kilobytes: 1600, without: [CHANGES] },
  { command: ["sessions"], files: 14, kilobytes: 1600, without: [CHANGES] },
  { command: ["search", "tea"], files: 14, kilobytes: 1250, without: [MEMORY, CHANGES] },
])("$command.0 loads few files, and nothing that it does not need", async ({ command, files, kilobytes, without }) => {
  const workspace = await workspaceWithTalk(1);
  const { code, names, bytes } = await countLoaded([...command, "-w", workspace]);
  expect(code).toBe(0);
  expect(names.filter((name) => name.startsWith("node_modules/"))).toEqual([]);
  expect(names.filter((name) => without.includes(name))).toEqual([]);
  expect(names.length).toBeLessThanOrEqual(files);
  expect(bytes / 1000).toBeLessThanOrEqual(kilobytes);
});

it("a hook loads next to nothing", async () => {
  const workspace = await workspaceWithTalk(1);
  const call = JSON.stringify({ session_id: "s", prompt: "hello", cwd: workspace });
  const { names, bytes } = await countLoaded(["hook", "SessionEnd", "--client", "claude-code", "-w", workspace], call);
  expect(names.length).toBeLessThanOrEqual(5);
  expect(bytes).toBeLessThanOrEqual(40_000);
});
