import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { text as readText } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished } from "vitest";
import { temporaryFolder } from "../support/workspace.ts";
import { startModel } from "./scripted-model.ts";

const ROOT = join(import.meta.dirname, "../..");
const PROGRAM = join(ROOT, "bin/tidemark.js");
/** What we bring for each client. */
export const INTEGRATIONS = join(ROOT, "integrations");
// Outside the repository: together they are two gigabytes.
const INSTALLED = process.env["TIDEMARK_CLIENTS"] ?? join(homedir(), ".cache/tidemark-clients");

/** Installs a client from npm, once; the folder of its commands, or why it cannot be installed. */
export function installClient(name: string, ...specs: readonly string[]): { bin: string } | { reason: string } {
  const folder = join(INSTALLED, name);
  const bin = join(folder, "node_modules/.bin");
  if (existsSync(bin)) return { bin };
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{"private":true}\n');
  const run = spawnSync("npm", ["install", "--no-audit", "--no-fund", ...specs], { cwd: folder, encoding: "utf8" });
  return run.status === 0 && existsSync(bin)
    ? { bin }
    : { reason: `npm install ${specs.join(" ")}: ${run.stderr.trim().split("\n").at(-1)}` };
}

/** A home, a project, a workspace with one fact, a scripted model, and the client on the PATH. */
export async function startClient(bin: string, environment: (url: string) => Record<string, string>) {
  const home = temporaryFolder();
  const workspace = join(home, "memory of mine");
  const project = join(home, "project");
  const own = join(home, "bin");
  for (const folder of [join(workspace, "memory"), project, own]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(workspace, "memory/MEMORY.md"), "# Memory\n\n- Lives in Lisbon\n");
  symlinkSync(PROGRAM, join(own, "tidemark"));
  const model = await startModel(() => "I have noted that.");
  onTestFinished(model.close);
  const env = {
    PATH: [own, bin, join(process.execPath, ".."), "/usr/local/bin", "/usr/bin", "/bin"].join(delimiter),
    HOME: home,
    TIDEMARK_WORKSPACE: workspace,
    TZ: "UTC",
    TERM: "dumb",
    TIDEMARK_HOOK_PATIENCE: "3",
    NO_COLOR: "1",
    ...environment(model.url),
  };
  const run = async (command: string, ...args: string[]): Promise<string> => {
    const child = spawn(command, args, { cwd: project, env, stdio: ["ignore", "pipe", "pipe"] });
    const timer = setTimeout(() => child.kill(), 240_000);
    const [out, error] = await Promise.all([readText(child.stdout), readText(child.stderr)]);
    clearTimeout(timer);
    return `${out}\n${error}`;
  };
  onTestFinished(() => stopHost(workspace));
  const said = (): { role: string; content: string }[] => {
    const folder = join(workspace, "sessions");
    const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".jsonl")) : [];
    return (
      files
        // What is still being written has no newline behind it yet.
        .flatMap((name) => readFileSync(join(folder, name), "utf8").split("\n").slice(0, -1))
        .map((line) => JSON.parse(line))
        .filter(({ role }) => role === "user" || role === "assistant")
    );
  };
  return { home, workspace, project, model, run, said };
}

async function stopHost(workspace: string): Promise<void> {
  const path = join(workspace, ".tidemark/hooks/host.json");
  if (!existsSync(path)) return;
  const { pid }: { pid: number } = JSON.parse(readFileSync(path, "utf8"));
  process.kill(pid);
  await until(() => !existsSync(path));
}

/** Waits for something that another process does. */
export async function until(isSo: () => boolean, waitMs = 60_000): Promise<void> {
  const end = performance.now() + waitMs;
  while (!isSo()) {
    if (performance.now() > end) expect.fail(`waited in vain for ${isSo.toString()}`);
    await sleep(100);
  }
}

/** Lays settings over those in a JSON file. */
export function mergeJson(path: string, more: object): void {
  const before: object = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, JSON.stringify({ ...before, ...more }, undefined, 2));
}
