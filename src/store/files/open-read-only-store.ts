import { existsSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { MemoryError } from "../../errors.ts";
import type { MemoryFiles } from "../../files/memory-files.ts";
import { cachePath, indexPath, locksPath, queuePath, sessionsPath } from "../../layout.ts";
import type { Locks } from "../locks.ts";
import type { Store, StoreSetting } from "../store.ts";
import { createChangeLogs } from "./change-logs.ts";
import { copyToTemporary, whenFree } from "./database.ts";
import { isWritable } from "./disk.ts";
import { createFileDocuments } from "./file-documents.ts";
import { createFileForgetting } from "./file-forgetting.ts";
import { createFileSources } from "./file-sources.ts";
import { createMemoryFiles } from "./memory-files.ts";
import { openQueueForReading } from "./queue.ts";
import { createSessionLogs } from "./session-logs.ts";

/**
 * Opens a folder to look alone: nothing is made, written, locked or renamed, so that it works on a read-only disk and
 * where there is nothing yet. The index is a cache, and follows the files where it may be written.
 */
export async function openReadOnlyStore(workspace: string, setting: StoreSetting): Promise<Store> {
  const queue = await whenFree(() => openQueueForReading(queuePath(workspace)));
  const { timezone, timestamp, newId } = setting;
  const onDamage = ({ reason }: { reason: string }) => setting.notice(reason);
  const refuse = () => Promise.reject(new MemoryError("READ_ONLY", `${workspace} was opened read-only`));
  let index: { path: string; remove: () => void } | undefined;
  const store: Store = {
    folder: workspace,
    queue,
    changes: { ...createChangeLogs(workspace, newId), append: refuse, rewrite: refuse },
    logs: createSessionLogs({
      path: sessionsPath(workspace),
      lockFolder: locksPath(workspace),
      setting: { timezone, timestamp, newId, onDamage, isReadOnly: true },
    }),
    documents: createFileDocuments(workspace),
    locks: NO_LOCKS,
    forgetting: createFileForgetting(workspace),
    memoryFiles: (scope) => readMemoryFiles(workspace, scope),
    openSources: (options) => createFileSources(workspace, options),
    cachePath: (what) => (what === "index" ? (index ??= placeForReading(workspace)).path : cachePath(workspace)),
    atomically: (work) => work(store),
    tidyUp: () => Promise.resolve(),
    async close() {
      queue.close();
      index?.remove();
    },
  };
  return store;
}

function readMemoryFiles(workspace: string, scope: string): MemoryFiles {
  const files = createMemoryFiles(workspace, scope, "");
  const refuse = () => Promise.reject(new MemoryError("READ_ONLY", `${files.folder} was opened read-only`));
  return {
    ...files,
    replace: refuse,
    prepareEntry: refuse,
    finishEntry: refuse,
    clearDrafts: () => Promise.resolve(),
    lateEdits: () => Promise.resolve([]),
    held: () => [],
    exclusively: (work) => work(),
  };
}

const NO_LOCKS: Locks = {
  with: async (_, work) => work(),
  take: () => Promise.resolve({ release: () => undefined }),
  holder: () => Promise.resolve(undefined),
  onWait: () => () => undefined,
  live: () => Promise.resolve({ isAlive: () => true, end: () => Promise.resolve() }),
};

// What an index needs at least while it is brought up to date.
const LEAST_ROOM_BYTES = 1 << 20;

/** Where the index cannot be written, as on a read-only or a full disk, a copy of it serves for the moment. */
function placeForReading(workspace: string): { path: string; remove: () => void } {
  const path = indexPath(workspace);
  const folder = dirname(path);
  const isUsable = isWritable(folder) && (!existsSync(path) || isWritable(path)) && hasRoom(folder);
  return isUsable ? { path, remove: () => undefined } : copyToTemporary(path);
}

function hasRoom(folder: string): boolean {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize >= LEAST_ROOM_BYTES;
}
