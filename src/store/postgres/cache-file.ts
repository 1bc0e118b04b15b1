import { createHash } from "node:crypto";
import { readdirSync, rmSync, statSync, utimesSync } from "node:fs";
import { basename, join } from "node:path";
import { systemCode } from "../../errors.ts";
import { isBusy, openBare, removeDatabase } from "../files/database.ts";
import { createPrivateFile, isWritable, makeTemporaryFolder } from "../files/disk.ts";
import type { CacheSetting } from "../store.ts";

const SUFFIX = ".sqlite";
const MOST_DAYS = 30;
const DAY_MS = 86_400_000;

/** The file that caches a workspace on this machine. */
export interface CacheFile {
  /** Makes room for it, the first time: other files that were not used lately go, unless someone has them open. */
  readonly path: () => string;
  close(): void;
}

/** Names the cache of a workspace by what it lies in; nothing is made before it is asked for. */
export function createCacheFile(setting: CacheSetting | undefined, name: string, what: string): CacheFile {
  let path: string | undefined;
  let temporary: string | undefined;
  const file = `${createHash("sha256").update(name).digest("hex").slice(0, 32)}.${what}${SUFFIX}`;
  const choose = (): string => {
    if (setting) {
      const chosen = join(setting.folder, file);
      if (isUsable(chosen)) {
        clearCaches(setting, chosen);
        return chosen;
      }
    }
    temporary = makeTemporaryFolder();
    return join(temporary, file);
  };
  return {
    path: () => (path ??= choose()),
    close() {
      if (temporary !== undefined) rmSync(temporary, { recursive: true, force: true });
      [path, temporary] = [undefined, undefined];
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

/** Deletes the caches of the workspaces used longest ago, until the rest are as few and as small as they may be. */
function clearCaches({ folder, maxFiles, maxMegabytes }: CacheSetting, own: string): void {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith(SUFFIX))
    .flatMap((name) => describe(join(folder, name)));
  const workspaces = [...Map.groupBy(files, ({ path }) => workspaceOf(path))]
    .map(([name, caches]) => ({
      name,
      caches,
      size: caches.reduce((sum, { size }) => sum + size, 0),
      usedMs: Math.max(...caches.map(({ usedMs }) => usedMs)),
    }))
    .toSorted((one, other) => one.usedMs - other.usedMs);
  const oldest = Date.now() - MOST_DAYS * DAY_MS;
  let [count, bytes] = [workspaces.length, workspaces.reduce((sum, { size }) => sum + size, 0)];
  for (const { name, caches, size, usedMs } of workspaces) {
    const isKept = count <= maxFiles && bytes <= maxMegabytes * 1_000_000 && usedMs >= oldest;
    if (isKept || name === workspaceOf(own) || caches.some(({ path }) => isInUse(path))) continue;
    for (const { path } of caches) removeDatabase(path);
    count--;
    bytes -= size;
  }
}

function workspaceOf(path: string): string {
  return basename(path).split(".")[0] ?? "";
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

function describe(path: string): { path: string; size: number; usedMs: number }[] {
  // Another process may have deleted it.
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat ? [{ path, size: stat.size + sizeOf(`${path}-wal`), usedMs: stat.mtimeMs }] : [];
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
