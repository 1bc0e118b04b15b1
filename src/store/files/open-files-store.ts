import { join } from "node:path";
import { describeError, MemoryError } from "../../errors.ts";
import {
  cachePath,
  CHANGES_FOLDER,
  indexPath,
  locksPath,
  memoryLockName,
  memoryPath,
  OWN_FOLDER,
  queuePath,
  sessionsPath,
} from "../../layout.ts";
import type { Store, StoreSetting } from "../store.ts";
import { createChangeLogs } from "./change-logs.ts";
import { claimFolder } from "./claim-folder.ts";
import { clearDrafts } from "./clear-drafts.ts";
import { whenFree } from "./database.ts";
import { makePrivateFolder } from "./disk.ts";
import { createFileDocuments } from "./file-documents.ts";
import { createFileForgetting } from "./file-forgetting.ts";
import { createFileSources } from "./file-sources.ts";
import { clearDeadWorkers, createFileLocks } from "./file-locks.ts";
import { createMemoryFiles } from "./memory-files.ts";
import { openQueue } from "./queue.ts";
import { createSessionLogs } from "./session-logs.ts";

/** Opens a folder as a store: files, and SQLite for what waits. The folders are made where they are not there. */
export async function openFilesStore(workspace: string, setting: StoreSetting): Promise<Store> {
  const locks = locksPath(workspace);
  const sessions = sessionsPath(workspace);
  await makeFolders([sessions, memoryPath(workspace, ""), locks]);
  claimFolder(workspace);
  const queue = await whenFree(() => openQueue(queuePath(workspace)));
  const { timezone, timestamp, newId } = setting;
  const onDamage = ({ reason }: { reason: string }) => setting.notice(reason);
  const store: Store = {
    folder: workspace,
    queue,
    changes: createChangeLogs(workspace, newId),
    logs: createSessionLogs({ path: sessions, lockFolder: locks, setting: { timezone, timestamp, newId, onDamage } }),
    documents: createFileDocuments(workspace),
    locks: createFileLocks(locks),
    forgetting: createFileForgetting(workspace),
    memoryFiles: (scope) => createMemoryFiles(workspace, scope, join(locks, memoryLockName(scope))),
    openSources: (options) => createFileSources(workspace, options),
    cachePath: (what) => (what === "index" ? indexPath(workspace) : cachePath(workspace)),
    atomically: (work) => work(store),
    async tidyUp() {
      await clearDrafts([sessions, join(workspace, CHANGES_FOLDER), join(workspace, OWN_FOLDER)]);
      await clearDeadWorkers(locks);
    },
    close: async () => queue.close(),
  };
  return store;
}

async function makeFolders(folders: readonly string[]): Promise<void> {
  for (const folder of folders) {
    try {
      await makePrivateFolder(folder);
    } catch (error) {
      throw new MemoryError("FILE_UNWRITABLE", `Cannot make the folder ${folder}: ${describeError(error)}`, {
        cause: error,
      });
    }
  }
}
