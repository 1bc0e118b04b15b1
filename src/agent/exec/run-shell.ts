import { Worker } from "node:worker_threads";
import { describeError, MemoryError } from "../../errors.ts";
import { shippedScript } from "../../shipped.ts";
import type { ProgramCall, ProgramOutput } from "./run-program.ts";
import { ShellReply } from "./shell-messages.ts";
import type { ProgramEnd, ShellStart } from "./shell-messages.ts";

/** What came out of a command line. */
export interface ShellOutput {
  text: string;
  /** The exit status; undefined when it was ended. */
  status: number | undefined;
  ended: "by-itself" | "time" | "output" | "memory" | "stopped";
  /** The files of the workspace that the shell itself read. */
  files: readonly string[];
  /** What it was refused, and why. */
  refused: readonly string[];
}

/** Starts a real program for the shell. */
export type StartProgram = (call: ProgramCall, signal: AbortSignal) => Promise<ProgramOutput>;

// Enough for sorting the largest file that may be read.
const MEMORY_MB = 1024;

// A thread that has nothing to do; it keeps nothing of what it did, and does not keep the program from ending.
let idle: Worker | undefined;

/**
 * Runs a command line in a thread of its own: a loop that never comes to an end, or one that takes all memory, ends with the
 * thread, and nobody else waits for it.
 */
export function runShell(
  start: ShellStart,
  timeoutMs: number,
  signal: AbortSignal,
  startProgram: StartProgram,
): Promise<ShellOutput> {
  return new Promise((resolve, reject) => {
    const worker = takeWorker();
    const programs = new AbortController();
    let isProgramCut = false;
    const release = (): void => {
      clearTimeout(timer);
      programs.abort();
      signal.removeEventListener("abort", onStop);
      worker.off("message", onMessage);
      worker.off("error", onError);
    };
    const end = (after: () => void): void => {
      release();
      void worker.terminate().then(after, reject);
    };
    const keep = (after: () => void): void => {
      if (idle !== undefined) return end(after);
      release();
      idle = worker;
      worker.unref();
      after();
    };
    const endWith = (ended: ShellOutput["ended"]): void =>
      end(() => resolve({ text: "", status: undefined, ended, files: [], refused: [] }));
    const onStop = (): void => endWith("stopped");
    const timer = setTimeout(() => endWith("time"), timeoutMs);
    signal.addEventListener("abort", onStop, { once: true });
    const onMessage = (message: unknown): void => {
      const reply = ShellReply.parse(message);
      if (reply.kind === "done") {
        const isCut = reply.isCut || isProgramCut;
        keep(() => resolve({ ...reply, status: reply.status, ended: isCut ? "output" : "by-itself" }));
        return;
      }
      const answer = (ended: Omit<ProgramEnd, "kind" | "id">): void =>
        worker.postMessage({ kind: "ended", id: reply.id, ...ended }, []);
      startProgram(reply, programs.signal).then(
        ({ output, errors, status, isCut }) => {
          isProgramCut ||= isCut;
          answer({ output, errors, status });
        },
        refuseOr(answer, (error) => end(() => reject(error))),
      );
    };
    const onError = (error: unknown): void => {
      if (error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY") endWith("memory");
      else end(() => reject(error));
    };
    worker.on("message", onMessage);
    worker.on("error", onError);
    if (signal.aborted) onStop();
    else worker.postMessage(start, []);
  });
}

/** A program that may not be started, or is not there, is told to the shell; a bug of ours is not. */
function refuseOr(
  answer: (ended: Omit<ProgramEnd, "kind" | "id">) => void,
  fail: (error: unknown) => void,
): (error: unknown) => void {
  return (error) => {
    const isTold = error instanceof MemoryError || (error instanceof Error && "code" in error);
    if (isTold) answer({ output: "", errors: `${describeError(error)}\n`, status: 126 });
    else fail(error);
  };
}

function takeWorker(): Worker {
  const taken = idle;
  idle = undefined;
  if (taken) {
    taken.ref();
    return taken;
  }
  const script = shippedScript("agent/exec/shell-worker");
  return new Worker(script, { env: {}, execArgv: [], resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB } });
}
