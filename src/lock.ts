import { existsSync, statSync } from "node:fs";
import { isBusy, openBare } from "./database.ts";
import type { Database } from "./database.ts";
import { createPrivateFile } from "./disk.ts";
import { describeError, MemoryError } from "./errors.ts";

/** A lock that is held; `release` may be called more than once. */
export interface Lock {
  release(): void;
}

const FIRST_WAIT_MS = 1;
const LONGEST_WAIT_MS = 50;

/**
 * Runs `work` while holding the lock of this name, across processes. The lock is an open SQLite transaction on a file
 * of its own: the kernel frees it with its owner, also after `kill -9`.
 */
export async function withLock<T>(path: string, work: () => Promise<T> | T, maxWaitMs = 60_000): Promise<T> {
  const lock = await takeLock(path, maxWaitMs);
  try {
    return await work();
  } finally {
    lock.release();
  }
}

/** Waits for the lock, without blocking the event loop. */
async function takeLock(path: string, maxWaitMs: number): Promise<Lock> {
  const giveUpAt = Date.now() + maxWaitMs;
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
    const lock = tryLock(path);
    if (lock) return lock;
    if (Date.now() >= giveUpAt)
      throw new MemoryError("LOCK_TIMEOUT", `Another process holds ${path} for over ${maxWaitMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}

/** Takes the lock if it is free. */
export function tryLock(path: string): Lock | undefined {
  const database = openLockFile(path);
  try {
    // IMMEDIATE reserves the file for one holder, and writes nothing.
    database.exec("BEGIN IMMEDIATE");
  } catch (error) {
    database.close();
    if (isBusy(error)) return undefined;
    throw new MemoryError("FILE_UNWRITABLE", `Cannot lock ${path}: ${describeError(error)}`, { cause: error });
  }
  return {
    release() {
      if (database.isOpen) database.close();
    },
  };
}

function openLockFile(path: string): Database {
  // Never open and close a lock file that may be in use: closing any descriptor drops the process's own locks on it.
  if (existsSync(path)) return openBare(path);
  try {
    createPrivateFile(path);
    const database = openBare(path);
    // An empty file would be made a database at each BEGIN, with a journal beside it; this does it once. It holds
    // nothing that a power cut could take, so that it need not wait for the disk.
    if (statSync(path).size === 0) database.exec("PRAGMA synchronous = OFF; PRAGMA user_version = 1");
    return database;
  } catch (error) {
    if (isBusy(error)) return openBare(path);
    throw new MemoryError("FILE_UNWRITABLE", `Cannot make the lock ${path}: ${describeError(error)}`, { cause: error });
  }
}
