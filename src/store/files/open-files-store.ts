import { join } from "node:path";
import { describeError, MemoryError } from "../../errors.ts";
import { indexPath, locksPath, memoryLockName, memoryPath, OWN_FOLDER, sessionsPath, statePath } from "../../layout.ts";
import type { Store, StoreSetting } from "../store.ts";
import { claimFolder } from "./claim-folder.ts";
import { clearDrafts } from "./clear-drafts.ts";
import { whenFree } from "./database.ts";
import { makePrivateFolder } from "./disk.ts";
import { createFileDocuments } from "./file-documents.ts";
import { createFileForgetting } from "./file-forgetting.ts";
import { createFileSources } from "./file-sources.ts";
import { createFileMoving } from "./file-moving.ts";
import { clearDeadWorkers, createFileLocks } from "./file-locks.ts";
import { createMemoryFiles } from "./memory-files.ts";
import { mendCopiedState, notePlace } from "./records/mend-copied-state.ts";
import { openState } from "./records/open-state.ts";
import { createSessionLogs } from "./session-logs.ts";

/** Opens a folder as a store: files, SQLite, the journal. The folders are made where they are not there. */
export async function openFilesStore(workspace: string, setting: StoreSetting): Promise<Store> {
  const locks = locksPath(workspace);
  const sessions = sessionsPath(workspace);
  await makeFolders([sessions, memoryPath(workspace, ""), locks]);
  claimFolder(workspace);
  const path = statePath(workspace);
  mendCopiedState(path, locks, setting.notice);
  const records = await whenFree(() => openState(path));
  notePlace(path);
  const { timezone, timestamp, newId } = setting;
  const onDamage = ({ reason }: { reason: string }) => setting.notice(reason);
  const store: Store = {
    folder: workspace,
    records,
    logs: createSessionLogs({ path: sessions, lockFolder: locks, setting: { timezone, timestamp, newId, onDamage } }),
    documents: createFileDocuments(workspace),
    locks: createFileLocks(locks),
    forgetting: createFileForgetting(workspace, records),
    moving: createFileMoving(workspace),
    memoryFiles: (scope) => createMemoryFiles(workspace, scope, join(locks, memoryLockName(scope))),
    openSources: (options) => createFileSources(workspace, options),
    cachePath: () => indexPath(workspace),
    atomically: (work) => work(store),
    async tidyUp() {
      await clearDrafts([sessions, join(workspace, OWN_FOLDER)]);
      await clearDeadWorkers(locks);
    },
    close: () => records.close(),
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
