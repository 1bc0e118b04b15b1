import { execFileSync, spawnSync } from "node:child_process";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../support/workspace.ts";
import { runCli, runJson, workspaceWithTalk } from "./run-cli.ts";

const ROOT = join(import.meta.dirname, "../..");

/** Runs a command with this folder mounted read-only: unlike modes, that stops root as well. */
function runOnMount(workspace: string, target: string, words: readonly string[]) {
  const mounts = ["--dev-bind", "/", "/", "--ro-bind", workspace, workspace, "--bind", target, target];
  const command = [process.execPath, join(ROOT, "bin/tidemark.js"), ...words, "-w", workspace];
  const env = { PATH: process.env["PATH"] ?? "", HOME: target, TZ: "UTC" };
  return spawnSync("bwrap", [...mounts, ...command], { encoding: "utf8", env });
}

const canMount = spawnSync("bwrap", ["--dev-bind", "/", "/", "true"]).status === 0;

it.skipIf(!canMount)(
  "commands that read work on a read-only mount, and those that write say why they cannot",
  async () => {
    const workspace = await workspaceWithTalk(3);
    expect(await runCli(["consolidate", "--all", "-w", workspace])).toMatchObject({ code: 0 });
    appendFileSync(join(workspace, "memory", "MEMORY.md"), "- User keeps bees\n");
    const target = temporaryFolder();
    const sums = () =>
      execFileSync("bash", ["-c", "find . -type f | sort | xargs sha1sum"], { cwd: workspace }).toString();
    const { entries } = await runJson<{ entries: { id: string }[] }>(["log", "-w", workspace]);
    const change = entries.at(-1)?.id ?? "";
    const before = sums();
    const reading = [
      ["search", "bees"],
      ["status"],
      ["log"],
      ["diff", change],
      ["show", change],
      ["blame"],
      ["why", "tea"],
      ["sessions"],
      ["sessions", "show", "telegram:1"],
      ["review"],
      ["config"],
      ["config", "get", "model"],
      ["doctor"],
      ["consolidate", "--dry-run"],
      ["tidy", "--dry-run"],
      ["forget", "tea", "--dry-run"],
      ["export", join(target, "export")],
    ];
    for (const words of reading) {
      const { status, stdout, stderr } = runOnMount(workspace, target, words);
      const isUnset = words[1] === "get";
      expect([words, status, isUnset || stdout !== "", stderr]).toEqual([words, isUnset ? 1 : 0, true, stderr]);
    }
    expect(runOnMount(workspace, target, ["search", "bees"]).stdout).toContain("keeps bees");
    expect(runOnMount(workspace, target, ["forget", "bees", "--dry-run"]).stdout).toContain("keeps bees");
    expect(runOnMount(workspace, target, ["doctor"]).stdout).toContain("this workspace is read-only");
    for (const words of [["undo"], ["forget", "bees", "--yes"], ["consolidate", "--all"], ["tidy"]]) {
      const { status, stderr } = runOnMount(workspace, target, words);
      expect([words, status, stderr]).toEqual([words, 1, expect.stringMatching(/^tidemark: [^\n]*read-only[^\n]*\n$/)]);
    }
    expect(sums()).toBe(before);
  },
);
