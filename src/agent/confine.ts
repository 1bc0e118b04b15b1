import { dirname, isAbsolute, posix, relative, sep } from "node:path";
import { MemoryError } from "../errors.ts";
import type { Memory } from "../memory.ts";
import { MEMORY_FOLDER, CHANGES_FOLDER, OWN_FOLDER, SCOPES_PATH, SESSIONS_FOLDER } from "../layout.ts";
import { NO_TARGET } from "../store/documents.ts";
import { trimEnd } from "../language/trim-end.ts";

/** A path that the agent may use. */
export interface ConfinedPath {
  /** Where it really is, links followed: from the workspace, with forward slashes. */
  relative: string;
}

/** Finds where a path leads, links followed, and refuses what lies outside the workspace or is not this session's. */
export async function confinePath(memory: Memory, session: string, path: string): Promise<ConfinedPath> {
  if (path.includes("\0")) throw refused(path, "it contains a NUL character");
  const inside = await followPath(memory, fromWorkspace(memory, path), path);
  const reason = whyProtected(inside, memory.pathsOf(session));
  if (reason !== undefined) throw refused(path, reason);
  return { relative: inside };
}

/** Models know the folder's own path from somewhere, and use it. */
function fromWorkspace({ store: { folder } }: Memory, path: string): string {
  const inside = folder !== undefined && isAbsolute(path) ? relative(folder, path) : path;
  const clean = trimEnd(posix.normalize(inside.split(sep).join("/")), /\//);
  return clean === "." ? "" : clean;
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
  if (isWithin(OWN_FOLDER) || isWithin(CHANGES_FOLDER)) return "it is the program's own state";
  if (/^config\.(?:json|ya?ml)$/.test(path))
    return "the configuration may hold keys; propose settings with write_file, only those to change";
  if (path !== SESSIONS_FOLDER && isWithin(SESSIONS_FOLDER)) {
    const isOwn = path === own.transcript || isWithin(own.files) || path === dirname(own.files);
    if (!isOwn) return "it belongs to another session; memory_search finds what you may know of it";
  }
  // Without scopes the whole folder is shared, but for what scopes left in it.
  const isOwn = own.memoryFolder === MEMORY_FOLDER ? !isWithin(SCOPES_PATH) : isWithin(own.memoryFolder);
  const isAbove = own.memoryFolder === path || own.memoryFolder.startsWith(`${path}/`);
  if (path !== MEMORY_FOLDER && isWithin(MEMORY_FOLDER) && !isOwn && !isAbove) return "it is someone else's memory";
  return undefined;
}

/** The real place of a path of which the last parts need not be there yet. */
async function followPath(memory: Memory, path: string, asked: string): Promise<string> {
  try {
    const real = await memory.store.documents.follow(path);
    if (real !== undefined) return real;
  } catch (error) {
    if (error instanceof MemoryError && error.code === "PATH_REFUSED") throw refused(asked, reasonIn(error));
    throw error;
  }
  const parent = posix.dirname(path);
  return posix.join(parent === "." ? "" : await followPath(memory, parent, asked), posix.basename(path));
}

function reasonIn({ message }: MemoryError): string {
  return message.endsWith(NO_TARGET) ? NO_TARGET : "it is outside the workspace";
}

function refused(path: string, reason: string): MemoryError {
  return new MemoryError("PATH_REFUSED", `${JSON.stringify(path)} is refused: ${reason}`);
}
