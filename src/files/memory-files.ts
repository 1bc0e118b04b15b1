import { isUtf8 } from "node:buffer";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { replaceFile } from "../disk.ts";
import { describeError, MemoryError, systemCode } from "../errors.ts";
import { withLock } from "../lock.ts";
import { finishEntry, prepareEntry } from "./append-entry.ts";
import type { PreparedEntry } from "./append-entry.ts";
import { findLateEdits, keepReplaced } from "./late-edits.ts";
import type { LateEdit } from "./late-edits.ts";

/** What is believed: the memory files of one scope. People may edit them at any time. */
export interface MemoryFiles {
  readonly folder: string;
  readonly scope: string;
  /** As well as it can be read; empty where there is none. */
  read(file: string): Promise<string>;
  /** The same for whoever will write it back: refuses a file that is not UTF-8, which would not survive that. */
  readText(file: string): Promise<string>;
  /** What was written into the file after it was replaced, by someone who had the old one open. */
  lateEdits(file: string): Promise<LateEdit[]>;
  /** Puts `text` in place of `expected`; false, with nothing touched, if the file says something else by now. */
  replace(file: string, expected: string, text: string): Promise<boolean>;
  prepareEntry(file: string, entry: string): Promise<PreparedEntry>;
  finishEntry(file: string, prepared: PreparedEntry): Promise<void>;
  /** Runs `work` while no one else applies anything to this memory, in any process. */
  exclusively<T>(work: () => Promise<T>, maxWaitMs?: number): Promise<T>;
}

/** The memory files in a folder; they need not be there. */
export function createMemoryFiles(folder: string, scope: string, lockPath: string): MemoryFiles {
  const read = async (file: string): Promise<string> => {
    const path = join(folder, file);
    try {
      return await readFile(path, "utf8");
    } catch (error) {
      if (systemCode(error) === "ENOENT") return "";
      throw new MemoryError("FILE_UNREADABLE", `Cannot read ${path}: ${describeError(error)}`, { cause: error });
    }
  };
  return {
    folder,
    scope,
    read,
    async readText(file) {
      await refuseForeignBytes(join(folder, file));
      return read(file);
    },
    async replace(file, expected, text) {
      const path = join(folder, file);
      if ((await read(file)) !== expected) return false;
      await refuseForeignBytes(path);
      try {
        await replaceFile(path, text, (real) => keepReplaced(real, expected));
      } catch (error) {
        throw new MemoryError("FILE_UNWRITABLE", `Cannot write ${path}: ${describeError(error)}`, { cause: error });
      }
      return true;
    },
    lateEdits: (file) => findLateEdits(join(folder, file)),
    prepareEntry: (file, entry) => prepareEntry(join(folder, file), entry),
    finishEntry: (file, prepared) => finishEntry(join(folder, file), prepared),
    exclusively: (work, maxWaitMs) => withLock(lockPath, work, maxWaitMs),
  };
}

/** The memory files of a folder that is only looked at: no lock is taken, and nothing is written. */
export function readMemoryFiles(folder: string, scope: string): MemoryFiles {
  const refuse = () => Promise.reject(new MemoryError("READ_ONLY", `${folder} was opened to look only`));
  return {
    ...createMemoryFiles(folder, scope, ""),
    replace: refuse,
    prepareEntry: refuse,
    finishEntry: refuse,
    lateEdits: () => Promise.resolve([]),
    exclusively: (work) => work(),
  };
}

/** A file in another encoding reads as replacement characters; writing those back would destroy it. */
async function refuseForeignBytes(path: string): Promise<void> {
  try {
    if (isUtf8(await readFile(path))) return;
  } catch (error) {
    if (systemCode(error) === "ENOENT") return;
    throw new MemoryError("FILE_UNREADABLE", `Cannot read ${path}: ${describeError(error)}`, { cause: error });
  }
  throw new MemoryError("FILE_UNWRITABLE", `${path} is not UTF-8, and is left alone: save it as UTF-8 first`);
}
