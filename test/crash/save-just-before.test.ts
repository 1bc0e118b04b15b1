import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { temporaryFolder } from "../support/workspace.ts";

const hasCompiler = spawnSync("cc", ["--version"]).status === 0 && process.platform === "linux";
const TIMES = 12;

function rememberWithSaves(env: Record<string, string>): string {
  const folder = temporaryFolder();
  const shim = join(folder, "save-just-before.so");
  const source = new URL("save-just-before.c", import.meta.url).pathname;
  execFileSync("cc", ["-shared", "-fPIC", "-o", shim, source, "-ldl"]);
  const child = new URL("save-just-before.mjs", import.meta.url).pathname;
  return execFileSync(process.execPath, [child, join(folder, "w"), String(TIMES)], {
    encoding: "utf8",
    env: { ...process.env, LD_PRELOAD: shim, ...env },
  }).trim();
}

describe.runIf(hasCompiler)("a file that is renamed over MEMORY.md", () => {
  it("is not lost when it comes after our last look, right before we replace the file", () => {
    const lines = rememberWithSaves({}).split("\n");
    expect(lines.slice(0, -1)).toEqual(Array.from({ length: TIMES }, () => "true"));
    const text = z.string().parse(JSON.parse(lines.at(-1) ?? ""));
    const expected = Array.from({ length: TIMES }, (_, number) => [`line y${number}y`, `Unit x${number}x`]).flat();
    expect(expected.filter((words) => text.split(words).length !== 2)).toEqual([]);
  });

  it("is in its place when the disk is full then, and we say so", () => {
    const [reason, text] = rememberWithSaves({ FULL_AFTERWARDS: "1" }).split("\n");
    expect(reason).toMatch(/^Cannot write .*ENOSPC/);
    expect(text).toContain("line y0y by hand");
  });
});
