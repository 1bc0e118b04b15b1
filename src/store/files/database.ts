import { createHash } from "node:crypto";
import { chmodSync, copyFileSync, constants, existsSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { createPrivateFile, isWritable, makeTemporaryFolder } from "./disk.ts";
import { describeError, MemoryError } from "../../errors.ts";
import { monotonicMs } from "../../time.ts";

export type { DatabaseSync as Database } from "node:sqlite";

const sqlite = loadSqlite();

// The driver is synchronous: while SQLite waits, nothing else happens in this process. So it hardly waits, and those who
// may do so wait outside of it.
const BUSY_TIMEOUT_MS = 20;
const MOST_WAIT_MS = 10_000;
const LONGEST_PAUSE_MS = 80;
// PERM, NOMEM, READONLY, FULL, CANTOPEN, AUTH.
const UNOPENED = new Set([3, 7, 8, 13, 14, 23]);
// READONLY_RECOVERY, READONLY_CANTLOCK, READONLY_ROLLBACK.
const LEFT_HALF = new Set([264, 520, 776]);
// FULL, IOERR_WRITE, IOERR_SHMSIZE, IOERR_SHMMAP.
const NO_ROOM = new Set([13, 778, 4874, 5386]);

/**
 * Loaded by hand: an import would end an older Node with a name that tells nobody what to do, and Node 22 would call it
 * experimental at each start, which nobody can act on.
 */
function loadSqlite() {
  const emitWarning = Reflect.get(process, "emitWarning");
  process.emitWarning = (warning: string | Error, ...rest: unknown[]) => {
    if (!/SQLite/.test(String(warning))) Reflect.apply(emitWarning, process, [warning, ...rest]);
  };
  try {
    const loaded = process.getBuiltinModule?.("node:sqlite");
    if (loaded) return loaded;
  } finally {
    process.emitWarning = emitWarning;
  }
  throw new MemoryError("STATE_UNUSABLE", `Tidemark needs Node 22.18 or newer; this is Node ${process.versions.node}`);
}

/** Does the work again, after a pause, while someone else holds the database; the event loop goes on meanwhile. */
export async function whenFree<T>(work: () => T | Promise<T>, maxWaitMs = MOST_WAIT_MS): Promise<T> {
  // Not by the clock on the wall, which may jump.
  const begun = monotonicMs();
  for (let pauseMs = 2; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    try {
      return await work();
    } catch (error) {
      if (!isBusy(error) || monotonicMs() - begun > maxWaitMs) throw error;
    }
    // Not all at once: those who wait for the same one would meet again.
    await new Promise((resolve) => setTimeout(resolve, pauseMs * (0.5 + Math.random())));
  }
}

/**
 * Opens a private SQLite file in WAL mode and brings its schema up to date; `migrations` are only ever added to. One of a
 * newer version is refused, or (`mayLook`) opened to look at: nothing can be written to it then.
 */
export function openDatabase(path: string, migrations: readonly string[], mayLook = false): DatabaseSync {
  try {
    // SQLite copies the mode of the main file to -wal and -shm, so it must be private before they are made.
    if (!existsSync(path)) createPrivateFile(path);
    const database = new sqlite.DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
    try {
      if (mayLook && readVersion(database) > migrations.length) {
        database.exec("PRAGMA query_only = ON");
        return database;
      }
      useWriteAheadLog(database);
      database.exec("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;");
      migrate(database, migrations);
    } catch (error) {
      database.close();
      throw error;
    }
    return database;
  } catch (error) {
    throw unopened(path, error);
  }
}

/** Opens a private SQLite file that is only a cache: one that another version made, or that is damaged, is made again. */
export function openCache(path: string, schema: string): DatabaseSync {
  const version = versionOf(schema);
  for (let isLastTry = false; ; isLastTry = true) {
    try {
      if (!existsSync(path)) createPrivateFile(path);
      const database = new sqlite.DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
      try {
        if (readVersion(database) !== version) {
          useWriteAheadLog(database);
          transact(database, () => {
            if (readVersion(database) === version) return;
            dropEverything(database);
            database.exec(`${schema}; PRAGMA user_version = ${version}`);
          });
        }
        // What a power cut takes of a cache is read again.
        database.exec("PRAGMA synchronous = NORMAL");
        return database;
      } catch (error) {
        database.close();
        throw error;
      }
    } catch (error) {
      if (isLastTry || !isNoDatabase(error)) throw unopened(path, error);
      for (const suffix of ["", "-wal", "-shm"]) rmSync(`${path}${suffix}`, { force: true });
    }
  }
}

/** A database in memory alone, with these tables. */
export function openScratch(schema: string): DatabaseSync {
  const database = new sqlite.DatabaseSync(":memory:");
  database.exec(schema);
  return database;
}

/** Another schema, another number. */
function versionOf(schema: string): number {
  return createHash("sha256").update(schema).digest().readUInt32BE(0) & 0x7fffffff;
}

function dropEverything(database: DatabaseSync): void {
  const names = database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .all();
  for (const { name } of names) database.exec(`DROP TABLE IF EXISTS "${String(name).replaceAll('"', '""')}"`);
}

function unopened(path: string, error: unknown): MemoryError {
  if (error instanceof MemoryError) return error;
  const room = lacksRoom(error) ? "; the disk may be full" : "";
  return new MemoryError("STATE_UNUSABLE", `Cannot open the database ${path}: ${describeError(error)}${room}`, {
    cause: error,
  });
}

/** A database that is only looked at, and what ends that. */
export interface ReadDatabase {
  readonly database: DatabaseSync;
  readonly close: () => void;
}

/**
 * Opens a SQLite file to look at it. It is not changed, also not brought up to date: where SQLite could not open it in
 * its place, as on a read-only or a full disk, or an older one, a copy is looked at. One that is not there is empty.
 */
export async function openDatabaseForReading(
  path: string,
  migrations: readonly string[],
  asCopy = false,
): Promise<ReadDatabase> {
  if (!existsSync(path)) {
    const database = new sqlite.DatabaseSync(":memory:");
    migrate(database, migrations);
    return { database, close: () => database.close() };
  }
  let isOpenable = isWritable(dirname(path)) && isWritable(path);
  if (isOpenable && !asCopy) {
    const database = new sqlite.DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
    try {
      // One that a newer version made is looked at as far as this one can.
      if (readVersion(database) >= migrations.length) {
        database.exec("PRAGMA query_only = ON");
        return { database, close: () => database.close() };
      }
    } catch (error) {
      if (!lacksRoom(error)) {
        database.close();
        throw unopened(path, error);
      }
      // On a full disk SQLite cannot make what it shares with others; there is room elsewhere for those who look.
      isOpenable = false;
    }
    database.close();
  }
  const copy = isOpenable ? await copyInUse(path) : copyToTemporary(path);
  try {
    const database = openDatabase(copy.path, migrations, true);
    const close = () => {
      database.close();
      copy.remove();
    };
    return { database, close };
  } catch (error) {
    copy.remove();
    throw error;
  }
}

/** Copies a database that others may write to at this moment. */
async function copyInUse(path: string): Promise<{ path: string; remove: () => void }> {
  const folder = makeTemporaryFolder();
  const target = join(folder, basename(path));
  await copyDatabase(path, target);
  return { path: target, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Copies a database that nobody here has open, its write-ahead log included, to a folder of its own. */
export function copyToTemporary(path: string): { path: string; remove: () => void } {
  const folder = makeTemporaryFolder();
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const target = join(folder, basename(path));
  try {
    for (const suffix of ["", "-wal"]) {
      if (!existsSync(`${path}${suffix}`)) continue;
      copyFileSync(`${path}${suffix}`, `${target}${suffix}`, constants.COPYFILE_FICLONE);
      // The mode comes with the copy, and may be read-only.
      chmodSync(`${target}${suffix}`, 0o600);
    }
    // A log that does not go with its database: the database alone is what the last checkpoint left.
    if (existsSync(`${target}-wal`) && findDatabaseDamage(target) !== undefined) rmSync(`${target}-wal`);
  } catch (error) {
    remove();
    throw new MemoryError("STATE_UNUSABLE", `Cannot read the database ${path}: ${describeError(error)}`, {
      cause: error,
    });
  }
  return { path: target, remove };
}

/** Runs `work` in one write transaction. IMMEDIATE: a deferred one fails at once when another process writes. */
export function transact<T>(database: DatabaseSync, work: () => T): T {
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

const statements = new WeakMap<DatabaseSync, Map<string, StatementSync>>();

/** A statement of a database, prepared once: that takes longer than to run it. */
export function prepared(database: DatabaseSync, sql: string): StatementSync {
  const known = statements.get(database) ?? new Map<string, StatementSync>();
  statements.set(database, known);
  const statement = known.get(sql) ?? database.prepare(sql);
  known.set(sql, statement);
  return statement;
}

/** Deletes a SQLite file, with what belongs to it; whoever has it open goes on with what they have. */
export function removeDatabase(path: string): void {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(`${path}${suffix}`, { force: true });
}

/** Opens a file for locking alone: no journal, no waiting. */
export function openBare(path: string): DatabaseSync {
  return new sqlite.DatabaseSync(path, { timeout: 0 });
}

/** Opens a database that another program wrote, or a copy of it; nothing is made or changed in it. */
export function openForReading(path: string): DatabaseSync {
  return new sqlite.DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS, readOnly: true });
}

/** Writes a database as it is at this moment to a file of its own, while others use it. */
export async function copyDatabase(from: string, to: string): Promise<void> {
  const database = new sqlite.DatabaseSync(from, { timeout: BUSY_TIMEOUT_MS });
  try {
    // Private before there is anything in it.
    createPrivateFile(to);
    await whenFree(() => database.prepare("VACUUM INTO ?").run(to));
  } finally {
    database.close();
  }
}

/** What SQLite finds wrong with a file; undefined when it is whole, or in use at this instant and so usable. */
export function findDatabaseDamage(path: string): string | undefined {
  // SQLite cannot open a write-ahead log where it may not write; that is no damage.
  if (!isWritable(dirname(path))) return inCopy(path, findDatabaseDamage);
  try {
    // Only to look: the last one to close a database that may be written would merge its log into it, damaged or not.
    const database = new sqlite.DatabaseSync(path, { timeout: 0, readOnly: true });
    try {
      const verdict = String(database.prepare("PRAGMA quick_check(1)").get()?.["quick_check"]);
      return verdict === "ok" ? undefined : verdict;
    } finally {
      database.close();
    }
  } catch (error) {
    if (isBusy(error) || isLeftHalf(error)) return undefined;
    if (lacksRoom(error)) return inCopy(path, findDatabaseDamage);
    // Not allowed, not enough room: that says nothing of what is in the file.
    if (UNOPENED.has(sqliteCode(error) ?? 0))
      throw new MemoryError("STATE_UNUSABLE", `Cannot open ${path}: ${describeError(error)}`, { cause: error });
    return describeError(error);
  }
}

function inCopy<T>(path: string, look: (path: string) => T): T {
  const copy = copyToTemporary(path);
  try {
    return look(copy.path);
  } finally {
    copy.remove();
  }
}

/** The version of a database that knows more than these migrations; undefined where it does not. */
export function newerVersion(database: DatabaseSync, migrations: readonly string[]): number | undefined {
  const version = readVersion(database);
  return version > migrations.length ? version : undefined;
}

/** The first switch to WAL needs the file alone, and does not heed the busy timeout: two fresh processes meet here. */
function useWriteAheadLog(database: DatabaseSync): void {
  const giveUpAt = monotonicMs() + BUSY_TIMEOUT_MS;
  for (;;) {
    try {
      database.exec("PRAGMA journal_mode = WAL");
      return;
    } catch (error) {
      if (!isBusy(error) || monotonicMs() > giveUpAt) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

/** Whether SQLite failed because someone else holds the file. */
export function isBusy(error: unknown): boolean {
  return sqliteCode(error) === 5 || (error instanceof MemoryError && isBusy(error.cause));
}

/** Whether a log or a journal that a killed process left must be taken up first, by whoever may write. */
function isLeftHalf(error: unknown): boolean {
  const code = error instanceof Error && "errcode" in error ? error.errcode : undefined;
  return typeof code === "number" && LEFT_HALF.has(code);
}

/** Whether SQLite could not make room for what it shares in memory, or for a write. */
function lacksRoom(error: unknown): boolean {
  const code = error instanceof Error && "errcode" in error ? error.errcode : undefined;
  return typeof code === "number" && NO_ROOM.has(code);
}

/** Whether SQLite says that the file is no database, or a broken one. */
export function isNoDatabase(error: unknown): boolean {
  return [11, 26].includes(sqliteCode(error) ?? 0);
}

function sqliteCode(error: unknown): number | undefined {
  // Extended codes carry the plain one in their low byte: BUSY is 5, CORRUPT 11, NOTADB 26.
  return error instanceof Error && "errcode" in error && typeof error.errcode === "number"
    ? error.errcode & 0xff
    : undefined;
}

function migrate(database: DatabaseSync, migrations: readonly string[]): void {
  const version = readVersion(database);
  if (version > migrations.length) {
    throw new MemoryError(
      "STATE_UNUSABLE",
      `The database was written by a newer Tidemark (schema ${version}): update Tidemark`,
    );
  }
  if (version === migrations.length) return;
  transact(database, () => {
    // Another process may have migrated while this one waited for the lock.
    for (const step of migrations.slice(readVersion(database))) database.exec(step);
    database.exec(`PRAGMA user_version = ${migrations.length}`);
  });
}

function readVersion(database: DatabaseSync): number {
  return Number(database.prepare("PRAGMA user_version").get()?.["user_version"] ?? 0);
}
