import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { storeEnvironment, toArguments } from "../support/kept.ts";

/** What a run of the command line left. */
export interface CliResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

const ROOT = join(import.meta.dirname, "../..");

// Starting a process is most of what a command costs: this one runs what is shipped again and again.
const DRIVER = `
import { createWriteStream } from "node:fs";
import { createInterface } from "node:readline";
import { main } from ${JSON.stringify(join(ROOT, "dist/main.js"))};
const answers = createWriteStream(null, { fd: 3 });
for (const emitter of [process, process.stdout, process.stderr]) emitter.setMaxListeners(0);
const surroundings = { ...process.env };
for await (const line of createInterface({ input: process.stdin })) {
  const { args, env } = JSON.parse(line);
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, surroundings, env);
  const result = { code: 0, stdout: "", stderr: "" };
  const writers = ["stdout", "stderr"].map((name) => [name, process[name].write]);
  for (const [name] of writers) process[name].write = (text) => ((result[name] += text), true);
  process.exitCode = 0;
  await main(["node", "tidemark", ...args]);
  result.code = process.exitCode ?? 0;
  for (const [name, write] of writers) process[name].write = write;
  answers.write(JSON.stringify(result) + "\\n");
}
process.exit(0);
`;

interface Runner {
  run(args: readonly string[], env: Record<string, string>): Promise<CliResult>;
}

let runner: Runner | undefined;
let last: Promise<unknown> = Promise.resolve();

/** Runs a command of the shipped command line in a process that has run others before; nothing comes in on its stdin. */
export function runInOne(args: readonly string[], env: Record<string, string> = {}): Promise<CliResult> {
  const result = last.then(() => (runner ??= startRunner()).run(args, env));
  last = result.catch(() => undefined);
  return result;
}

/** Runs several commands, one after the other, in one process. */
export function runMany(
  commands: readonly (readonly string[])[],
  env: Record<string, string> = {},
): Promise<CliResult[]> {
  return Promise.all(commands.map((args) => runInOne(args, env)));
}

/** Nothing of this process's environment but where programs are found and temporary files go. */
export function bareEnvironment(): Record<string, string> {
  return {
    PATH: process.env["PATH"] ?? "",
    HOME: "/nonexistent",
    TMPDIR: tmpdir(),
    TZ: "UTC",
    COLUMNS: "100",
    ...storeEnvironment(),
  };
}

function startRunner(): Runner {
  const child: ChildProcess = spawn(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", "--input-type=module", "-e", DRIVER],
    {
      cwd: ROOT,
      env: bareEnvironment(),
      stdio: ["pipe", "ignore", "inherit", "pipe"],
    },
  );
  // It ends when this process does: its stdin is closed then.
  child.unref();
  const { stdin, stdio } = child;
  const answers = stdio[3];
  if (!stdin || !(answers instanceof Readable)) throw new Error("The process that runs commands has no pipes.");
  for (const stream of [stdin, answers]) if ("unref" in stream && typeof stream.unref === "function") stream.unref();
  const lines = createInterface({ input: answers })[Symbol.asyncIterator]();
  return {
    async run(args, env) {
      // While it is waited for, this process must not end.
      const waiting = setInterval(() => undefined, 1000);
      stdin.write(`${JSON.stringify({ args: toArguments(args), env })}\n`);
      const { value, done } = await lines.next();
      clearInterval(waiting);
      if (done !== true) return JSON.parse(value) as CliResult;
      runner = undefined;
      throw new Error(`The process ended while it ran tidemark ${args.join(" ")}`);
    },
  };
}
