import { rmSync } from "node:fs";

/** Deletes the index; nothing is lost by that. */
export function removeIndexFile(path: string): void {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(`${path}${suffix}`, { force: true });
}
