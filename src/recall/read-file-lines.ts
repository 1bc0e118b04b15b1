import { posix } from "node:path";
import { MemoryError } from "../errors.ts";
import type { Documents } from "../store/documents.ts";
import { SCOPES_PATH } from "../layout.ts";

/** A stretch of a file that search has pointed to. */
export interface FileLines {
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
  readonly totalLines: number;
  readonly text: string;
}

const READABLE_FOLDERS = ["memory/", "docs/"];
const MOST_LINES = 2_000;
const LARGEST_BYTES = 32 * 1024 * 1024;

/**
 * Reads lines of a file in memory/ or docs/; a path that leads elsewhere, also by a link, is refused. So is the memory
 * of others where it is kept apart by user or session: `ownFolder` is the reader's own memory folder.
 */
export async function readFileLines(
  documents: Documents,
  ownFolder: string,
  request: { path: string; from?: number | undefined; lines?: number | undefined },
): Promise<FileLines> {
  const { path, from = 1, lines = MOST_LINES } = request;
  if (!Number.isInteger(from) || from < 1 || !Number.isInteger(lines) || lines < 1) {
    throw new MemoryError("QUERY_INVALID", "from and lines must be whole numbers, 1 or more");
  }
  const file = await resolveReadable(documents, ownFolder, path);
  const bytes = await documents.readBytes(file);
  if (bytes === undefined) throw new MemoryError("NOT_FOUND", `There is no file ${path}`);
  if (bytes.length > LARGEST_BYTES) throw new MemoryError("FILE_UNREADABLE", `${path} is too large to read here`);
  const all = bytes.toString("utf8").split("\n");
  // The newline at the end of a file ends its last line; it begins no other.
  if (all.at(-1) === "") all.pop();
  const start = Math.min(from, Math.max(1, all.length));
  const picked = all.slice(start - 1, start - 1 + Math.min(lines, MOST_LINES));
  return {
    path: file,
    startLine: start,
    endLine: start + Math.max(0, picked.length - 1),
    totalLines: all.length,
    text: picked.join("\n"),
  };
}

async function resolveReadable(documents: Documents, ownFolder: string, path: string): Promise<string> {
  if (path.includes("\0") || posix.isAbsolute(path) || /^[a-z]:|\\/i.test(path)) throw refuse(path);
  const asked = posix.normalize(path);
  // Before the store is asked, so that no one learns from the answer what lies outside.
  refuseOthers(asked, path, ownFolder);
  const real = await documents.follow(asked);
  if (real === undefined) throw new MemoryError("NOT_FOUND", `There is no file ${path}`);
  refuseOthers(real, path, ownFolder);
  return real;
}

/** Where memory is kept apart by user or session, the others' is not shown; what lies elsewhere never is. */
function refuseOthers(place: string, path: string, ownFolder: string): void {
  if (!READABLE_FOLDERS.some((folder) => place.startsWith(folder))) throw refuse(path);
  const isOthers = place.startsWith(`${SCOPES_PATH}/`) && !place.startsWith(`${ownFolder}/`);
  if (isOthers) throw new MemoryError("PATH_REFUSED", `${place} is someone else's memory`);
}

function refuse(path: string): MemoryError {
  return new MemoryError("PATH_REFUSED", `${JSON.stringify(path)} is not a file in memory/ or docs/`);
}
