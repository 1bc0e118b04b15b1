import { createReadStream, createWriteStream, existsSync } from "node:fs";
import { readdir, rename, rm, rmdir, stat, utimes } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { findDatabaseDamage } from "../store/files/database.ts";
import { makePrivateFolder, syncFolder } from "../store/files/disk.ts";
import { describeError, MemoryError, systemCode } from "../errors.ts";
import { BACKUP_MANIFEST, BackupManifest, createSum } from "./back-up.ts";
import type { CopyOptions } from "./back-up.ts";
import { readTar } from "./tar.ts";
import type { TarEntry } from "./tar.ts";
import { queuePath } from "../layout.ts";

/**
 * Makes a workspace of a backup. It is unpacked and checked beside its place, and gets its name when it is whole; a
 * workspace that is there already is never touched.
 */
export async function restoreBackup(
  source: string,
  workspace: string,
  options: CopyOptions = {},
): Promise<BackupManifest> {
  const target = resolve(workspace);
  if (existsSync(target) && (await readdir(target)).length > 0) {
    throw new MemoryError("PATH_REFUSED", `${target} is not empty; move it away, or name another folder with -w`);
  }
  const draft = `${target}.${process.pid}.restoring`;
  try {
    const manifest = await unpack(resolve(source), draft, options);
    const damage = findDatabaseDamage(queuePath(draft));
    if (damage !== undefined) throw new MemoryError("FILE_UNREADABLE", `Its queue is damaged: ${damage}`);
    if (existsSync(target)) await rmdir(target);
    await rename(draft, target);
    await syncFolder(dirname(target));
    return manifest;
  } catch (error) {
    const code = error instanceof MemoryError ? error.code : "FILE_UNREADABLE";
    // The words of zlib tell of headers and codes; what they mean is this.
    const reason = systemCode(error)?.startsWith("Z_") ? "it is not a backup, or it is damaged" : describeError(error);
    throw new MemoryError(code, `Cannot restore ${source}: ${reason}`, { cause: error });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function unpack(source: string, folder: string, { signal, onProgress }: CopyOptions): Promise<BackupManifest> {
  await makePrivateFolder(folder);
  const sum = createSum("");
  let manifest: BackupManifest | undefined;
  const { size } = await stat(source);
  const input = createReadStream(source, { signal });
  input.on("data", () => onProgress?.(input.bytesRead, size));
  // An error of the file reaches the reader through what it is piped into.
  const chunks = input.pipe(createGunzip());
  input.once("error", (error) => chunks.destroy(error));
  for await (const entry of readTar(chunks)) {
    if (entry.path === BACKUP_MANIFEST) manifest = BackupManifest.parse(JSON.parse(await readAll(entry)));
    else await writeEntry(folder, entry, sum);
  }
  const { files, bytes, digest } = sum.manifest();
  if (manifest === undefined) throw new MemoryError("FILE_UNREADABLE", "it is not a backup, or it is cut off");
  if (manifest.files !== files || manifest.bytes !== bytes || manifest.digest !== digest)
    throw new MemoryError("FILE_UNREADABLE", "its checksums do not match");
  return manifest;
}

async function writeEntry(folder: string, entry: TarEntry, sum: ReturnType<typeof createSum>): Promise<void> {
  const parts = entry.path.split("/");
  if (entry.path.includes("\0") || parts.some((part) => part === "" || part === "." || part === ".."))
    throw new MemoryError(
      "PATH_REFUSED",
      `it names ${JSON.stringify(entry.path)}, which is not a place in a workspace`,
    );
  const path = join(folder, ...parts);
  await makePrivateFolder(dirname(path));
  const output = createWriteStream(path, { flags: "wx", mode: entry.mode & 0o777, flush: true });
  await pipeline(sum.pass(entry.path, entry.content), output);
  const modified = entry.modifiedMs / 1000;
  await utimes(path, modified, modified);
}

async function readAll(entry: TarEntry): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of entry.content) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}
