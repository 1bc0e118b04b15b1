import { randomUUID } from "node:crypto";
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readSync,
  renameSync,
  statSync,
} from "node:fs";
import { open, readlink, realpath, stat, unlink } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { describeError, systemCode } from "../../errors.ts";

/** Makes a folder and those above it; the ones it makes are the owner's alone, under any umask. */
export async function makePrivateFolder(path: string): Promise<void> {
  makeFolders(resolve(path));
}

/** Each by itself: Node's own way never ends where a folder is neither there nor can be made, as in /proc. */
function makeFolders(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    const code = systemCode(error);
    if (code === "EEXIST" && statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
    if (code !== "ENOENT" || existsSync(dirname(path))) throw error;
    makeFolders(dirname(path));
    return makeFolders(path);
  }
  chmodSync(path, 0o700);
}

/** Whether something can be written here: not on a read-only mount, nor in what belongs to someone else. */
export function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    // The superuser may write anywhere; who took every right to write away meant it all the same.
    return (statSync(path).mode & 0o222) !== 0;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return false;
  }
}

/** A private folder for what is needed for a moment; whoever asked removes it. */
export function makeTemporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), "tidemark-"));
}

/** Makes an empty file that only its owner may read, with its folders, unless it is there. */
export function createPrivateFile(path: string): void {
  makeFolders(resolve(dirname(path)));
  try {
    const file = openSync(path, "wx", 0o600);
    // By the descriptor: a lock that nobody holds yet may be removed at this moment.
    fchmodSync(file, 0o600);
    closeSync(file);
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error;
  }
}

/**
 * Replaces the file in one step, so that a crash leaves the old text or the new, never half. Whoever puts the draft in its
 * place may decide not to, and it goes.
 */
export async function replaceFile(
  name: string,
  content: string | Uint8Array,
  place: (draft: string, path: string) => boolean = renameOver,
): Promise<boolean> {
  // A person may keep the file elsewhere and link to it: the link stays.
  const path = await followLink(name);
  const draft = await writeDraft(path, content);
  let isPlaced = false;
  try {
    isPlaced = place(draft, path);
  } finally {
    if (!isPlaced) await removeIfThere(draft);
  }
  await syncFolder(dirname(path));
  return isPlaced;
}

const RENAME_TRIES = 50;
const RENAME_PAUSE_MS = 20;

/** Gives a file a name that another may have. On Windows that fails while someone has the other open: it is tried again. */
export function renameOver(from: string, to: string): true {
  for (let tries = 1; ; tries += 1) {
    try {
      renameSync(from, to);
      return true;
    } catch (error) {
      const isHeld = process.platform === "win32" && ["EPERM", "EACCES", "EBUSY"].includes(systemCode(error) ?? "");
      if (!isHeld || tries >= RENAME_TRIES) throw error;
      // Nothing may come between the look at the file and its replacement.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RENAME_PAUSE_MS);
    }
  }
}

/** Writes what shall take the place of a file beside it; whoever asked renames it, or removes it. */
export async function writeDraft(path: string, content: string | Uint8Array): Promise<string> {
  await makePrivateFolder(dirname(path));
  const draft = join(dirname(path), `.${basename(path)}.${randomUUID().slice(0, 8)}.draft`);
  try {
    const file = await open(draft, "w", 0o600);
    try {
      // Who made it readable to others, or read-only, meant it.
      await file.chmod(await modeOf(path));
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (error) {
    await removeIfThere(draft);
    throw error;
  }
  return draft;
}

/**
 * Adds bytes to the end of an open file and syncs them. When the disk fails half-way the file is cut back to what it
 * was, so the caller must hold the lock of whoever appends to it. A file that is new is given with its folder.
 */
export async function appendDurably(file: FileHandle, bytes: Uint8Array, size: number, newIn?: string): Promise<void> {
  try {
    await file.appendFile(bytes);
    await file.datasync();
    if (newIn !== undefined) await syncFolder(newIn);
  } catch (error) {
    await takeBack(file, size, error);
    throw error;
  }
}

async function takeBack(file: FileHandle, size: number, reason: unknown): Promise<void> {
  try {
    await file.truncate(size);
  } catch (error) {
    const first = `${describeError(reason)}; it could not be reverted, and may be on the disk after all`;
    throw new Error(`${first}: ${describeError(error)}`, { cause: error });
  }
}

/** Reads bytes at a place, fewer only where the file ends. */
export function readBytes(file: number, position: number, length: number): Buffer {
  const buffer = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const count = readSync(file, buffer, filled, length - filled, position + filled);
    if (count === 0) break;
    filled += count;
  }
  return buffer.subarray(0, filled);
}

const syncing = new Map<string, { running: Promise<void>; next: Promise<void> | undefined }>();

/** Makes renames and new names in this folder survive a power cut; who asks while it is synced shares the next sync. */
export function syncFolder(path: string): Promise<void> {
  const current = syncing.get(path);
  if (!current) return begin(path);
  current.next ??= current.running.then(
    () => begin(path),
    () => begin(path),
  );
  return current.next;
}

function begin(path: string): Promise<void> {
  const entry = { running: syncNow(path), next: undefined };
  syncing.set(path, entry);
  const forget = () => {
    if (syncing.get(path) === entry && entry.next === undefined) syncing.delete(path);
  };
  entry.running.then(forget, forget);
  return entry.running;
}

async function syncNow(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } catch (error) {
    // Some file systems (and Windows) cannot sync a folder; there the rename is all one can get.
    if (!["EINVAL", "EPERM", "ENOTSUP", "EISDIR"].includes(systemCode(error) ?? "")) throw error;
  } finally {
    await folder.close();
  }
}

/** Deletes the file; that it is gone already is fine. */
export async function removeIfThere(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw error;
  }
}

async function followLink(path: string, linksLeft = 40): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw error;
    // A link to a file that is not there yet is still a link.
    const target = await readlink(path).catch(ignoreNoLink);
    if (target === undefined || linksLeft === 0) return path;
    return followLink(resolve(dirname(path), target), linksLeft - 1);
  }
}

function ignoreNoLink(error: unknown): undefined {
  if (["ENOENT", "EINVAL"].includes(systemCode(error) ?? "")) return undefined;
  throw error;
}

async function modeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).mode & 0o777;
  } catch (error) {
    if (systemCode(error) === "ENOENT") return 0o600;
    throw error;
  }
}
