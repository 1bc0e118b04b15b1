import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Locks } from "../locks.ts";
import { onLockWait, removeLock, takeLock, tryLock, withLock } from "./lock.ts";

/** The locks in a folder. */
export function createFileLocks(folder: string): Locks {
  const pathOf = (name: string) => join(folder, name);
  return {
    with: (name, work, maxWaitMs) => withLock(pathOf(name), work, maxWaitMs),
    take: async (name, maxWaitMs, signal) => takeLock(pathOf(name), maxWaitMs, signal),
    onWait: (listener) => onLockWait(folder, listener),
    async live(own) {
      const path = pathOf(own);
      const lock = tryLock(path);
      return {
        isAlive(name) {
          if (name === own) return true;
          if (!existsSync(pathOf(name))) return false;
          removeLock(pathOf(name));
          return existsSync(pathOf(name));
        },
        async end() {
          lock?.release();
          removeLock(path);
        },
      };
    },
  };
}

/** Removes the locks of workers that died: nobody else would. */
export async function clearDeadWorkers(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (/^worker-[^.]+$/.test(name)) removeLock(join(folder, name));
  }
}
