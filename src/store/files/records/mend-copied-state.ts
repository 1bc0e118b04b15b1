import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { findDatabaseDamage } from "../database.ts";
import { describeError, systemCode } from "../../../errors.ts";
import { tryLock } from "../lock.ts";

/**
 * Looks once at a state that lies in another place than before. A folder that was copied while it was in use may have a
 * write-ahead log that does not go with its database; the database alone is what the last checkpoint left, and whole.
 */
export function mendCopiedState(path: string, lockFolder: string, notice: (text: string) => void): void {
  const marker = join(dirname(path), "place");
  if (!existsSync(path) || readPlace(marker) === placeOf(path)) return;
  // Whoever holds it looks at the same thing at this moment.
  const lock = tryLock(join(lockFolder, "state"));
  if (!lock) return;
  try {
    if (findDatabaseDamage(path) !== undefined && existsSync(`${path}-wal`)) setLogAside(path, notice);
    notePlace(path);
  } finally {
    lock.release();
  }
}

/** Remembers where the state lies, so that a copy of it is known as one. */
export function notePlace(path: string): void {
  const marker = join(dirname(path), "place");
  const place = placeOf(path);
  if (place === undefined || readPlace(marker) === place) return;
  try {
    writeFileSync(marker, place, { mode: 0o600 });
  } catch (error) {
    // A disk that is full or read-only: then it is looked at again the next time.
    if (systemCode(error) === undefined) throw error;
  }
}

function setLogAside(path: string, notice: (text: string) => void): void {
  for (const suffix of ["-wal", "-shm"]) {
    if (existsSync(`${path}${suffix}`)) renameSync(`${path}${suffix}`, `${path}${suffix}.damaged`);
  }
  const damage = findDatabaseDamage(path);
  if (damage !== undefined) return;
  notice(
    `This folder seems to have been copied while it was in use. The newest records of runs and sources are missing; what could not be used is in ${path}-wal.damaged. Sessions and memory files are as they were copied`,
  );
}

function placeOf(path: string): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat && `${stat.ino}:${stat.birthtimeMs}`;
}

function readPlace(marker: string): string | undefined {
  try {
    return readFileSync(marker, "utf8");
  } catch (error) {
    if (systemCode(error) === undefined) throw new Error(describeError(error), { cause: error });
    return undefined;
  }
}
