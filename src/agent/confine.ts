import { lstat, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { MemoryError, systemCode } from "../errors.ts";
import type { Memory } from "../memory.ts";
import { OWN_FOLDER } from "../layout.ts";

/** A path that the agent may use. */
export interface ConfinedPath {
  /** Where it really is, links followed. */
  absolute: string;
  /** From the workspace, with forward slashes. */
  relative: string;
}

/** Finds where a path leads, links followed, and refuses what lies outside the workspace or is not this session's. */
export async function confinePath(memory: Memory, session: string, path: string): Promise<ConfinedPath> {
  if (path.includes("\0")) throw refused(path, "it contains a NUL character");
  const root = await realpath(memory.workspace);
  const absolute = await followPath(resolve(root, path));
  const inside = relative(root, absolute).split(sep).join("/");
  if (inside === ".." || inside.startsWith("../") || isAbsolute(inside)) {
    throw refused(path, "it is outside the workspace");
  }
  const reason = whyProtected(inside, memory.pathsOf(session));
  if (reason !== undefined) throw refused(path, reason);
  return { absolute, relative: inside };
}

/** Whether the agent may use a path. */
export async function isOpenPath(memory: Memory, session: string, path: string): Promise<boolean> {
  try {
    await confinePath(memory, session, path);
    return true;
  } catch (error) {
    if (error instanceof MemoryError && error.code === "PATH_REFUSED") return false;
    throw error;
  }
}

/** What belongs to a session, from the workspace. */
export interface OwnPlaces {
  memoryFolder: string;
  transcript: string;
  files: string;
}

/** Why a place of the workspace is not for this session to see; undefined when it is. */
export function whyProtected(inside: string, own: OwnPlaces): string | undefined {
  // Disks that ignore case would take SESSIONS for sessions.
  const path = inside.toLowerCase();
  const isWithin = (folder: string) => path === folder || path.startsWith(`${folder}/`);
  if (isWithin(OWN_FOLDER)) return "it is the program's own state";
  if (/^config\.(?:json|ya?ml)$/.test(path))
    return "the configuration may hold keys; propose settings with write_file, only those to change";
  if (path !== "sessions" && isWithin("sessions")) {
    const isOwn = path === own.transcript || isWithin(own.files) || path === dirname(own.files);
    if (!isOwn) return "it belongs to another session; memory_search finds what you may know of it";
  }
  // Without scopes the whole folder is shared, but for what scopes left in it.
  const isOwn = own.memoryFolder === "memory" ? !isWithin("memory/scopes") : isWithin(own.memoryFolder);
  const isAbove = own.memoryFolder === path || own.memoryFolder.startsWith(`${path}/`);
  if (path !== "memory" && isWithin("memory") && !isOwn && !isAbove) return "it is someone else's memory";
  return undefined;
}

/** The real place of a path of which the last parts need not be there yet. */
async function followPath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    const code = systemCode(error);
    if (code !== "ENOENT" && code !== "ENOTDIR") throw error;
    const parent = dirname(path);
    if (parent === path) return path;
    await refuseDanglingLink(path);
    return join(await followPath(parent), basename(path));
  }
}

/** A link to nowhere would be written through. */
async function refuseDanglingLink(path: string): Promise<void> {
  try {
    if ((await lstat(path)).isSymbolicLink()) throw refused(path, "it is a broken link");
  } catch (error) {
    if (!["ENOENT", "ENOTDIR"].includes(systemCode(error) ?? "")) throw error;
  }
}

function refused(path: string, reason: string): MemoryError {
  return new MemoryError("PATH_REFUSED", `${JSON.stringify(path)} is refused: ${reason}`);
}
