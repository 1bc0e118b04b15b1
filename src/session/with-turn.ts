import { MemoryError } from "../errors.ts";
import { tryLock } from "../lock.ts";
import type { Lock } from "../lock.ts";

const LOOK_MS = 50;

/** Runs one turn of a session; no other runs meanwhile, in any process. Waiting for another ends with the signal. */
export async function withTurn<T>(
  lockPath: string,
  session: string,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  const lock = await waitForTurn(lockPath, session, signal);
  try {
    return await work();
  } finally {
    lock.release();
  }
}

/** A turn may take as long as its tools and its model do, so that there is no limit but the caller's patience. */
async function waitForTurn(path: string, session: string, signal: AbortSignal): Promise<Lock> {
  for (;;) {
    const lock = tryLock(path);
    if (lock) return lock;
    if (signal.aborted)
      throw new MemoryError("LOCK_TIMEOUT", `Another process is talking in ${session}; stopped waiting`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
