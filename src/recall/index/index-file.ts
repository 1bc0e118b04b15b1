import { statSync } from "node:fs";
import { MemoryError } from "../../errors.ts";
import { isNoDatabase, openDatabase, removeDatabase, transact } from "../../store/files/database.ts";
import type { Database } from "../../store/files/database.ts";
import { INDEX_FORMAT, INDEX_SCHEMA, INDEX_TABLES, raiseAbout, readAbout, writeAbout } from "./schema.ts";
import { readVectorsOf } from "./vector-blocks.ts";

/** The open index; it may become another file when the present one is deleted or found to be broken. */
export interface IndexHandle {
  readonly database: Database;
  /** How often it was opened or begun anew. */
  readonly renewals: number;
  /** Runs the work on the index that has its name now, a new one if the file is gone, and is made for our setting. */
  run<T>(work: (database: Database) => T): T;
  /** Reads the index as it is at one moment, whoever writes meanwhile; an IndexTaken where it is not ours any more. */
  look<T>(work: (database: Database) => T): T;
  /** Begins an empty index. */
  renew(): void;
  /** Begins an empty index in place of a broken one, unless another process has done so. */
  replaceBroken(): void;
  close(): void;
}

/** Another process has made the index empty for another setting. */
export class IndexTaken extends MemoryError {
  constructor() {
    super("STATE_UNUSABLE", "Another process keeps making the index for another time zone or setting: ask again");
  }
}

/** Opens the index at `path`; `onRenew` is told whenever what is known of its content no longer holds. */
export function openIndexHandle(path: string, setting: string, onRenew: () => void): IndexHandle {
  let file = openIndexFile(path, setting);
  let renewals = 0;
  const close = () => {
    if (file.database.isOpen) file.database.close();
  };
  const reopen = () => {
    close();
    file = openIndexFile(path, setting);
    renewals++;
    onRenew();
  };
  const renew = () => {
    close();
    removeDatabase(path);
    reopen();
  };
  // Another process may have made it empty for another setting.
  const isOurs = () => isUsable(file.database, setting);
  return {
    get database() {
      return file.database;
    },
    get renewals() {
      return renewals;
    },
    run(work) {
      if (inodeOf(path) !== file.inode || !isOurs()) reopen();
      return work(file.database);
    },
    look(work) {
      const { database } = file;
      database.exec("BEGIN");
      try {
        if (!isOurs()) throw new IndexTaken();
        const result = work(database);
        database.exec("COMMIT");
        return result;
      } catch (error) {
        if (database.isTransaction) database.exec("ROLLBACK");
        throw error;
      }
    },
    renew,
    replaceBroken() {
      if (inodeOf(path) === file.inode) renew();
      else reopen();
    },
    close,
  };
}

// What SQLite says of a file that is no database, or no longer a whole one.
const BROKEN =
  /malformed|not a database|file is encrypted|schema \d|no such table|vtable constructor|disk I\/O error|corrupt/i;

/** An open index, and which file on the disk it is. */
interface IndexFile {
  readonly database: Database;
  readonly inode: number;
}

/**
 * Opens the index; one made for another setting is made empty first, but for its vectors; one that is damaged, or has
 * other tables, is thrown away.
 */
export function openIndexFile(path: string, setting: string): IndexFile {
  try {
    const database = openDatabase(path, [INDEX_SCHEMA]);
    try {
      const hasOurTables = readAbout(database, "format").startsWith(INDEX_TABLES);
      if (hasOurTables && !isUsable(database, setting)) emptyIndex(database, setting);
      if (hasOurTables) return prepare(database, path);
    } catch (error) {
      database.close();
      throw error;
    }
    database.close();
  } catch (error) {
    if (!isBroken(error)) throw error;
  }
  removeDatabase(path);
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
function inodeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.ino ?? 0;
}

function prepare(database: Database, path: string): IndexFile {
  // It is a cache: after a power cut it may be old, and then it is brought up to date.
  database.exec("PRAGMA synchronous = NORMAL; PRAGMA cache_size = -6000; PRAGMA temp_store = MEMORY;");
  return { database, inode: inodeOf(path) };
}

/** Whether an index is of our format and made for this setting, which a new one is from now on. */
function isUsable(database: Database, setting: string): boolean {
  const read = database.prepare("SELECT value FROM about WHERE name = ?");
  if (read.get("format")?.["value"] !== INDEX_FORMAT) return false;
  const known = read.get("setting")?.["value"];
  if (known === undefined) {
    database.prepare("INSERT OR IGNORE INTO about VALUES ('setting', ?)").run(setting);
    return read.get("setting")?.["value"] === setting;
  }
  return known === setting;
}

const ROWS_AT_ONCE = 4_096;
const CARRIED = "carried";

/**
 * Takes everything out of an index but the vectors that embedding would cost again, each by the hash of its text. Numbers
 * go on where they were, so that whoever has the index open takes it for one in which all files have changed.
 */
function emptyIndex(database: Database, setting: string): void {
  transact(database, () => {
    // Another process may have done so while this one waited.
    if (isUsable(database, setting)) return;
    setAsideAll(database);
    database.exec(`
      DELETE FROM sources; DELETE FROM passages; DELETE FROM facts; DELETE FROM vector_blocks; DELETE FROM embedded;
      DELETE FROM headings WHERE id <> 0; INSERT INTO keyword (keyword) VALUES ('delete-all');
      DELETE FROM about WHERE name = 'facts_version';`);
    for (const count of ["generation", "facts", "vectors"]) raiseAbout(database, count);
    writeAbout(database, "format", INDEX_FORMAT);
    writeAbout(database, "setting", setting);
    writeAbout(database, CARRIED, "1");
  });
}

function setAsideAll(database: Database): void {
  const keep = database.prepare("INSERT OR IGNORE INTO vectors VALUES (?, ?, ?)");
  const list = database.prepare(
    "SELECT hash, passage FROM embedded WHERE embedder = ? AND passage > ? ORDER BY passage LIMIT ?",
  );
  for (const row of database.prepare("SELECT id, dimensions FROM embedders WHERE is_free = 0").all()) {
    const embedder = { number: Number(row["id"]), dimensions: Number(row["dimensions"]) };
    for (let last = -1; ;) {
      const rows = list.all(embedder.number, last, ROWS_AT_ONCE);
      const vectors = readVectorsOf(
        database,
        embedder,
        rows.map(({ passage }) => Number(passage)),
      );
      for (const { hash, passage } of rows) {
        const vector = vectors.get(Number(passage));
        if (vector && hash !== undefined) keep.run(hash, embedder.number, vector);
      }
      if (rows.length < ROWS_AT_ONCE) break;
      last = Number(rows.at(-1)?.["passage"]);
    }
  }
}

/** Whether vectors were set aside for texts that are not all read again yet. */
export function hasCarried(database: Database): boolean {
  return readAbout(database, CARRIED) !== "";
}

/** All texts are read again: what is set aside is no more than a spare. */
export function forgetCarried(database: Database): void {
  if (hasCarried(database)) writeAbout(database, CARRIED, "");
}
