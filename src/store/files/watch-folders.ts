import { existsSync, readdirSync, watch } from "node:fs";
import type { FSWatcher } from "node:fs";
import { join } from "node:path";
import { systemCode } from "../../errors.ts";
import { ARCHIVE_PATH, SESSIONS_FOLDER } from "../../layout.ts";

/** Notices that something in the workspace may have changed. */
export interface FolderWatch {
  /** Whether nothing has happened since the reset that gave this; false where that cannot be known. */
  isQuiet(since: string): Promise<boolean>;
  /** Called before each look at the files. */
  reset(): string;
  close(): void;
}

/** Watches the folders of what is searched. */
export function watchFolders(workspace: string, sessions: boolean): FolderWatch {
  const watchers = new Map<string, FSWatcher>();
  let resets = 0;
  let isDirty = true;
  let isComplete = false;
  const mark = () => {
    isDirty = true;
  };
  const add = (path: string) => {
    if (watchers.has(path) || !existsSync(path)) return;
    try {
      const watcher = watch(path, { persistent: false }, mark);
      watcher.on("error", () => {
        watchers.delete(path);
        mark();
      });
      watchers.set(path, watcher);
    } catch (error) {
      // Too many watches, or a file system without them: then every search looks for itself.
      if (systemCode(error) === undefined) throw error;
    }
  };
  return {
    async isQuiet(since) {
      // Elsewhere changes are told late, or not all of them.
      if (process.platform !== "linux" || !isComplete || isDirty || since !== String(resets)) return false;
      // The kernel queues a change before the write returns; one turn of the loop brings it here.
      await new Promise((resolve) => setImmediate(resolve));
      await new Promise((resolve) => setImmediate(resolve));
      return !isDirty;
    },
    reset() {
      isDirty = false;
      const paths = listFolders(workspace, sessions).map((folder) => join(workspace, folder));
      for (const path of paths) add(path);
      // A folder that comes later shows itself in the one above it.
      isComplete = paths.every((path) => watchers.has(path) || !existsSync(path));
      return String(++resets);
    },
    close() {
      for (const watcher of watchers.values()) watcher.close();
      watchers.clear();
    },
  };
}

/** The folders whose changes matter. */
function listFolders(workspace: string, sessions: boolean): string[] {
  const nested = ["memory", "docs"].flatMap((folder) => [folder, ...foldersBelow(workspace, folder)]);
  return ["", ...nested, ...(sessions ? [SESSIONS_FOLDER, ARCHIVE_PATH] : [])];
}

function foldersBelow(workspace: string, folder: string): string[] {
  try {
    return readdirSync(join(workspace, folder), { withFileTypes: true }).flatMap((entry) => {
      if (!entry.isDirectory() || entry.name.startsWith(".")) return [];
      const path = `${folder}/${entry.name}`;
      return [path, ...foldersBelow(workspace, path)];
    });
  } catch (error) {
    // Whoever lists the sources hears of what cannot be read.
    if (systemCode(error) === undefined) throw error;
    return [];
  }
}
