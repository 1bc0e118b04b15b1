import { execFileSync, spawn, spawnSync } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** A process that works on a memory until it is killed. */
export interface Victim {
  child: ChildProcess;
  /** Resolves when it has loaded what it needs, or is gone. */
  isReady: Promise<unknown>;
  isGone: Promise<unknown>;
  /** Resolves when it has done something that counts. */
  isAtWork: Promise<unknown>;
  /** Resolves when it has forgotten something. */
  hasForgotten: Promise<unknown>;
  /** What it said that it was about to do, last. */
  doing: string;
  said: string[];
  facts: string[];
  undone: string[];
  forgotten: string[];
  errors: string;
  /** Lets it stop, or die, at a step on the disk; no step is 0. */
  setFate(fate: { stopAt: number; dieAt: number }): void;
  lastStep(): { count: number; step: string };
}

/** Where victims live and how their disk behaves. */
export interface Ground {
  /** Steps are counted below this folder. */
  folder: string;
  /** What is preloaded; undefined where there is no compiler. */
  shim: string | undefined;
  slowMs: number;
}

/** Builds what is preloaded into the victims; undefined where that cannot be done. */
export function buildShim(folder: string): string | undefined {
  if (process.platform !== "linux" || spawnSync("cc", ["--version"]).status !== 0) return undefined;
  const shim = join(folder, "mayhem.so");
  const source = new URL("mayhem.c", import.meta.url).pathname;
  execFileSync("cc", ["-shared", "-fPIC", "-O1", "-o", shim, source, "-ldl"]);
  return shim;
}

const SIZE = 256;
let started = 0;

/** Starts a program that will be a victim; one of ours waits for the line that says what it shall do. */
export function startVictim({ folder, shim, slowMs }: Ground, args: readonly string[], seed: number): Victim {
  const stepFile = `${folder}.steps-${started++}`;
  writeFileSync(stepFile, Buffer.alloc(SIZE));
  const preloaded = {
    LD_PRELOAD: shim,
    MAYHEM_FOLDER: `${folder}/`,
    MAYHEM_MS: String(slowMs),
    MAYHEM_SEED: String(seed),
    STEPS: stepFile,
  };
  const child = spawn(process.execPath, args, {
    stdio: ["pipe", "pipe", "pipe"],
    // Loading costs more than most lives do.
    env: { ...process.env, NODE_COMPILE_CACHE: `${folder}.cache`, ...(shim === undefined ? {} : preloaded) },
  });
  const isGone = once(child, "close");
  const lines = createInterface({ input: child.stdout });
  const isAtWork = Promise.withResolvers<void>();
  const hasForgotten = Promise.withResolvers<void>();
  const victim: Victim = {
    child,
    isReady: Promise.race([once(lines, "line"), isGone]),
    isGone,
    isAtWork: Promise.race([isAtWork.promise, isGone]),
    hasForgotten: Promise.race([hasForgotten.promise, isGone]),
    doing: "start",
    said: [],
    facts: [],
    undone: [],
    forgotten: [],
    errors: "",
    setFate({ stopAt, dieAt }) {
      const file = openSync(stepFile, "r+");
      writeSync(file, new Uint8Array(Uint32Array.of(stopAt, dieAt).buffer), 0, 8, 4);
      closeSync(file);
    },
    lastStep() {
      const bytes = Buffer.alloc(SIZE);
      const file = openSync(stepFile, "r");
      readSync(file, bytes, 0, SIZE, 0);
      closeSync(file);
      const step = bytes.subarray(12).toString("utf8");
      return { count: bytes.readUInt32LE(0), step: step.slice(0, step.indexOf("\0")) };
    },
  };
  lines.on("line", (line) => {
    hear(victim, line);
    if (victim.said.length > 0) isAtWork.resolve();
    if (victim.forgotten.length > 0) hasForgotten.resolve();
  });
  child.stderr.on("data", (text: Buffer) => (victim.errors += text.toString("utf8")));
  // Whoever is killed reads no more.
  child.stdin.on("error", () => undefined);
  return victim;
}

function hear(victim: Victim, line: string): void {
  const [, kind, words = ""] = /^(doing|said|fact|undone|forgot) (.+)$/.exec(line) ?? [];
  if (kind === "doing") victim.doing = words;
  if (kind === "said") victim.said.push(words);
  if (kind === "fact") victim.facts.push(words);
  if (kind === "undone") victim.undone.push(words);
  if (kind === "forgot") victim.forgotten.push(words);
}
