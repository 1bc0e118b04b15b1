import { isUtf8 } from "node:buffer";
import { statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import type { MemoryFiles } from "../../files/memory-files.ts";
import { MEMORY_FILE, memoryPath } from "../../layout.ts";
import { clearDrafts } from "./clear-drafts.ts";
import { replaceFile } from "./disk.ts";
import { describeError, MemoryError, systemCode } from "../../errors.ts";
import { withLock } from "./lock.ts";
import { finishEntry, prepareEntry } from "./append-entry.ts";
import { allowAgain, eraseAgain, eraseFrom, withoutErased } from "./erased-lines.ts";
import { findLateEdits, findReplaced, keepText } from "./late-edits.ts";
import { realPlace } from "./held-copies.ts";
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
  const readText = async (file: string, last = ""): Promise<string> => {
    const path = join(folder, file);
    for (let tries = 0; ; tries++) {
      await refuseForeignBytes(path);
      const text = await read(file);
      // An editor that saves empties the file first: what was emptied just now is most likely about to be written.
      if (text !== "" || tries >= EMPTY_TRIES || !isBeingWritten(path, last)) return text;
      await new Promise((resolve) => setTimeout(resolve, EMPTY_PAUSE_MS));
    }
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
    withoutErased: (file, text) => withoutErased(join(folder, file), text),
    allowAgain: (file, before, after) => allowAgain(join(folder, file), before, after),
    keepText: (file, text, recordedAs) => keepText(join(folder, file), text, recordedAs),
    replaced: (file) => findReplaced(join(folder, file)),
    prepareEntry: (file, entry) => prepareEntry(join(folder, file), entry),
    finishEntry: (file, prepared) => finishEntry(join(folder, file), prepared),
    clearDrafts: () => clearDrafts([folder]),
    exclusively(work, maxWaitMs) {
      const begin = () => {
        keepSwapped(realPlace(join(folder, MEMORY_FILE)));
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

const EMPTY_TRIES = 30;
const EMPTY_PAUSE_MS = 30;
const JUST_MS = 1000;

/** Whether a file that was empty a moment ago has words by now, or was emptied so lately that they may still come. */
function isBeingWritten(path: string, last: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  // Nothing tells when it was taken away. Whoever deleted it for good is waited for once: then it says nothing, on record.
  if (stat === undefined) return last.trim() !== "";
  return stat.isFile() && (stat.size > 0 || Math.abs(Date.now() - stat.mtimeMs) < JUST_MS);
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
