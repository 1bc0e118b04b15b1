import { copyFile, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { openForReading } from "../store/files/database.ts";
import type { Database } from "../store/files/database.ts";

import { describeError, MemoryError, systemCode } from "../errors.ts";
import { kindOf } from "./read-source.ts";

export type { Database } from "../store/files/database.ts";

const COPY_TRIES = 3;

/**
 * Works on a private copy of another program's database, with what waits in its write-ahead log: even a reader would
 * leave traces beside the original, and the program may be running.
 */
export async function withCopy<T>(path: string, work: (database: Database) => T): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "tidemark-import-"));
  try {
    const copy = join(folder, basename(path));
    await copyWhole(path, copy);
    const database = openForReading(copy);
    try {
      return work(database);
    } finally {
      database.close();
    }
  } catch (error) {
    if (error instanceof MemoryError) throw error;
    throw new MemoryError("IMPORT_INVALID", `Cannot read the database ${path}: ${describeError(error)}`, {
      cause: error,
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The log first would miss what moves into the database meanwhile; a database that changed under the copy is copied again. */
async function copyWhole(path: string, copy: string): Promise<void> {
  for (let left = COPY_TRIES; left > 0; left -= 1) {
    const before = await stat(path);
    await copyFile(path, copy);
    if ((await kindOf(`${path}-wal`)) === "file") await copyIfThere(`${path}-wal`, `${copy}-wal`);
    const after = await stat(path);
    if (before.mtimeMs === after.mtimeMs && before.size === after.size) return;
  }
}

async function copyIfThere(from: string, to: string): Promise<void> {
  try {
    await copyFile(from, to);
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw error;
  }
}

/** Whether a database has all of these tables. */
export function hasTables(database: Database, names: readonly string[]): boolean {
  const rows = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
  const present = new Set(rows.map(({ name }) => name));
  return names.every((name) => present.has(name));
}
