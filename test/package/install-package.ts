import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text as readText } from "node:stream/consumers";
import { inject } from "vitest";

/** What a finished program left. */
export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** The tarball, installed where nothing else of the checkout is in reach. */
export interface Installed {
  /** What npm said while it installed. */
  readonly told: string;
  readonly home: string;
  /** Where programs find the package by its name. */
  readonly folder: string;
  readonly env: Record<string, string>;
  readonly command: string;
  /** Runs `tidemark` with these words. */
  run(words: readonly string[], input?: string, more?: Record<string, string>): Promise<Finished>;
  /** Runs a program that imports the package. */
  runProgram(code: string): Promise<Finished>;
  remove(): void;
}

/** Installs the tarball, and the packages that it is to find beside it, into an empty folder. */
export function installPackage(...peers: string[]): Installed {
  const home = mkdtempSync(join(tmpdir(), "tidemark-package-"));
  const folder = join(home, "app");
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }\n');
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, TZ: "UTC", OLLAMA_HOST: "127.0.0.1:9" };
  // The scripts of peers fetch things from elsewhere; ours has none.
  const flags = peers.length > 0 ? ["--ignore-scripts"] : [];
  const words = ["install", "--no-audit", "--no-fund", "--omit=dev", ...flags, inject("tarball"), ...peers];
  const told = execFileSync("sh", ["-c", 'exec npm "$@" 2>&1', "sh", ...words], { cwd: folder, encoding: "utf8" });
  const command = join(folder, "node_modules/tidemark/bin/tidemark.js");
  const start = async (words: readonly string[], input = "", more: Record<string, string> = {}): Promise<Finished> => {
    const child = spawn(process.execPath, words, { cwd: folder, env: { ...env, ...more } });
    child.stdin.end(input);
    const [stdout, stderr, code] = await Promise.all([
      readText(child.stdout),
      readText(child.stderr),
      new Promise<number | null>((resolve) => child.on("close", resolve)),
    ]);
    return { code, stdout, stderr };
  };
  return {
    told,
    home,
    folder,
    env,
    command,
    run: (words, input, more) => start([command, ...words], input, more),
    runProgram: (code) => start(["--input-type=module", "--eval", code]),
    remove: () => rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }),
  };
}
