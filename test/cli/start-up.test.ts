import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startModel } from "../support/model-server.ts";
import { createProgram } from "../../src/cli/main.ts";
import { countLoaded } from "./count-loaded.ts";
import { runCli, workspaceWithTalk } from "./run-cli.ts";

// How long a command takes to start depends on the machine and what else it does; what it loads does not.
const DIST = join(import.meta.dirname, "../../dist");
const MEMORY = "dist/memory.js";
const CHANGES = "dist/changes.js";
const LOOKUP = "dist/lookup.js";

it("loads few files for a command, and nothing that it does not need", async () => {
  const workspace = await workspaceWithTalk(1);
  const call = JSON.stringify({ session_id: "s", prompt: "hello", cwd: workspace });
  const hook = ["hook", "SessionEnd", "--client", "claude-code", "-w", workspace];
  for (const { args, input, files, kilobytes, without } of [
    { args: ["--help"], files: 6, kilobytes: 260, without: ["dist/settings.js", "dist/folder.js", MEMORY] },
    { args: hook, input: call, files: 5, kilobytes: 40, without: ["dist/settings.js", "dist/folder.js", MEMORY] },
    { args: ["status", "-w", workspace], files: 10, kilobytes: 1450, without: [CHANGES, LOOKUP] },
    { args: ["log", "-w", workspace], files: 13, kilobytes: 1450, without: [CHANGES, LOOKUP] },
    { args: ["sessions", "-w", workspace], files: 13, kilobytes: 1450, without: [CHANGES, LOOKUP] },
    { args: ["search", "tea", "-w", workspace], files: 14, kilobytes: 1350, without: [MEMORY, CHANGES] },
    { args: ["mcp", "-w", workspace], files: 24, kilobytes: 3000, without: [] },
  ]) {
    const { code, names, bytes } = await countLoaded(args, input);
    expect([args, code]).toEqual([args, 0]);
    expect([args, names.filter((name) => name.startsWith("node_modules/") || without.includes(name))]).toEqual([
      args,
      [],
    ]);
    expect([args, names.length > files, bytes > kilobytes * 1000]).toEqual([args, false, false]);
  }
});

it("loads one provider, and no package from elsewhere, when a model is asked", async () => {
  const workspace = await workspaceWithTalk(1);
  const model = await startModel(() => ({ text: "Hello." }));
  writeFileSync(join(workspace, "config.json"), JSON.stringify(model.config));
  const { code, stdout, names, bytes, packages } = await countLoaded(["chat", "-m", "hi", "-w", workspace]);
  expect([code, stdout]).toEqual([0, "Hello.\n"]);
  expect(names.filter((name) => name.startsWith("node_modules/"))).toEqual([]);
  expect(packages).toEqual(expect.arrayContaining(["@ai-sdk/openai-compatible", "zod"]));
  const others = new Set([
    "@ai-sdk/anthropic",
    "@ai-sdk/google",
    "hono",
    "@hono/node-server",
    "@modelcontextprotocol/server",
  ]);
  expect(packages.filter((name) => others.has(name))).toEqual([]);
  expect(names.length).toBeLessThanOrEqual(32);
  expect(bytes).toBeLessThanOrEqual(2_900_000);
});

it("has each module in one file, so that what it holds is there once", () => {
  // Each of these is a thread or a process of its own.
  const apart = ["onnx-worker.js", "scan-process.js", "shell-worker.js"];
  const built = readdirSync(DIST).filter((name) => name.endsWith(".js"));
  expect(built).toEqual(expect.arrayContaining([...apart, "main.js", "hook-main.js", "index.js"]));
  const places = new Map<string, string[]>();
  for (const file of built.filter((name) => !apart.includes(name))) {
    for (const [, module = ""] of readFileSync(join(DIST, file), "utf8").matchAll(
      /^\/\/ ((?:src|node_modules)\/\S+)$/gm,
    ))
      places.set(module, [...(places.get(module) ?? []), file]);
  }
  expect(places.size).toBeGreaterThan(500);
  expect([...places].filter(([, files]) => files.length > 1)).toEqual([]);
});

it("makes no more of the command line than the words ask for, and all of it where they are not plain", () => {
  const all = createProgram().commands;
  expect(all.length).toBeGreaterThan(30);
  const helpOf = (words: readonly string[], name: string) =>
    createProgram(words)
      .commands.find((each) => each.name() === name)
      ?.helpInformation();
  for (const each of all) {
    for (const name of [each.name(), ...each.aliases()])
      expect([name, helpOf(["-w", "x", name], each.name())]).toEqual([name, each.helpInformation()]);
  }
  const made = (...words: string[]) => createProgram(words).commands.length;
  expect([made("status"), made("-w", "search", "status"), made("pull")]).toEqual([1, 1, 2]);
  for (const words of [[], ["--help", "status"], ["statsu"], ["-w"], ["--workspace=x", "status"], ["help", "status"]])
    expect([words, made(...words)]).toEqual([words, all.length]);
});

it("loads what encrypts and what starts programs only when it is called", async () => {
  const workspace = await workspaceWithTalk(1);
  const told = `--import=data:text/javascript,${encodeURIComponent(
    'process.on("exit", () => console.error(process.moduleLoadList.filter((name) => /NativeModule (crypto|child_process)$/.test(name)).join()))',
  )}`;
  const { code, stderr } = await runCli(["status", "-w", workspace], { env: { NODE_OPTIONS: told } });
  expect([code, stderr.trim()]).toEqual([0, ""]);
});
