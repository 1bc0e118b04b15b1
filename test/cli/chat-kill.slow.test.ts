import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startModel } from "../support/model-server.ts";
import type { WireRequest } from "../support/model-server.ts";
import { findIllegal } from "../support/strict-provider.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { runCli } from "./run-cli.ts";

const ROOT = join(import.meta.dirname, "../..");
const KILLS = 16;

const bodyOf = (request: WireRequest) => request.messages.filter(({ role }) => role !== "system");

/** Two rounds of tools, then an answer; each turn writes a file of its own. */
function answer(request: WireRequest) {
  const body = bodyOf(request);
  const asked = body.findLastIndex(({ role }) => role === "user");
  const rounds = body.slice(asked).filter(({ role }) => role === "assistant").length;
  if (rounds === 2) return { text: "All done." };
  return {
    calls: [
      { name: "remember", arguments: { fact: `Fact of request ${body.length} about pier ${asked}` } },
      { name: "exec", arguments: { command: "ls memory" } },
    ],
  };
}

it("survives kills at any instant: words are kept once, and every request is legal", { timeout: 120_000 }, async () => {
  const workspace = join(temporaryFolder(), "workspace");
  const model = await startModel(answer);
  mkdirSync(workspace);
  writeFileSync(join(workspace, "config.json"), JSON.stringify(model.config));
  for (let kill = 0; kill < KILLS; kill++) {
    const child = spawn(process.execPath, ["bin/tidemark.js", "chat", "-m", `words number ${kill};`, "-w", workspace], {
      cwd: ROOT,
      stdio: "ignore",
    });
    const ended = new Promise((resolve) => child.on("close", resolve));
    const before = model.requests.length;
    // From the first request on, where the disk is being written, a little later each time.
    while (model.requests.length === before && child.exitCode === null)
      await new Promise((resolve) => setTimeout(resolve, 2));
    await new Promise((resolve) => setTimeout(resolve, kill * 5));
    child.kill("SIGKILL");
    await ended;
  }
  expect(await runCli(["chat", "-m", "words number last;", "-w", workspace])).toMatchObject({
    code: 0,
    stdout: "All done.\n",
  });
  for (const [index, request] of model.requests.entries())
    expect(findIllegal(bodyOf(request)), `request ${index}`).toBeUndefined();
  const lines = readFileSync(join(workspace, "sessions/cli_main.jsonl"), "utf8").trim().split("\n");
  const said = lines.map((line) => JSON.parse(line) as { role?: string; content?: string });
  const words = said.filter(({ role }) => role === "user").map(({ content }) => content);
  expect(words).toEqual([...Array.from({ length: KILLS }, (_, kill) => `words number ${kill};`), "words number last;"]);
  const memory = readFileSync(join(workspace, "memory/MEMORY.md"), "utf8");
  const facts = memory.split("\n").filter((line) => line.startsWith("- Fact"));
  expect(new Set(facts).size).toBe(facts.length);
  // Whatever a tool said to have saved is there.
  const saved = said.flatMap(({ role, content }) =>
    role === "tool" ? (/Saved .*: "(Fact [^"]*)"/.exec(content ?? "")?.[1] ?? []) : [],
  );
  expect(saved.length).toBeGreaterThan(0);
  for (const fact of saved) expect(facts).toContain(`- ${fact}`);
});
