import { isUtf8 } from "node:buffer";
import { statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { replaceFile } from "../disk.ts";
import { describeError, MemoryError, systemCode } from "../errors.ts";
import { withLock } from "../lock.ts";
import { finishEntry, prepareEntry } from "./append-entry.ts";
import type { PreparedEntry } from "./append-entry.ts";
import { findLateEdits, keepReplaced, listReplacedTexts } from "./late-edits.ts";
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
  /** What the file said before our changes of the last minutes. */
  replacedTexts(file: string): string[];
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
      const path = join(folder, file);
      for (let tries = 0; ; tries++) {
        await refuseForeignBytes(path);
        const text = await read(file);
        // An editor that saves empties the file first: what was emptied just now is most likely about to be written.
        if (text !== "" || tries >= EMPTY_TRIES || !wasJustEmptied(path)) return text;
        await new Promise((resolve) => setTimeout(resolve, EMPTY_PAUSE_MS));
      }
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
    replacedTexts: (file) => listReplacedTexts(join(folder, file)),
    prepareEntry: (file, entry) => prepareEntry(join(folder, file), entry),
    finishEntry: (file, prepared) => finishEntry(join(folder, file), prepared),
    exclusively: (work, maxWaitMs) => withLock(lockPath, work, maxWaitMs),
  };
}

const EMPTY_TRIES = 10;
const EMPTY_PAUSE_MS = 30;
const JUST_MS = 1000;

function wasJustEmptied(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat?.isFile() === true && Math.abs(Date.now() - stat.mtimeMs) < JUST_MS;
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
