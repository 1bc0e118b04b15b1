import { existsSync, readFileSync, statfsSync } from "node:fs";
import { dirname, join } from "node:path";
import { MemoryError, systemCode } from "../../errors.ts";
import type { MemoryFiles } from "../../files/memory-files.ts";
import { indexPath, locksPath, MEMORY_FILE, memoryPath, sessionsPath, statePath } from "../../layout.ts";
import type { State } from "../../state/state.ts";
import type { Locks } from "../locks.ts";
import type { Store, StoreSetting } from "../store.ts";
import { copyToTemporary, whenFree } from "./database.ts";
import { isWritable } from "./disk.ts";
import { createFileDocuments } from "./file-documents.ts";
import { createFileForgetting } from "./file-forgetting.ts";
import { createFileSources } from "./file-sources.ts";
import { createMemoryFiles } from "./memory-files.ts";
import { openStateForReading } from "./records/open-state.ts";
import { createSessionLogs } from "./session-logs.ts";

/**
 * Opens a folder to look alone: nothing is made, written, locked or renamed, so that it works on a read-only disk and
 * where there is nothing yet. The index is a cache, and follows the files where it may be written.
 */
export async function openReadOnlyStore(workspace: string, setting: StoreSetting): Promise<Store> {
  const records = await openRecords(workspace);
  const { timezone, timestamp, newId } = setting;
  const onDamage = ({ reason }: { reason: string }) => setting.notice(reason);
  let cache: { path: string; remove: () => void } | undefined;
  const store: Store = {
    folder: workspace,
    records,
    logs: createSessionLogs({
      path: sessionsPath(workspace),
      lockFolder: locksPath(workspace),
      setting: { timezone, timestamp, newId, onDamage, isReadOnly: true },
    }),
    documents: createFileDocuments(workspace),
    locks: NO_LOCKS,
    forgetting: createFileForgetting(workspace, records),
    memoryFiles: (scope) => readMemoryFiles(workspace, scope),
    openSources: (options) => createFileSources(workspace, options),
    cachePath: () => (cache ??= placeForReading(workspace)).path,
    atomically: (work) => work(store),
    tidyUp: () => Promise.resolve(),
    async close() {
      await records.close();
      cache?.remove();
    },
  };
  return store;
}

/** Where a person has written what no record knows, a copy of the records, so that whoever looks may note it there. */
async function openRecords(workspace: string): Promise<State> {
  const path = statePath(workspace);
  const records = await whenFree(() => openStateForReading(path));
  for (const scope of new Set(["", ...(await records.listScopes())])) {
    const latest = (await records.latestRevision(scope, MEMORY_FILE))?.text ?? "";
    if (latest === readText(join(memoryPath(workspace, scope), MEMORY_FILE))) continue;
    await records.close();
    return whenFree(() => openStateForReading(path, { asCopy: true }));
  }
  return records;
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return "";
  }
}

function readMemoryFiles(workspace: string, scope: string): MemoryFiles {
  const files = createMemoryFiles(workspace, scope, "");
  const refuse = () => Promise.reject(new MemoryError("READ_ONLY", `${files.folder} was opened read-only`));
  return {
    ...files,
    replace: refuse,
    keepText: () => undefined,
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
