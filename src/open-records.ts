import { join } from "node:path";
import { makePrivateFolder } from "./disk.ts";
import { describeError, MemoryError } from "./errors.ts";
import { locksPath, statePath } from "./layout.ts";
import { claimFolder } from "./session/claim-folder.ts";
import { mendCopiedState, notePlace } from "./state/mend-copied-state.ts";
import { openState } from "./state/open-state.ts";
import type { State } from "./state/state.ts";

/** Makes the folders of a workspace where they are missing, and opens its records. */
export async function openRecords(path: string, onNotice: (text: string) => void): Promise<State> {
  const locks = locksPath(path);
  await makeFolders([join(path, "sessions"), join(path, "memory"), locks]);
  claimFolder(path);
  const records = statePath(path);
  mendCopiedState(records, locks, onNotice);
  const state = openState(records);
  notePlace(records);
  return state;
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
