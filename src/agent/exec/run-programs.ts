import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { devNull } from "node:os";
import { inheritedDescriptors } from "./inherited-descriptors.ts";
import type { Sandbox } from "./sandbox.ts";

/** A program and its arguments; no shell stands between. */
export interface ProgramCall {
  name: string;
  arguments: readonly string[];
}

/** How far a command may go. */
export interface RunLimits {
  folder: string;
  timeoutMs: number;
  maxBytes: number;
  signal: AbortSignal;
  /** What the first program reads. */
  input: string;
  /** What starts the programs, so that they see little; without it they may do what the user may. */
  sandbox: Sandbox | undefined;
}

/** What came out. */
export interface RunOutput {
  text: string;
  /** The exit status of the last program; undefined when it was ended. */
  status: number | undefined;
  ended: "by-itself" | "time" | "output" | "memory" | "stopped";
  /** Which files of the workspace it read, as far as that is known. */
  files?: readonly string[];
}

// Nothing of the program's own environment, where keys may be.
const ENVIRONMENT = {
  PATH: "/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin:/run/current-system/sw/bin",
  LANG: "C.UTF-8",
  LC_ALL: "C.UTF-8",
};

const alive = new Set<ChildProcess>();
// Groups of their own do not end with us by themselves.
process.on("exit", () => {
  for (const child of alive) endGroup(child);
});

/** Runs programs that a person allowed, each reading what the one before it writes, within limits of time and output. */
export function runPrograms(calls: readonly ProgramCall[], limits: RunLimits): Promise<RunOutput> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let size = 0;
    let ended: RunOutput["ended"] = "by-itself";
    const children: ChildProcess[] = [];
    const endAll = (why: RunOutput["ended"]): void => {
      if (ended === "by-itself") ended = why;
      for (const child of children) endGroup(child);
    };
    const collect = (piece: Buffer): void => {
      if (size < limits.maxBytes) pieces.push(piece.subarray(0, limits.maxBytes - size));
      size += piece.length;
      if (size > limits.maxBytes) endAll("output");
    };
    const timer = setTimeout(() => endAll("time"), limits.timeoutMs);
    const onStop = (): void => endAll("stopped");
    limits.signal.addEventListener("abort", onStop, { once: true });
    const finish = (): void => {
      clearTimeout(timer);
      limits.signal.removeEventListener("abort", onStop);
    };
    const nothing = openSync(devNull, "r");
    const hidden = new Set(inheritedDescriptors());
    const nowhere = Array.from({ length: Math.max(0, ...hidden) + 1 }, (_, descriptor) =>
      hidden.has(descriptor) ? nothing : ("ignore" as const),
    );
    let open = calls.length;
    for (const [index, call] of calls.entries()) {
      const isLast = index === calls.length - 1;
      const { sandbox } = limits;
      const words = sandbox ? [...sandbox.arguments, call.name, ...call.arguments] : [...call.arguments];
      const child = spawn(sandbox?.program ?? call.name, words, {
        cwd: limits.folder,
        env: ENVIRONMENT,
        shell: false,
        // A group of its own, so that what it starts ends with it.
        detached: true,
        // These three are all that it gets: what else it would inherit leads nowhere.
        stdio: ["pipe", "pipe", "pipe", ...nowhere.slice(3)],
      });
      const previous = children.at(-1);
      children.push(child);
      alive.add(child);
      child.on("close", () => alive.delete(child));
      // Whoever reads no more must not leave the one before it writing into nowhere.
      for (const event of ["error", "close"]) child.stdin?.on(event, () => previous?.stdout?.destroy());
      if (previous?.stdout && child.stdin) previous.stdout.pipe(child.stdin);
      else child.stdin?.end(limits.input);
      if (isLast) child.stdout?.on("data", collect);
      child.stderr?.on("data", collect);
      child.on("error", (error) => {
        endAll("stopped");
        finish();
        reject(error);
      });
      child.on("close", () => {
        open -= 1;
        if (open > 0) return;
        finish();
        const status = ended === "by-itself" ? (children.at(-1)?.exitCode ?? undefined) : undefined;
        resolve({ text: Buffer.concat(pieces).toString("utf8"), status, ended });
      });
    }
    closeSync(nothing);
    if (limits.signal.aborted) onStop();
  });
}

function endGroup(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch (error) {
    // It ended in this instant.
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}
