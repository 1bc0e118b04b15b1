import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { closeSync, openSync, readdirSync, readFileSync } from "node:fs";
import { devNull } from "node:os";
import { join } from "node:path";
import { systemCode } from "../../errors.ts";
import type { Sandbox } from "./sandbox.ts";

/** A real program that the shell calls. */
export interface ProgramCall {
  name: string;
  arguments: readonly string[];
  /** Where it is called, from the workspace. */
  folder: string;
  /** What it reads; a character is a byte. */
  input: string;
}

/** What came out; a character of the output is a byte. */
export interface ProgramOutput {
  output: string;
  errors: string;
  status: number;
  /** Whether it was ended because it wrote too much. */
  isCut: boolean;
}

// Nothing of the program's own environment, where keys may be.
const ENVIRONMENT = {
  PATH: "/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin:/run/current-system/sw/bin",
  LANG: "C.UTF-8",
  LC_ALL: "C.UTF-8",
};
// What a shell reports for a program that was ended by SIGKILL.
const KILLED = 137;

const alive = new Set<ChildProcess>();
// Groups of their own do not end with us by themselves.
process.on("exit", () => {
  for (const child of alive) endGroup(child);
});

/** Runs a program that a person allowed, until it ends, `signal` fires, or it has written `maxBytes`. */
export function runProgram(
  call: ProgramCall,
  workspace: string,
  sandbox: Sandbox | undefined,
  maxBytes: number,
  signal: AbortSignal,
): Promise<ProgramOutput> {
  return new Promise((resolve, reject) => {
    const output: Buffer[] = [];
    const errors: Buffer[] = [];
    let size = 0;
    const nothing = openSync(devNull, "r");
    const hidden = new Set(inheritedDescriptors());
    const nowhere = Array.from({ length: Math.max(0, ...hidden) + 1 }, (_, descriptor) =>
      hidden.has(descriptor) ? nothing : ("ignore" as const),
    );
    const words = sandbox ? [...sandbox.arguments, call.name, ...call.arguments] : [...call.arguments];
    const child = spawn(sandbox?.program ?? call.name, words, {
      cwd: join(workspace, call.folder),
      env: ENVIRONMENT,
      shell: false,
      // A group of its own, so that what it starts ends with it.
      detached: true,
      // These three are all that it gets: what else it would inherit leads nowhere.
      stdio: ["pipe", "pipe", "pipe", ...nowhere.slice(3)],
    });
    closeSync(nothing);
    alive.add(child);
    const onStop = (): void => endGroup(child);
    signal.addEventListener("abort", onStop, { once: true });
    const collect = (pieces: Buffer[]) => (piece: Buffer) => {
      if (size < maxBytes) pieces.push(piece.subarray(0, maxBytes - size));
      size += piece.length;
      if (size > maxBytes) endGroup(child);
    };
    child.stdout?.on("data", collect(output));
    child.stderr?.on("data", collect(errors));
    // One that reads nothing may end before it was given everything.
    child.stdin?.on("error", () => child.stdin?.destroy());
    child.stdin?.end(Buffer.from(call.input, "latin1"));
    child.on("error", (error) => {
      alive.delete(child);
      reject(error);
    });
    child.on("close", (status) => {
      alive.delete(child);
      signal.removeEventListener("abort", onStop);
      resolve({
        output: Buffer.concat(output).toString("latin1"),
        errors: Buffer.concat(errors).toString("utf8"),
        status: status ?? KILLED,
        isCut: size > maxBytes,
      });
    });
    if (signal.aborted) onStop();
  });
}

function endGroup(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch (error) {
    // It ended in this instant.
    if (systemCode(error) !== "ESRCH") throw error;
  }
}

const CLOSES_ON_EXEC = 0o2000000;

/**
 * The descriptors beyond the first three that a program which we start would get as well: those that we were handed ourselves.
 * Node marks what it opens, and the first few that it finds, so that they close; what lies beyond a gap it never sees.
 */
function inheritedDescriptors(): number[] {
  return openDescriptors().filter((descriptor) => descriptor > 2 && !closesOnExec(descriptor));
}

function openDescriptors(): number[] {
  for (const folder of ["/proc/self/fd", "/dev/fd"]) {
    try {
      return readdirSync(folder).map(Number).filter(Number.isInteger);
    } catch (error) {
      if (!["ENOENT", "ENOTDIR", "EACCES"].includes(systemCode(error) ?? "")) throw error;
    }
  }
  // Where there is neither (Windows), nothing is handed down unless it is named.
  return [];
}

function closesOnExec(descriptor: number): boolean {
  try {
    const [, flags = "0"] = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "utf8")) ?? [];
    return (Number.parseInt(flags, 8) & CLOSES_ON_EXEC) !== 0;
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw error;
    // On Linux it was the one that the list was read by; elsewhere nobody tells.
    return process.platform === "linux";
  }
}
