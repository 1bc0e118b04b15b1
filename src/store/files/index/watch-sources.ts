import { existsSync, watch } from "node:fs";
import type { FSWatcher } from "node:fs";
import { join } from "node:path";
import { systemCode } from "../../../errors.ts";
import { listSourceFolders } from "./list-sources.ts";

/** Notices that something in the workspace may have changed. */
export interface SourceWatch {
  /** Whether nothing has happened since the last `reset`; false where that cannot be known. */
  isQuiet(): Promise<boolean>;
  reset(): void;
  close(): void;
}

/** Watches the folders of sources; call `reset` before each look at the files. */
export function watchSources(workspace: string, options: { sessions: boolean; isExact: boolean }): SourceWatch {
  const watchers = new Map<string, FSWatcher>();
  let isDirty = true;
  let isComplete = false;
  const mark = () => {
    isDirty = true;
  };
  const add = (folder: string) => {
    const path = join(workspace, folder);
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
  const isWatched = (path: string) => watchers.has(path) || !existsSync(path);
  return {
    async isQuiet() {
      if (!options.isExact || !isComplete || isDirty) return false;
      // The kernel queues a change before the write returns; one turn of the loop brings it here.
      await new Promise((resolve) => setImmediate(resolve));
      await new Promise((resolve) => setImmediate(resolve));
      return !isDirty;
    },
    reset() {
      isDirty = false;
      const folders = ["", ...listSourceFolders(workspace, options)];
      for (const folder of folders) add(folder);
      // A folder that comes later shows itself in the one above it.
      isComplete = folders.every((folder) => isWatched(join(workspace, folder)));
    },
    close() {
      for (const watcher of watchers.values()) watcher.close();
      watchers.clear();
    },
  };
}
