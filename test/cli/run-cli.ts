import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { text as readText } from "node:stream/consumers";
import { expect } from "vitest";
import { toArguments } from "../support/kept.ts";
import { temporaryFolder } from "../support/workspace.ts";
import type { CliResult } from "./run-in-one.ts";
import { bareEnvironment, runInOne } from "./run-in-one.ts";

const ROOT = join(import.meta.dirname, "../..");
const BIN = join(ROOT, "bin/tidemark.js");

/** Runs what is shipped (`npm run build` comes first) as a process of its own, with a bare environment. */
export async function runCli(
  args: readonly string[],
  options: { env?: Record<string, string>; input?: string; node?: readonly string[]; umask?: number } = {},
): Promise<CliResult> {
  const before = options.umask === undefined ? undefined : process.umask(options.umask);
  const child = spawn(process.execPath, [...(options.node ?? []), BIN, ...toArguments(args)], {
    cwd: ROOT,
    env: { ...bareEnvironment(), ...options.env },
  });
  if (before !== undefined) process.umask(before);
  child.stdin.end(options.input ?? "");
  const [stdout, stderr, code] = await Promise.all([
    readText(child.stdout),
    readText(child.stderr),
    new Promise<number | null>((resolve) => child.on("close", resolve)),
  ]);
  return { code, stdout, stderr };
}

/** Runs it, expects success, and reads the JSON from stdout. */
export async function runJson<T>(args: readonly string[]): Promise<T> {
  const result = await runInOne([...args, "--json"]);
  expect(result).toMatchObject({ code: 0 });
  const value: T = JSON.parse(result.stdout);
  return value;
}

/** Expects one line on stderr that begins with the program's name, nothing on stdout, and no stack trace. */
export function expectOneLine(result: CliResult, code: number): string {
  expect(result.stdout).toBe("");
  expect(result.stderr).toMatch(/^tidemark: [^\n]+\n$/);
  expect(result.stderr).not.toMatch(/\n\s+at /);
  expect(result.code).toBe(code);
  return result.stderr;
}

/** A JSON Lines file with these lines, in a folder of its own. */
export function linesFile(lines: readonly unknown[]): string {
  const path = join(temporaryFolder(), "talk.jsonl");
  writeFileSync(path, lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n"));
  return path;
}

/** A workspace with a talk of `turns` turns in it; the path of the workspace. */
export async function workspaceWithTalk(turns: number, key = "telegram:1"): Promise<string> {
  const workspace = join(temporaryFolder(), "workspace");
  const lines = Array.from({ length: turns }, (_, turn) => [
    {
      session: key,
      id: `u${turn}`,
      role: "user",
      content: `I prefer tea number ${turn}.`,
      timestamp: minute(2 * turn),
    },
    { session: key, id: `a${turn}`, role: "assistant", content: `Noted, ${turn}.`, timestamp: minute(2 * turn + 1) },
  ]);
  const imported = await runInOne(["import", linesFile(lines.flat()), "-w", workspace]);
  expect(imported).toMatchObject({ code: 0 });
  return workspace;
}

function minute(count: number): string {
  return new Date(Date.UTC(2026, 9, 1, 10, count)).toISOString();
}
