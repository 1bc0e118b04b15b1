import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../support/workspace.ts";

const ROOT = join(import.meta.dirname, "../..");
const LIBRARY = `
import { openMemory } from "tidemark";
const memory = await openMemory({ workspace: process.argv[2] });
const session = await memory.session("web:ada");
await session.append({ role: "user", content: "I live in Porto." });
console.log((await memory.search("where do I live?")).results[0]?.text);
await memory.close();
`;

/** A Node of this version, from npm. */
function installNode(version: string): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "package.json"), "{}");
  execFileSync("npm", ["install", "--no-audit", "--no-fund", `node@${version}`], { cwd: folder, stdio: "pipe" });
  return join(folder, "node_modules/node/bin/node");
}

function tryIt(node: string) {
  const folder = temporaryFolder();
  const workspace = join(folder, "workspace");
  mkdirSync(join(folder, "node_modules"));
  execFileSync("ln", ["-s", ROOT, join(folder, "node_modules/tidemark")]);
  writeFileSync(join(folder, "library.mjs"), LIBRARY);
  const env = { PATH: process.env["PATH"] ?? "", HOME: folder, TZ: "UTC" };
  const run = (...words: string[]) => spawnSync(node, words, { cwd: folder, env, encoding: "utf8" });
  const cli = (...words: string[]) => run(join(ROOT, "bin/tidemark.js"), ...words, "-w", workspace);
  return { library: () => run("library.mjs", workspace), cli };
}

it.each(["22.18.0", "22", "24"])("works on Node %s without a warning", (version) => {
  const { library, cli } = tryIt(installNode(version));
  expect(library()).toMatchObject({ status: 0, stdout: "I live in Porto.\n" });
  const words = [["init", "--yes"], ["chat", "-m", "I sail."], ["search", "Porto"], ["status"], ["log"], ["doctor"]];
  for (const each of words) {
    const { status, stderr } = cli(...each);
    expect([each, status, stderr.includes("Warning")]).toEqual([each, 0, false]);
  }
});

it.each(["20", "18"])("says on Node %s what it needs, on the command line and as a library", (version) => {
  const { library, cli } = tryIt(installNode(version));
  expect(cli("status")).toMatchObject({ status: 1, stdout: "" });
  expect(cli("status").stderr).toMatch(/^tidemark needs Node 22\.18 or newer; this is Node \d+\.\d+\.\d+\.\n$/);
  const { status, stderr } = library();
  expect(status).not.toBe(0);
  expect(stderr).toMatch(/Tidemark needs Node 22\.18 or newer; this is Node \d/);
});
