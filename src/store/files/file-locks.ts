import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Locks } from "../locks.ts";
import { findHolder } from "./lock-holder.ts";
import { onLockWait, removeLock, takeLock, withLock } from "./lock.ts";

const LOOKED_AT_MS = 10_000;

/** The locks in a folder. */
export function createFileLocks(folder: string): Locks {
  const pathOf = (name: string) => join(folder, name);
  return {
    with: (name, work, maxWaitMs, signal) => withLock(pathOf(name), work, maxWaitMs, signal),
    take: async (name, maxWaitMs, signal) => takeLock(pathOf(name), maxWaitMs, signal),
    holder: async (name) => findHolder(pathOf(name)),
    onWait: (listener) => onLockWait(folder, listener),
    async live(own) {
      const path = pathOf(own);
      // Who looks for dead workers holds it for an instant; without it we would count as one of them.
      const lock = await takeLock(path, LOOKED_AT_MS);
      return {
        isAlive(name) {
          if (name === own) return true;
          if (!existsSync(pathOf(name))) return false;
          removeLock(pathOf(name));
          return existsSync(pathOf(name));
        },
        async end() {
          lock.release();
          removeLock(path);
        },
      };
    },
  };
}

/** Removes the locks of workers that died: nobody else would. */
export async function clearDeadWorkers(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    // A journal beside a lock that is being made is none itself.
    if (/^worker-[^.]+(?<!-journal)$/.test(name)) removeLock(join(folder, name));
  }
}
