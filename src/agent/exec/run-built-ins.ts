import { Worker } from "node:worker_threads";
import { MemoryError } from "../../errors.ts";
import { shippedScript } from "../../shipped.ts";
import { PipeReply } from "./pipe-messages.ts";
import type { PipeStart } from "./pipe-messages.ts";
import type { RunOutput } from "./run-programs.ts";

// Enough for sorting the largest file that may be read.
const MEMORY_MB = 1024;

// A thread that has nothing to do; it keeps nothing of what it did, and does not keep the program from ending.
let idle: Worker | undefined;

/**
 * Runs built-in commands in a thread of their own: a pattern that never comes to an end, or a file that is never read
 * through, ends with the thread, and nobody else waits for it.
 */
export function runBuiltIns(start: PipeStart, timeoutMs: number, signal: AbortSignal): Promise<RunOutput> {
  return new Promise((resolve, reject) => {
    const worker = takeWorker();
    let text = "";
    const release = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onStop);
      worker.off("message", onMessage);
      worker.off("error", onError);
    };
    const end = (after: () => void): void => {
      release();
      void worker.terminate().then(after, reject);
    };
    const keep = (after: () => void): void => {
      release();
      if (idle === undefined) {
        idle = worker;
        worker.unref();
        after();
      } else void worker.terminate().then(after, reject);
    };
    const endWith = (ended: RunOutput["ended"]) => end(() => resolve({ text, status: undefined, ended }));
    const onStop = (): void => endWith("stopped");
    const timer = setTimeout(() => endWith("time"), timeoutMs);
    signal.addEventListener("abort", onStop, { once: true });
    const onMessage = (message: unknown): void => {
      const reply = PipeReply.parse(message);
      if (reply.kind === "wrote") text += reply.text;
      else if (reply.kind === "refused") keep(() => reject(new MemoryError("PATH_REFUSED", reply.reason)));
      else {
        const { isCut, status, files } = reply;
        keep(() => resolve({ text, status: isCut ? undefined : status, ended: isCut ? "output" : "by-itself", files }));
      }
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

function takeWorker(): Worker {
  const taken = idle;
  idle = undefined;
  if (taken) {
    taken.ref();
    return taken;
  }
  const script = shippedScript("agent/exec/pipe-worker");
  return new Worker(script, { env: {}, execArgv: [], resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB } });
}
