import { readdir, readFile, stat } from "node:fs/promises";
import { join, relative } from "node:path";
import { noteWrittenFile } from "../change/outside-files.ts";
import { isSteering } from "../change/steering-files.ts";
import { removeIfThere, replaceFile } from "../store/files/disk.ts";
import { maskNew } from "../files/mask-secrets.ts";
import { describeError, MemoryError, systemCode } from "../errors.ts";
import { MEMORY_FILE } from "../layout.ts";
import type { MemoryFiles } from "../files/memory-files.ts";
import type { Memory } from "../memory.ts";
import { formatTimestamp } from "../time.ts";
import type { Clock } from "../time.ts";

/** What the tool changes files with. */
export interface FileEditing {
  memory: Memory;
  session: string;
  now: Clock;
}

/** The text of a file; undefined where there is none. */
export async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR") return undefined;
    throw new MemoryError("FILE_UNREADABLE", `Cannot read ${path}: ${describeError(error)}`, { cause: error });
  }
}

/** Whether a path is a file, a folder, or not there. */
export async function kindOf(path: string): Promise<"file" | "folder" | "nothing"> {
  try {
    return (await stat(path)).isDirectory() ? "folder" : "file";
  } catch (error) {
    if (systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR") return "nothing";
    throw error;
  }
}

/** Works out a new text from the present one and puts it in its place; undefined takes the file away. */
export type Edit = (current: string | undefined) => string | undefined;

/**
 * Changes one file, with a revision of what was there and of what is there now. What someone else writes meanwhile is
 * not overwritten: the edit is worked out again on it.
 */
export async function editFile(
  world: FileEditing,
  file: string,
  cause: string,
  edit: Edit,
): Promise<string | undefined> {
  if (file === MEMORY_FILE) return editMemory(world, edit);
  return world.memory.withFiles(world.session, (files) => editNote(world, files, file, cause, edit));
}

/** MEMORY.md has one door. */
async function editMemory({ memory, session }: FileEditing, edit: Edit): Promise<string | undefined> {
  for (;;) {
    const current = await memory.readMemory(session);
    const text = edit(current === "" ? undefined : current) ?? "";
    const { kind, waiting } = await memory.rewrite(session, text, "memory tool", current);
    if (waiting.length > 0) {
      const list = waiting.map((fact) => `\n- ${fact}`).join("");
      throw new MemoryError(
        "PATH_REFUSED",
        `These changes stand on what came from outside, not on the user's word; they wait for the user (tidemark review):${list}`,
      );
    }
    if (kind !== "changed-meanwhile") return text;
  }
}

/** The caller holds the memory's lock. */
export async function editNote(
  world: FileEditing,
  files: MemoryFiles,
  file: string,
  cause: string,
  edit: Edit,
): Promise<string | undefined> {
  const path = join(world.memory.workspace, files.folder, file);
  if (isSteering(`${files.folder}/${file}`))
    throw new MemoryError("PATH_REFUSED", `${file} steers the agent, and is the user's to change`);
  const current = await readText(path);
  const edited = edit(current);
  const text = edited === undefined ? undefined : maskNew(edited, current ?? "");
  if (text === current) return text;
  const at = formatTimestamp(world.now(), world.memory.config.agents.defaults.timezone);
  const { state } = world.memory;
  const revision = { scope: files.scope, file, run: null, at, edits: [] };
  await state.recordRevision({ ...revision, text: current ?? "", author: "person", cause: "edited outside Tidemark" });
  if (text === undefined) await removeIfThere(path);
  else await replaceFile(path, text);
  if (text !== undefined)
    await noteWrittenFile(world.memory, world.session, { path: fromWorkspace(world.memory, path), text });
  await state.recordRevision({ ...revision, text: text ?? "", author: "agent", cause });
  return text;
}

/** A path from the workspace, with forward slashes. */
export function fromWorkspace(memory: Memory, path: string): string {
  return relative(memory.workspace, path).replaceAll("\\", "/");
}

/** Every file below a folder, from the memory folder. */
export async function listFiles(folder: string, below: string): Promise<string[]> {
  const entries = await readdir(join(folder, below), { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll("\\", "/"),
    );
}
