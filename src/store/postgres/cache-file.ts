import { createHash } from "node:crypto";
import { readdirSync, rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { systemCode } from "../../errors.ts";
import { isBusy, openBare, removeDatabase } from "../files/database.ts";
import { createPrivateFile, isWritable, makeTemporaryFolder } from "../files/disk.ts";
import type { CacheSetting } from "../store.ts";

const SUFFIX = ".sqlite";
const MOST_DAYS = 30;
const DAY_MS = 86_400_000;

/** The files that cache a workspace on this machine: what its logs tell, and its index. */
export interface CacheFiles {
  /** Makes room for it, the first time: those of other workspaces that were not used lately go, unless they are open. */
  readonly path: (what: "history" | "index") => string;
  close(): void;
}

/** Names the caches of a workspace by what it lies in; nothing is made before it is asked for. */
export function createCacheFiles(setting: CacheSetting | undefined, name: string): CacheFiles {
  const paths = new Map<string, string>();
  let temporary: string | undefined;
  const stem = createHash("sha256").update(name).digest("hex").slice(0, 32);
  const choose = (what: string): string => {
    const file = `${stem}.${what}${SUFFIX}`;
    const chosen = setting && join(setting.folder, file);
    if (setting && chosen !== undefined && isUsable(chosen)) {
      clearCaches(setting, stem);
      return chosen;
    }
    temporary ??= makeTemporaryFolder();
    return join(temporary, file);
  };
  return {
    path(what) {
      const path = paths.get(what) ?? choose(what);
      paths.set(what, path);
      return path;
    },
    close() {
      if (temporary !== undefined) rmSync(temporary, { recursive: true, force: true });
      temporary = undefined;
      paths.clear();
    },
  };
}

/** Whether the file can be written; from now on it is the one that was used last. */
function isUsable(path: string): boolean {
  try {
    createPrivateFile(path);
    const now = new Date();
    utimesSync(path, now, now);
    return isWritable(path);
  } catch (error) {
    // A folder that is not ours, or a full disk: the caller goes on without it.
    if (systemCode(error) === undefined) throw error;
    return false;
  }
}

/** Deletes the caches of the workspaces that were used longest ago, until the rest are as few and as small as they may be. */
function clearCaches({ folder, maxFiles, maxMegabytes }: CacheSetting, own: string): void {
  const files = readdirSync(folder).filter((name) => name.endsWith(SUFFIX));
  const all = [...Map.groupBy(files, (name) => name.split(".")[0] ?? "")]
    .map(([stem, names]) => ({ stem, ...describe(names.map((name) => join(folder, name))) }))
    .toSorted((one, other) => one.usedMs - other.usedMs);
  const oldest = Date.now() - MOST_DAYS * DAY_MS;
  let [count, bytes] = [all.length, all.reduce((sum, { size }) => sum + size, 0)];
  for (const { stem, paths, size, usedMs } of all) {
    const isKept = count <= maxFiles && bytes <= maxMegabytes * 1_000_000 && usedMs >= oldest;
    if (isKept || stem === own || paths.some(isInUse)) continue;
    paths.forEach(removeDatabase);
    count--;
    bytes -= size;
  }
}

/** Whether anyone has it open, in this process or another. */
function isInUse(path: string): boolean {
  const database = openBare(path);
  try {
    // Only one that is alone can leave the write-ahead log.
    return database.prepare("PRAGMA journal_mode = DELETE").get()?.["journal_mode"] !== "delete";
  } catch (error) {
    return isBusy(error);
  } finally {
    database.close();
  }
}

function describe(paths: readonly string[]): { paths: readonly string[]; size: number; usedMs: number } {
  // Another process may have deleted one.
  const stats = paths.map((path) => statSync(path, { throwIfNoEntry: false }));
  const size = paths.reduce((sum, path) => sum + sizeOf(path) + sizeOf(`${path}-wal`), 0);
  return { paths, size, usedMs: Math.max(0, ...stats.map((stat) => stat?.mtimeMs ?? 0)) };
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
