import { open, readFile, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { PreparedEntry } from "../../files/memory-files.ts";
import { afterSave } from "./after-save.ts";
import { appendDurably, makePrivateFolder, syncFolder } from "./disk.ts";
import { describeError, MemoryError, systemCode } from "../../errors.ts";

/** Looks at the file that an entry is to be added to. The caller holds the memory's lock until it is finished. */
export async function prepareEntry(path: string, entry: string): Promise<PreparedEntry> {
  const bytes = await afterSave(path, () => readBytes(path));
  const text = entry.trim();
  return { entry: text, size: bytes.length, timesBefore: countTimes(bytes, Buffer.from(text)) };
}

/**
 * Adds a prepared entry, set apart by a blank line, unless an earlier try did; half an entry left by a crash is replaced.
 * An editor may put another file in the place of this one at any moment: then the entry is added to that one.
 */
export async function finishEntry(path: string, prepared: PreparedEntry): Promise<void> {
  const entry = Buffer.from(prepared.entry);
  for (;;) {
    const bytes = await afterSave(path, () => readBytes(path));
    if (countTimes(bytes, entry) > prepared.timesBefore) return;
    const whole = bytes.subarray(0, prepared.size);
    const torn = bytes.subarray(prepared.size);
    const addition = Buffer.concat([Buffer.from(gapAfter(whole)), entry, Buffer.from("\n\n")]);
    const isTorn = torn.length > 0 && addition.subarray(0, torn.length).equals(torn);
    const before = isTorn ? whole : bytes;
    const missing = isTorn ? addition : Buffer.concat([Buffer.from(gapAfter(bytes)), entry, Buffer.from("\n\n")]);
    if (await append(path, missing, before.length, bytes.length)) return;
  }
}

/** False where the file has grown since it was looked at, or is no longer the one of that name. */
async function append(path: string, addition: Buffer, size: number, presentSize: number): Promise<boolean> {
  try {
    await makePrivateFolder(dirname(path));
    const file = await open(path, "a", 0o600);
    try {
      if (presentSize === 0) await file.chmod(0o600);
      if (size < presentSize) {
        // What someone has added since is not the half of an entry.
        if ((await file.stat()).size !== presentSize) return false;
        await file.truncate(size);
      }
      await appendDurably(file, addition, size);
      if (presentSize === 0) await syncFolder(dirname(path));
      return (await file.stat()).ino === (await stat(path)).ino;
    } finally {
      await file.close();
    }
  } catch (error) {
    throw new MemoryError("FILE_UNWRITABLE", `Cannot write ${path}: ${describeError(error)}`, { cause: error });
  }
}

/** What is missing between the end of the file and a new entry. */
function gapAfter(bytes: Buffer): string {
  if (bytes.length === 0) return "";
  const tail = bytes.subarray(-2).toString("latin1");
  if (tail.endsWith("\n\n")) return "";
  return tail.endsWith("\n") ? "\n" : "\n\n";
}

function countTimes(bytes: Buffer, entry: Buffer): number {
  if (entry.length === 0) return 0;
  let times = 0;
  for (let at = bytes.indexOf(entry); at >= 0; at = bytes.indexOf(entry, at + entry.length)) times++;
  return times;
}

async function readBytes(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return Buffer.alloc(0);
    throw new MemoryError("FILE_UNREADABLE", `Cannot read ${path}: ${describeError(error)}`, { cause: error });
  }
}
