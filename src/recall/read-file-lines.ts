import { readFile, realpath, stat } from "node:fs/promises";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { describeError, MemoryError, systemCode } from "../errors.ts";

/** A stretch of a file that search has pointed to. */
export interface FileLines {
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
  readonly totalLines: number;
  readonly text: string;
}

const READABLE_FOLDERS = ["memory", "docs"];
const MOST_LINES = 2_000;
const LARGEST_BYTES = 32 * 1024 * 1024;

/**
 * Reads lines of a file in memory/ or docs/; a path that leads elsewhere, also by a link, is refused. So is the memory
 * of others where it is kept apart by user or session: `ownFolder` is the reader's own memory folder.
 */
export async function readFileLines(
  workspace: string,
  ownFolder: string,
  request: { path: string; from?: number | undefined; lines?: number | undefined },
): Promise<FileLines> {
  const { path, from = 1, lines = MOST_LINES } = request;
  if (!Number.isInteger(from) || from < 1 || !Number.isInteger(lines) || lines < 1) {
    throw new MemoryError("QUERY_INVALID", "from and lines must be whole numbers, 1 or more");
  }
  const file = await resolveReadable(workspace, ownFolder, path);
  const all = (await readText(file, path)).split("\n");
  // The newline at the end of a file ends its last line; it begins no other.
  if (all.at(-1) === "") all.pop();
  const start = Math.min(from, Math.max(1, all.length));
  const picked = all.slice(start - 1, start - 1 + Math.min(lines, MOST_LINES));
  return {
    path: fromRoot(await realpath(workspace), file),
    startLine: start,
    endLine: start + Math.max(0, picked.length - 1),
    totalLines: all.length,
    text: picked.join("\n"),
  };
}

async function resolveReadable(workspace: string, ownFolder: string, path: string): Promise<string> {
  if (path.includes("\0") || isAbsolute(path)) throw refuse(path);
  const asked = resolve(workspace, path);
  // Before the disk is asked, so that no one learns from the answer what lies outside.
  if (
    !isInside(
      READABLE_FOLDERS.map((folder) => resolve(workspace, folder)),
      asked,
    )
  )
    throw refuse(path);
  refuseOthers(fromRoot(resolve(workspace), asked), ownFolder);
  try {
    const root = await realpath(workspace);
    const real = await realpath(asked);
    if (
      !isInside(
        READABLE_FOLDERS.map((folder) => join(root, folder)),
        real,
      )
    )
      throw refuse(path);
    refuseOthers(fromRoot(root, real), ownFolder);
    return real;
  } catch (error) {
    if (error instanceof MemoryError) throw error;
    throw unreadable(path, error);
  }
}

/** Where memory is kept apart by user or session, the others' is not shown. */
function refuseOthers(path: string, ownFolder: string): void {
  const isOthers = path.startsWith("memory/scopes/") && !path.startsWith(`${ownFolder}/`);
  if (isOthers) throw new MemoryError("PATH_REFUSED", `${path} is another one's memory`);
}

function fromRoot(root: string, path: string): string {
  return relative(root, path).replaceAll(sep, "/");
}

function isInside(folders: readonly string[], path: string): boolean {
  return folders.some((folder) => path.startsWith(folder + sep));
}

async function readText(file: string, path: string): Promise<string> {
  try {
    const { size } = await stat(file);
    if (size > LARGEST_BYTES) throw new MemoryError("FILE_UNREADABLE", `${path} is too large to be read here`);
    return await readFile(file, "utf8");
  } catch (error) {
    if (error instanceof MemoryError) throw error;
    throw unreadable(path, error);
  }
}

function refuse(path: string): MemoryError {
  return new MemoryError("PATH_REFUSED", `${JSON.stringify(path)} is not a file in memory/ or docs/`);
}

function unreadable(path: string, error: unknown): MemoryError {
  if (systemCode(error) === "ENOENT") return new MemoryError("NOT_FOUND", `There is no file ${path}`, { cause: error });
  return new MemoryError("FILE_UNREADABLE", `Cannot read ${path}: ${describeError(error)}`, { cause: error });
}
