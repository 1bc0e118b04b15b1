import { chmod, copyFile, realpath, stat, unlink } from "node:fs/promises";
import { isUtf8 } from "node:buffer";
import { constants, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { renameOver, replaceFile } from "../store/files/disk.ts";
import { describeError, MemoryError, systemCode } from "../errors.ts";
import type { FileChange } from "./plan-connection.ts";

/** Reads a configuration file; undefined where there is none. One that is not UTF-8 is refused: it would not come back. */
export function readConfigText(path: string): string | undefined {
  try {
    const bytes = readFileSync(path);
    if (isUtf8(bytes)) return bytes.toString("utf8");
  } catch (error) {
    if (systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR") return undefined;
    throw new MemoryError("FILE_UNREADABLE", `Cannot read ${path}: ${describeError(error)}`, { cause: error });
  }
  throw new MemoryError(
    "CONFIG_INVALID",
    `${path} is not UTF-8 and was left unchanged; save it as UTF-8 and try again`,
  );
}

/**
 * Writes a change in one step; links and modes stay. What was there is copied beside it first, under a name that
 * nothing has. Returns that name, or undefined where nothing was there.
 */
export async function writeChange({ path, before, after }: FileChange, now: Date): Promise<string | undefined> {
  try {
    // A file in which only we stood is nobody's loss.
    const backup = before === undefined || after === undefined ? undefined : await keepBackup(path, now);
    if (after === undefined) await removeUnchanged(path, before);
    else {
      await replaceFile(path, after, (draft, real) => {
        needUnchanged(real, before);
        return renameOver(draft, real);
      });
    }
    return backup;
  } catch (error) {
    if (error instanceof MemoryError) throw error;
    throw new MemoryError("FILE_UNWRITABLE", `Cannot write ${path}: ${describeError(error)}`, { cause: error });
  }
}

/** Where the name is a link, the file that was made behind it goes, and the link stays. */
async function removeUnchanged(path: string, before: string | undefined): Promise<void> {
  const real = await realpath(path);
  needUnchanged(real, before);
  await unlink(real);
}

/** Clients write their own files while they run; what came meanwhile is not overwritten. */
function needUnchanged(path: string, before: string | undefined): void {
  if (readConfigText(path) === before) return;
  throw new MemoryError(
    "FILE_UNWRITABLE",
    `${path} was changed by someone else in the meantime; nothing was written, try again`,
  );
}

const MARK = ".before-tidemark-";

/** Whether a file was there before we first wrote to it: then its backup lies beside it. */
export function hasBackup(path: string): boolean {
  return backupNames(path).length > 0;
}

/** The copies of a file from before we wrote to it, the oldest first. */
export function readBackups(path: string): string[] {
  const copies = backupNames(path).map((name) => readFileSync(join(dirname(path), name)));
  return copies.filter(isUtf8).map((bytes) => bytes.toString("utf8"));
}

function backupNames(path: string): string[] {
  const names = readdirSync(dirname(path)).filter((name) => name.startsWith(`${basename(path)}${MARK}`));
  return names.toSorted((one, other) => (one < other ? -1 : 1));
}

async function keepBackup(path: string, now: Date): Promise<string> {
  const stamp = now
    .toISOString()
    .replaceAll(/[-:]|\.\d+Z/g, "")
    .replace("T", "-");
  for (let count = 1; ; count++) {
    const backup = `${path}${MARK}${stamp}${count === 1 ? "" : `-${count}`}`;
    try {
      await copyFile(path, backup, constants.COPYFILE_EXCL);
      await chmod(backup, (await stat(path)).mode & 0o777);
      return backup;
    } catch (error) {
      if (systemCode(error) !== "EEXIST") throw error;
    }
  }
}
