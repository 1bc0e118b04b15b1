import { MemoryError } from "../errors.ts";
import { encodeKey } from "./file-name.ts";
import type { Lock, Locks } from "../store/locks.ts";

/** Runs one turn of a session; no other runs meanwhile, in any process. Waiting for another ends with the signal. */
export async function withTurn<T>(
  locks: Locks,
  session: string,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  const lock = await waitForTurn(locks, session, signal);
  try {
    return await work();
  } finally {
    await lock.release();
  }
}

/** A turn may take as long as its tools and its model do, so that there is no limit but the caller's patience. */
async function waitForTurn(locks: Locks, session: string, signal: AbortSignal): Promise<Lock> {
  try {
    return await locks.take(`${encodeKey(session)}.turn`, Infinity, signal);
  } catch (error) {
    if (!(error instanceof MemoryError) || error.code !== "LOCK_TIMEOUT") throw error;
    throw new MemoryError("LOCK_TIMEOUT", `Another process is talking in ${session}. ${error.message}`, {
      cause: error,
    });
  }
}
