import { createHash } from "node:crypto";
import { createWriteStream, existsSync } from "node:fs";
import { mkdtemp, open, readdir, realpath, rename, rm, stat } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { z } from "zod";
import { copyDatabase } from "../store/files/database.ts";
import { syncFolder } from "../store/files/disk.ts";
import { describeError, MemoryError, systemCode } from "../errors.ts";
import { isHolderStopped } from "../store/files/lock-holder.ts";
import { takeLock } from "../store/files/lock.ts";
import type { Lock } from "../store/files/lock.ts";
import { readFirstLine } from "../store/files/read-log.ts";
import { parseLine } from "../session/log-line.ts";
import type { Clock } from "../time.ts";
import { writeTar } from "./tar.ts";
import type { TarFile } from "./tar.ts";
import { locksPath, OWN_FOLDER, ownPath, SCOPES_PATH } from "../layout.ts";

/** What a backup says of itself; its last entry, so that one that was cut off is known. */
export const BackupManifest = z.object({
  format: z.literal("tidemark-backup"),
  version: z.literal(1),
  at: z.string(),
  files: z.number(),
  bytes: z.number(),
  digest: z.string(),
});
export type BackupManifest = z.infer<typeof BackupManifest>;

export const BACKUP_MANIFEST = `${OWN_FOLDER}/backup.json`;
const QUEUE = `${OWN_FOLDER}/queue.sqlite`;
const HOOKS = `${OWN_FOLDER}/hooks`;
const WAITING = `${HOOKS}/waiting`;
/** What of the program's own does not come back by itself. */
const OWN_KEPT = new Set([`${OWN_FOLDER}/chat-history`, HOOKS, WAITING]);
const LOCK_WAIT_MS = 60_000;

/**
 * Writes a workspace to one file, a compressed tar, while others go on. The memory's locks are held, so that no cursor
 * moves and no change is half-done; what is said meanwhile may or may not be in it. Sessions come first and the queue
 * last, so that what is in it is what a crash at that moment would have left.
 */
export async function backUp(
  workspace: string,
  target: string,
  now: Clock,
  notice: (text: string) => void,
  { signal, onProgress }: CopyOptions = {},
) {
  const file = resolve(target);
  if (existsSync(file)) throw new MemoryError("PATH_REFUSED", `${file} already exists; choose another name`);
  if (!existsSync(dirname(file))) throw new MemoryError("NOT_FOUND", `There is no folder ${dirname(file)}`);
  if (!existsSync(join(workspace, QUEUE)))
    throw new MemoryError("NOT_FOUND", `${workspace} is not a workspace; there is nothing to back up`);
  const draft = join(dirname(file), `.${basename(file)}.${process.pid}.draft`);
  const aside = await mkdtemp(ownPath(workspace, "backup-"));
  const locks = await takeLocks(workspace, notice);
  try {
    const total = await countBytes(workspace, new Set([await realpath(aside)]));
    const sum = createSum(now().toISOString(), (bytes) => onProgress?.(Math.min(bytes, total), total));
    const output = createWriteStream(draft, { mode: 0o600, flags: "wx", flush: true });
    const skip = new Set([file, draft, await realpath(aside)]);
    await pipeline(writeTar(listFiles(workspace, aside, skip, sum)), createGzip({ level: 5 }), output, { signal });
    onProgress?.(total, total);
    await rename(draft, file);
    await syncFolder(dirname(file));
    return { ...sum.manifest(), path: file };
  } catch (error) {
    if (error instanceof MemoryError) throw error;
    throw new MemoryError("FILE_UNWRITABLE", `Cannot back up to ${file}: ${describeError(error)}`, { cause: error });
  } finally {
    for (const lock of locks) lock.release();
    await rm(draft, { force: true });
    await rm(aside, { recursive: true, force: true });
  }
}

/** How a backup is made or restored. */
export interface CopyOptions {
  /** Stops it; nothing is left behind. */
  signal?: AbortSignal;
  onProgress?: (doneBytes: number, totalBytes: number) => void;
}

async function countBytes(workspace: string, skip: ReadonlySet<string>): Promise<number> {
  let bytes = 0;
  for await (const path of walk(workspace, "", skip, new Set()))
    bytes += (await statIfThere(join(workspace, path)))?.size ?? 0;
  return bytes + ((await statIfThere(join(workspace, QUEUE)))?.size ?? 0);
}

/** The sum over all names and contents, taken while they pass. */
export function createSum(at: string, onBytes: (bytes: number) => void = () => undefined) {
  const whole = createHash("sha256");
  let files = 0;
  let bytes = 0;
  return {
    async *pass(path: string, content: TarFile["content"]): AsyncGenerator<Buffer> {
      files++;
      whole.update(`${path}\n`);
      for await (const chunk of content) {
        bytes += chunk.length;
        whole.update(chunk);
        onBytes(bytes);
        yield chunk;
      }
    },
    manifest: (): BackupManifest => ({
      format: "tidemark-backup",
      version: 1,
      at,
      files,
      bytes,
      digest: whole.copy().digest("hex"),
    }),
  };
}

