import { spawn } from "node:child_process";
import { join } from "node:path";
import { text as readText } from "node:stream/consumers";
import type { CliResult } from "./run-cli.ts";

const ROOT = join(import.meta.dirname, "../..");

// Starting a process is most of what a command costs: this runs what is shipped several times in one.
const DRIVER = `
import { main } from ${JSON.stringify(join(ROOT, "dist/main.js"))};
const results = [];
for (const emitter of [process, process.stdout, process.stderr]) emitter.setMaxListeners(0);
for (const args of JSON.parse(process.argv[1])) {
  const result = { code: 0, stdout: "", stderr: "" };
  const writers = ["stdout", "stderr"].map((name) => [name, process[name].write]);
  for (const [name] of writers) process[name].write = (text) => ((result[name] += text), true);
  process.exitCode = 0;
  await main(["node", "tidemark", ...args]);
  result.code = process.exitCode ?? 0;
  for (const [name, write] of writers) process[name].write = write;
  results.push(result);
}
process.exitCode = 0;
process.stdout.write(JSON.stringify(results));
`;

/** Runs several commands of the shipped command line, one after the other, in one process. */
export async function runMany(
  commands: readonly (readonly string[])[],
  env: Record<string, string> = {},
): Promise<CliResult[]> {
  const child = spawn(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", "--input-type=module", "-e", DRIVER, JSON.stringify(commands)],
    { cwd: ROOT, env: { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent", TZ: "UTC", COLUMNS: "100", ...env } },
  );
  child.stdin.end();
  const [stdout, stderr] = await Promise.all([readText(child.stdout), readText(child.stderr)]);
  if (stdout === "") throw new Error(`The commands could not be run: ${stderr}`);
  const results: CliResult[] = JSON.parse(stdout);
  return results;
}
