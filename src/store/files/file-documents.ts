import type { Dirent } from "node:fs";
import { lstat, readdir, readFile, realpath, stat } from "node:fs/promises";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { describeError, MemoryError, systemCode } from "../../errors.ts";
import { NO_TARGET } from "../documents.ts";
import type { DocumentHead, Documents } from "../documents.ts";
import { removeIfThere, replaceFile } from "./disk.ts";
import { watchFolder } from "./watch-folder.ts";

const NOT_THERE = new Set<string | undefined>(["ENOENT", "ENOTDIR", "EISDIR"]);

/** The documents of a workspace as files below its folder. */
export function createFileDocuments(workspace: string): Documents {
  const placeOf = (path: string) => join(workspace, path);
  const readBytes = async (path: string): Promise<Buffer | undefined> => {
    try {
      return await readFile(placeOf(path));
    } catch (error) {
      if (NOT_THERE.has(systemCode(error))) return undefined;
      throw unreadable(placeOf(path), error);
    }
  };
  return {
    readBytes,
    read: async (path) => (await readBytes(path))?.toString("utf8"),
    async write(path, content) {
      await replaceFile(placeOf(path), content);
    },
    remove: (path) => removeIfThere(placeOf(path)),
    async list(folder, { isDeep = false } = {}) {
      const entries = await readFolder(placeOf(folder), isDeep);
      const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
      const heads = await Promise.all(files.map((file) => headOf(workspace, file)));
      return heads.flatMap((head) => head ?? []);
    },
    async listFolders(folder) {
      const entries = await readFolder(placeOf(folder), false);
      return entries.filter((entry) => entry.isDirectory() || entry.isSymbolicLink()).map(({ name }) => name);
    },
    follow: (path) => followInside(workspace, path),
    watch: (onChange) => watchFolder(workspace, onChange),
  };
}

async function readFolder(path: string, recursive: boolean): Promise<Dirent[]> {
  try {
    return await readdir(path, { withFileTypes: true, recursive });
  } catch (error) {
    if (NOT_THERE.has(systemCode(error))) return [];
    throw error;
  }
}

async function headOf(workspace: string, file: string): Promise<DocumentHead | undefined> {
  try {
    const { size, mtime, mtimeMs, ino } = await stat(file);
    return { path: fromRoot(workspace, file), size, modifiedAt: mtime, stamp: `${mtimeMs}:${size}:${ino}` };
  } catch (error) {
    // Deleted since it was listed.
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

async function followInside(workspace: string, path: string): Promise<string | undefined> {
  // Before the disk is asked, so that no one learns from the answer what lies outside.
  const asked = resolve(workspace, path);
  const isInside = asked === resolve(workspace) || asked.startsWith(resolve(workspace) + sep);
  if (path.includes("\0") || isAbsolute(path) || !isInside) throw refuse(path);
  try {
    const root = await realpath(workspace);
    const real = await realpath(resolve(root, path));
    if (real !== root && !real.startsWith(root + sep)) throw refuse(path);
    return fromRoot(root, real);
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(systemCode(error) ?? "")) {
      if (await isLink(asked)) throw refuse(path, NO_TARGET);
      return undefined;
    }
    if (error instanceof MemoryError) throw error;
    throw unreadable(path, error);
  }
}

function fromRoot(root: string, path: string): string {
  return relative(root, path).replaceAll(sep, "/");
}

async function isLink(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isSymbolicLink();
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(systemCode(error) ?? "")) return false;
    throw error;
  }
}

function refuse(path: string, reason = "it is outside the workspace"): MemoryError {
  return new MemoryError("PATH_REFUSED", `${JSON.stringify(path)} is refused: ${reason}`);
}

function unreadable(path: string, error: unknown): MemoryError {
  return new MemoryError("FILE_UNREADABLE", `Cannot read ${path}: ${describeError(error)}`, { cause: error });
}
