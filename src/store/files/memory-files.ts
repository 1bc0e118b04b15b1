import { isUtf8 } from "node:buffer";
import { readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import type { MemoryFiles } from "../../files/memory-files.ts";
import { MEMORY_FILE, memoryPath } from "../../layout.ts";
import { afterSave } from "./after-save.ts";
import { clearDrafts } from "./clear-drafts.ts";
import { replaceFile } from "./disk.ts";
import { describeError, MemoryError, systemCode } from "../../errors.ts";
import { withLock } from "./lock.ts";
import { finishEntry, prepareEntry } from "./append-entry.ts";
import { allowAgain, eraseAgain, eraseFrom, withoutErased } from "./erased-lines.ts";
import { findLateEdits } from "./late-edits.ts";
import { listHeld, realPlace } from "./held-copies.ts";
import { keepSwapped, replaceKept } from "./replace-kept.ts";

/** The memory files of a scope, in their folder; they need not be there. */
export function createMemoryFiles(workspace: string, scope: string, lockPath: string): MemoryFiles {
  const folder = memoryPath(workspace, scope);
  const read = async (file: string): Promise<string> => {
    const path = join(folder, file);
    try {
      return await readFile(path, "utf8");
    } catch (error) {
      if (systemCode(error) === "ENOENT") return "";
      throw new MemoryError("FILE_UNREADABLE", `Cannot read ${path}: ${describeError(error)}`, { cause: error });
    }
  };
  const readText = (file: string, last?: string): Promise<string> => {
    const path = join(folder, file);
    const readOnce = async () => {
      await refuseForeignBytes(path);
      return read(file);
    };
    return afterSave(path, readOnce, last);
  };
  return {
    folder: relative(workspace, folder).replaceAll("\\", "/"),
    scope,
    read,
    readText,
    async readPresent(file, last) {
      const path = join(folder, file);
      for (;;) {
        await written(path, () => eraseAgain(path));
        const text = await readText(file, last);
        if (withoutErased(path, text) === text) return text;
      }
    },
    async replace(file, expected, text) {
      const path = join(folder, file);
      if ((await read(file)) !== expected) return false;
      await refuseForeignBytes(path);
      return written(path, () => replaceFile(path, text, (draft, real) => replaceKept(draft, real, expected)));
    },
    erase: (file, expected, text) => {
      const path = join(folder, file);
      return written(path, () => eraseFrom(path, expected, text));
    },
    async lateEdits(file, onForeign) {
      const path = join(folder, file);
      await written(path, () => eraseAgain(path));
      // What came this very moment has its turn next time.
      return (await findLateEdits(path, onForeign)).filter(({ text }) => withoutErased(path, text) === text);
    },
    held: () => listHeld(folder).filter((file) => file !== MEMORY_FILE),
    withoutErased: (file, text) => withoutErased(join(folder, file), text),
    allowAgain: (file, before, after) => allowAgain(join(folder, file), before, after),
    prepareEntry: (file, entry) => prepareEntry(join(folder, file), entry),
    finishEntry: (file, prepared) => finishEntry(join(folder, file), prepared),
    clearDrafts: () => clearDrafts([folder]),
    exclusively(work, maxWaitMs) {
      const begin = () => {
        for (const file of [MEMORY_FILE, ...listHeld(folder)]) keepSwapped(realPlace(join(folder, file)));
        return work();
      };
      return withLock(lockPath, begin, maxWaitMs);
    },
  };
}

async function written<T>(path: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    throw new MemoryError("FILE_UNWRITABLE", `Cannot write ${path}: ${describeError(error)}`, { cause: error });
  }
}

/** A file in another encoding reads as replacement characters; writing those back would destroy it. */
async function refuseForeignBytes(path: string): Promise<void> {
  try {
    if (isUtf8(await readFile(path))) return;
  } catch (error) {
    if (systemCode(error) === "ENOENT") return;
    throw new MemoryError("FILE_UNREADABLE", `Cannot read ${path}: ${describeError(error)}`, { cause: error });
  }
  throw new MemoryError("FILE_UNWRITABLE", `${path} is not UTF-8 and was left alone; save it as UTF-8 first`);
}
