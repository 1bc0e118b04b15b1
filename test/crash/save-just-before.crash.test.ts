import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { openMemory } from "../../src/index.ts";
import { temporaryFolder } from "../support/workspace.ts";

const hasCompiler = spawnSync("cc", ["--version"]).status === 0 && process.platform === "linux";
const TIMES = 12;

function rememberWithSaves(env: Record<string, string>) {
  const folder = temporaryFolder();
  const workspace = join(folder, "w");
  const shim = join(folder, "save-just-before.so");
  const source = new URL("save-just-before.c", import.meta.url).pathname;
  execFileSync("cc", ["-shared", "-fPIC", "-o", shim, source, "-ldl"]);
  const child = new URL("save-just-before.mjs", import.meta.url).pathname;
  const { stdout, signal } = spawnSync(process.execPath, [child, workspace, String(TIMES)], {
    encoding: "utf8",
    env: { ...process.env, LD_PRELOAD: shim, ...env },
  });
  return { workspace, signal, lines: stdout.trim().split("\n") };
}

describe.runIf(hasCompiler)("a file that is renamed over MEMORY.md", () => {
  it("is not lost when it comes after our last look, right before we replace the file", () => {
    const { lines } = rememberWithSaves({});
    expect(lines.slice(0, -1)).toEqual(Array.from({ length: TIMES }, () => "true"));
    const text = z.string().parse(JSON.parse(lines.at(-1) ?? ""));
    const expected = Array.from({ length: TIMES }, (_, number) => [`line y${number}y`, `Unit x${number}x`]).flat();
    expect(expected.filter((words) => text.split(words).length !== 2)).toEqual([]);
  });

  it("is in its place when the disk is full then, and we say so", () => {
    const [reason, text] = rememberWithSaves({ FULL_AFTERWARDS: "1" }).lines;
    expect(reason).toMatch(/^Cannot write .*ENOSPC/);
    expect(text).toContain("line y0y by hand");
  });

  it.each(["while", "before"])("is not lost when it is saved %s something in the old one is erased", (when) => {
    const saved = { [`SAVED_${when.toUpperCase()}_ERASED`]: "1" };
    const text = z.string().parse(JSON.parse(rememberWithSaves(saved).lines.at(-1) ?? ""));
    const lines = text.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("#"));
    const expected = Array.from({ length: TIMES }, (_, number) => [
      `- line y${number}y by hand`,
      `- Unit x${number}x was remembered`,
    ]).flat();
    expect(lines.toSorted()).toEqual([...expected, `- saved ${when} erased`].toSorted());
  });

  it.each(["the next change", "forgetting something in it"])(
    "is not lost when we are killed right after we replaced it, and %s comes",
    async (next) => {
      const { workspace, signal } = rememberWithSaves({ KILLED_AFTERWARDS: "1" });
      expect(signal).toBe("SIGKILL");
      const memory = await openMemory({ workspace });
      if (next === "the next change") await memory.retire("cli:a", "nothing of the kind", "test");
      else await memory.trust.forget({ text: "sails" });
      await memory.retire("cli:a", "nothing of the kind", "test");
      const facts = (await memory.readMemory()).split("\n").filter((line) => line.startsWith("- "));
      const sails = next === "the next change" ? ["- sails"] : [];
      expect(facts.toSorted()).toEqual(["- Unit x0x was remembered", "- line y0y by hand", ...sails]);
      expect((await memory.trust.ledger()).lost).toEqual([]);
      await memory.close();
      expect(readdirSync(join(workspace, "memory")).filter((name) => name.includes(".swap."))).toEqual([]);
    },
  );
});