async function takeLocks(workspace: string, notice: (text: string) => void): Promise<Lock[]> {
  const folder = locksPath(workspace);
  const scopes = await listNames(join(workspace, SCOPES_PATH));
  const locks: Lock[] = [];
  for (const name of ["memory", ...scopes.toSorted().map((scope) => `memory-${scope}`)]) {
    const path = join(folder, name);
    try {
      locks.push(await takeLock(path, LOCK_WAIT_MS));
    } catch (error) {
      // Someone who stands still changes nothing: it is as if they had died at this moment.
      if (error instanceof MemoryError && error.code === "LOCK_TIMEOUT" && isHolderStopped(path)) notice(error.message);
      else {
        for (const lock of locks) lock.release();
        throw error;
      }
    }
  }
  return locks;
}

async function* listFiles(
  workspace: string,
  aside: string,
  skip: ReadonlySet<string>,
  sum: ReturnType<typeof createSum>,
): AsyncGenerator<TarFile> {
  const identities = new Set<string>();
  // One after the other: what a message names is there before it, and so is found after it. What hooks put by becomes a
  // message later, and is stored once however often it is found.
  for (const phase of ["waiting", "live", "archived", "other"] as const) {
    const isLog = phase === "live" || phase === "archived";
    for await (const path of walk(workspace, "", skip, new Set())) {
      if (phaseOf(path) !== phase) continue;
      const file = await openIfThere(join(workspace, path));
      if (file === undefined) continue;
      try {
        const entry = await readEntry(file, path, isLog);
        // Moved away by /new since it was copied under its first name: once is enough, and the job finds no archive.
        if (phase === "archived" && identities.has(entry.identity)) continue;
        if (entry.identity !== "") identities.add(entry.identity);
        yield { ...entry, content: sum.pass(path, entry.content) };
      } finally {
        await file.close();
      }
    }
  }
  const copy = join(aside, "queue.sqlite");
  await copyDatabase(join(workspace, QUEUE), copy);
  const file = await open(copy, "r");
  try {
    const queue = await readEntry(file, QUEUE, false);
    yield { ...queue, content: sum.pass(QUEUE, queue.content) };
  } finally {
    await file.close();
  }
  const manifest = Buffer.from(`${JSON.stringify(sum.manifest(), undefined, 2)}\n`);
  yield { path: BACKUP_MANIFEST, mode: 0o600, modifiedMs: 0, size: manifest.length, content: [manifest] };
}

function phaseOf(path: string): "waiting" | "live" | "archived" | "other" {
  if (path.startsWith(`${WAITING}/`)) return "waiting";
  if (/^sessions\/[^/]+\.jsonl$/.test(path)) return "live";
  return /^sessions\/archive\/[^/]+\.jsonl$/.test(path) ? "archived" : "other";
}

/** Every file of a workspace but what comes back by itself; links are followed, so that the backup stands alone. */
async function* walk(
  root: string,
  folder: string,
  skip: ReadonlySet<string>,
  seen: ReadonlySet<string>,
): AsyncGenerator<string> {
  const real = await realpath(join(root, folder));
  if (seen.has(real)) return;
  const within = new Set([...seen, real]);
  for (const name of await listNames(join(root, folder))) {
    const path = folder === "" ? name : `${folder}/${name}`;
    if ((folder === OWN_FOLDER || folder === HOOKS) && !OWN_KEPT.has(path)) continue;
    if (skip.has(join(root, path)) || /^\..+\.draft$/.test(name)) continue;
    const info = await statIfThere(join(root, path));
    if (info?.isDirectory()) yield* walk(root, path, skip, within);
    else if (info?.isFile()) yield path;
  }
}

/** Undefined where it was taken away since it was listed. */
async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, "r");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** A file as it is now, whatever comes to lie under its name while it is read: a log may be moved away by /new. */
async function readEntry(file: FileHandle, path: string, isLog: boolean): Promise<TarFile & { identity: string }> {
  const info = await file.stat();
  const shared = { path, mode: info.mode & 0o777, modifiedMs: info.mtimeMs };
  if (!isLog) {
    const bytes = await file.readFile();
    return { ...shared, identity: "", size: bytes.length, content: [bytes] };
  }
  const size = await completeSize(file, info.size);
  return { ...shared, identity: readFirstLine(file.fd, info.size), size, content: readPart(file, size) };
}

/** How much of a log is whole lines: an append may be under way. */
async function completeSize(file: FileHandle, size: number): Promise<number> {
  for (let step = 1 << 16; ; step *= 8) {
    const start = Math.max(0, size - step);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - start), 0, size - start, start);
    const end = buffer.subarray(0, bytesRead).lastIndexOf(10);
    if (end < 0 && start > 0) continue;
    const rest = parseLine(buffer.subarray(end + 1, bytesRead), 0);
    return rest === undefined || rest.kind === "damaged" ? start + end + 1 : start + bytesRead;
  }
}

async function* readPart(file: FileHandle, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < size;) {
    const length = Math.min(1 << 20, size - at);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

async function listNames(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return [];
    throw new MemoryError("FILE_UNREADABLE", `Cannot read ${relative("", folder)}: ${describeError(error)}`, {
      cause: error,
    });
  }
}

async function statIfThere(path: string) {
  try {
    return await stat(path);
  } catch (error) {
    if (["ENOENT", "ELOOP"].includes(systemCode(error) ?? "")) return undefined;
    throw error;
  }
}
