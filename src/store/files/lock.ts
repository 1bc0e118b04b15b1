import { existsSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { isBusy, isNoDatabase, openBare } from "./database.ts";
import type { Database } from "./database.ts";
import { createPrivateFile } from "./disk.ts";
import { describeError, MemoryError } from "../../errors.ts";
import { describeHolder, holderPath, isHolderHere, isHolderStopped, noteHolder } from "./lock-holder.ts";
import { monotonicMs } from "../../time.ts";

/** A lock that is held; `release` may be called more than once. */
export interface Lock {
  release(): void;
}

const FIRST_WAIT_MS = 1;
const LONGEST_WAIT_MS = 50;
const TELL_AFTER_MS = 800;
// Someone at work will be done; someone who was stopped may be so until tomorrow.
const WAIT_FOR_STOPPED_MS = 5000;

const waiting = new Map<string, Set<() => void>>();
const listeners = new Map<string, Set<(text: string) => void>>();

/** Tells `listener` whenever something waits for another process's lock in this folder for most of a second; ends with what it returns. */
export function onLockWait(folder: string, listener: (text: string) => void): () => void {
  const those = listeners.get(folder) ?? new Set();
  listeners.set(folder, those.add(listener));
  return () => {
    those.delete(listener);
    if (those.size === 0) listeners.delete(folder);
  };
}

/**
 * Runs `work` while holding the lock of this name, across processes. The lock is an open SQLite transaction on a file
 * of its own: the kernel frees it with its owner, also after `kill -9`.
 */
export async function withLock<T>(
  path: string,
  work: () => Promise<T> | T,
  maxWaitMs = 60_000,
  signal?: AbortSignal,
): Promise<T> {
  const lock = await takeLock(path, maxWaitMs, signal);
  try {
    return await work();
  } finally {
    lock.release();
  }
}

/** Waits for the lock, without blocking the event loop; whoever held it up is named in the error. */
export async function takeLock(path: string, maxWaitMs: number, signal?: AbortSignal): Promise<Lock> {
  // Not by the clock on the wall, which may jump.
  const begun = monotonicMs();
  let isTold = false;
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
    const lock = tryLock(path);
    if (lock) return lock;
    const waitedMs = monotonicMs() - begun;
    if (waitedMs >= maxWaitMs || (waitedMs >= WAIT_FOR_STOPPED_MS && isHolderStopped(path)))
      throw new MemoryError("LOCK_TIMEOUT", `${describeHolder(path)}; gave up after ${Math.round(waitedMs)} ms`);
    if (signal?.aborted) throw new MemoryError("LOCK_TIMEOUT", `${describeHolder(path)}; stopped waiting`);
    // Nobody can do anything about a process that is at work itself.
    if (!isTold && waitedMs >= TELL_AFTER_MS && !isHolderHere(path)) {
      isTold = true;
      for (const tell of listeners.get(dirname(path)) ?? []) tell(`Waiting: ${describeHolder(path)}`);
    }
    await untilReleased(path, waitMs);
  }
}

/** Until someone in this process has released the lock, in the order in which they wait, or this time has passed: others do not tell. */
function untilReleased(path: string, waitMs: number): Promise<void> {
  const those = waiting.get(path) ?? new Set();
  waiting.set(path, those);
  return new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer);
      those.delete(wake);
      if (those.size === 0) waiting.delete(path);
      resolve();
    };
    const timer = setTimeout(wake, waitMs);
    those.add(wake);
  });
}

function wakeNext(path: string): void {
  for (const wake of waiting.get(path) ?? []) return wake();
}

/** Takes the lock if it is free. */
export function tryLock(path: string): Lock | undefined {
  for (;;) {
    makeLockFile(path);
    const inode = inodeOf(path);
    const database = openLockFile(path);
    try {
      // An empty file would be made a database at each BEGIN; this does it once, without a journal beside it.
      if (statSync(path, { throwIfNoEntry: false })?.size === 0) initialise(database);
      // IMMEDIATE reserves the file for one holder, and writes nothing.
      database.exec("BEGIN IMMEDIATE");
    } catch (error) {
      database.close();
      if (isBusy(error)) return undefined;
      // A file that is removed while it is open fails in many ways.
      if (inode === undefined || inode !== inodeOf(path)) continue;
      if (isNoDatabase(error) && setAside(path)) continue;
      throw new MemoryError("FILE_UNWRITABLE", `Cannot lock ${path}: ${describeError(error)}`, { cause: error });
    }
    // Removed while it was being opened: a lock that nobody else can see is none.
    if (inode !== undefined && inode === inodeOf(path)) return heldLock(path, database);
    database.close();
  }
}

/** Whether someone holds the lock at this moment; asks without making or writing anything. */
export function isLocked(path: string): boolean {
  if (!existsSync(path)) return false;
  const database = openBare(path);
  try {
    database.exec("BEGIN IMMEDIATE");
    return false;
  } catch (error) {
    // What cannot be locked here, as on a read-only disk, nobody here has locked.
    return isBusy(error);
  } finally {
    database.close();
  }
}

/** Deletes a lock that nobody holds; one that is held stays. */
export function removeLock(path: string): void {
  if (!existsSync(path)) return;
  const lock = tryLock(path);
  if (!lock) return;
  rmSync(path, { force: true });
  rmSync(holderPath(path), { force: true });
  lock.release();
}

function heldLock(path: string, database: Database): Lock {
  noteHolder(path);
  return {
    release() {
      if (!database.isOpen) return;
      database.close();
      wakeNext(path);
    },
  };
}

function makeLockFile(path: string): void {
  try {
    // Never open and close a lock file that may be in use: closing any descriptor drops the process's own locks on it.
    if (!existsSync(path)) createPrivateFile(path);
    else if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) setAside(path);
  } catch (error) {
    throw new MemoryError("FILE_UNWRITABLE", `Cannot make the lock ${path}: ${describeError(error)}`, { cause: error });
  }
}

function openLockFile(path: string): Database {
  try {
    return openBare(path);
  } catch (error) {
    throw new MemoryError("FILE_UNWRITABLE", `Cannot make the lock ${path}: ${describeError(error)}`, { cause: error });
  }
}

function initialise(database: Database): void {
  try {
    // It holds nothing: one that a power cut spoils is made anew, and no disk need be waited for.
    database.exec("PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY; PRAGMA user_version = 1");
  } catch (error) {
    // Someone else is making it at this moment.
    if (!isBusy(error)) throw error;
  }
}

/**
 * Moves what stands in the place of a lock and is none out of the way; false when that cannot be done now. Nobody can
 * hold it, and only one process at a time looks: otherwise the second would move the lock that the first has made.
 */
function setAside(path: string): boolean {
  const repair = join(dirname(path), "repair");
  if (path === repair) return false;
  const lock = tryLock(repair);
  if (!lock) return true;
  try {
    if (isLockFile(path)) return true;
    rmSync(`${path}.damaged`, { recursive: true, force: true });
    renameSync(path, `${path}.damaged`);
    return true;
  } finally {
    lock.release();
  }
}

function isLockFile(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return true;
  if (!stat.isFile()) return false;
  const database = openBare(path);
  try {
    database.prepare("PRAGMA user_version").get();
    return true;
  } catch (error) {
    if (isNoDatabase(error)) return false;
    if (isBusy(error)) return true;
    throw error;
  } finally {
    database.close();
  }
}

function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}
