import { statSync } from "node:fs";
import { isNoDatabase, openDatabase } from "../database.ts";
import type { Database } from "../database.ts";
import { canBeEmptied, emptyIndex } from "./empty-index.ts";
import { removeIndexFile } from "./remove-index-file.ts";
import { INDEX_FORMAT, INDEX_SCHEMA } from "./schema.ts";

// What SQLite says of a file that is no database, or no longer a whole one.
const BROKEN =
  /malformed|not a database|file is encrypted|schema \d|no such table|vtable constructor|disk I\/O error|corrupt/i;

/** An open index.sqlite, and which file on the disk it is. */
export interface IndexFile {
  readonly database: Database;
  readonly inode: number;
}

/**
 * Opens the index; one made for another setting is made empty first, but for its vectors; one that is damaged, or of a
 * format that is too different, is thrown away.
 */
export function openIndexFile(path: string, setting: string): IndexFile {
  try {
    const database = openDatabase(path, [INDEX_SCHEMA]);
    try {
      const canBeUsed = isUsable(database, setting) || canBeEmptied(database);
      if (canBeUsed && !isUsable(database, setting)) emptyIndex(database, setting);
      if (canBeUsed) return prepare(database, path);
    } catch (error) {
      database.close();
      throw error;
    }
    database.close();
  } catch (error) {
    if (!isBroken(error)) throw error;
  }
  removeIndexFile(path);
  const database = openDatabase(path, [INDEX_SCHEMA]);
  isUsable(database, setting);
  return prepare(database, path);
}

/** Whether the error says that the index cannot be used any more, so that it has to be rebuilt. */
export function isBroken(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return isNoDatabase(error) || BROKEN.test(error.message) || isBroken(error.cause);
}

/** The number of the file that now has this name; 0 if there is none. */
export function inodeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.ino ?? 0;
}

function prepare(database: Database, path: string): IndexFile {
  // It is a cache: after a power cut it may be old, and then it is brought up to date.
  database.exec("PRAGMA synchronous = NORMAL; PRAGMA cache_size = -6000; PRAGMA temp_store = MEMORY;");
  return { database, inode: inodeOf(path) };
}

/** Whether an index is of our format and made for this setting, which a new one is from now on. */
export function isUsable(database: Database, setting: string): boolean {
  const read = database.prepare("SELECT value FROM about WHERE name = ?");
  if (read.get("format")?.["value"] !== INDEX_FORMAT) return false;
  const known = read.get("setting")?.["value"];
  if (known === undefined) {
    database.prepare("INSERT OR IGNORE INTO about VALUES ('setting', ?)").run(setting);
    return read.get("setting")?.["value"] === setting;
  }
  return known === setting;
}
