import { posix } from "node:path";
import { MemoryError } from "../errors.ts";
import type { Memory } from "../memory.ts";

/** A text of the workspace by its path, transcripts too; undefined where there is none. */
export async function readWorkspaceBytes({ store }: Memory, path: string): Promise<Buffer | undefined> {
  const bytes = await store.documents.readBytes(path);
  if (bytes !== undefined || !path.startsWith("sessions/")) return bytes;
  const lines = await store.logs.readLines(path);
  return lines === undefined ? undefined : Buffer.from(lines);
}

/** The names in a folder of the workspace, in no order; folders end in a slash. */
export async function listWorkspaceFolder({ store }: Memory, folder: string): Promise<string[]> {
  const [files, folders, logs] = await Promise.all([
    store.documents.list(folder),
    store.documents.listFolders(folder),
    folder === "sessions" || folder === "" ? store.logs.heads("present") : [],
  ]);
  // Where transcripts are no documents, nothing else tells of their folder.
  const present =
    folder === "" ? logs.slice(0, 1).map(() => "sessions/") : logs.map(({ path }) => posix.basename(path));
  const paths = files.map(({ path }) => posix.basename(path));
  const names = new Set([...paths, ...present, ...folders.map((name) => `${name}/`)]);
  if (names.size === 0 && folder !== "") await needFolder({ store }, folder);
  return [...names];
}

async function needFolder({ store }: Pick<Memory, "store">, folder: string): Promise<void> {
  if ((await store.documents.readBytes(folder)) !== undefined)
    throw new MemoryError("FILE_UNREADABLE", `${folder} is not a folder; read_file reads files`);
  if ((await store.documents.follow(folder)) === undefined)
    throw new MemoryError("NOT_FOUND", `There is no folder ${folder}`);
}
