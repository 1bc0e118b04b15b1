import { readdirSync, statSync } from "node:fs";
import type { Dirent } from "node:fs";
import { join, posix } from "node:path";
import { systemCode } from "../../../errors.ts";
import {
  isDocumentName,
  isMemoryName,
  LARGEST_DOCUMENT_BYTES,
  MEMORY_PROJECT,
  projectOf,
  SESSIONS_PROJECT,
} from "../../../search/source-path.ts";

/** A file that is searched. */
export interface SourceFile {
  /** Relative to the workspace, with forward slashes. */
  readonly path: string;
  readonly absolute: string;
  readonly kind: "memory" | "docs" | "session";
  readonly project: string;
  /** Changes whenever the file does, as far as the disk can tell. */
  readonly stamp: string;
  readonly size: number;
  readonly modifiedMs: number;
}

/**
 * Everything in the workspace that is searched, with its state on the disk at this moment, one after the other: this
 * runs before every search, and of nearly all files nothing is needed but that they have not changed.
 */
export function* listSources(workspace: string, { sessions, ...listener }: ListingOptions): Generator<SourceFile> {
  const place: Place = { workspace, ...listener };
  for (const path of walk(place, "memory", true, isMemoryName)) yield* describe(place, path, "memory", MEMORY_PROJECT);
  for (const path of walk(place, "docs", true, isDocumentName)) yield* describe(place, path, "docs", projectOf(path));
  for (const folder of sessions ? ["sessions", "sessions/archive"] : []) {
    for (const path of walk(place, folder, false, isLog)) yield* describe(place, path, "session", SESSIONS_PROJECT);
  }
}

/** Who hears of what is not listed; everything else is, all the same. */
interface Listener {
  /** A folder that cannot be looked into. */
  readonly onUnreadable: (folder: string, error: Error) => void;
  /** A document that is no text that anyone reads. */
  readonly onTooLarge: (path: string) => void;
}

/** What is listed, and who hears of the rest. */
export interface ListingOptions extends Listener {
  readonly sessions: boolean;
}

interface Place extends Listener {
  readonly workspace: string;
}

/** The folders whose changes matter, for watching. */
export function listSourceFolders(workspace: string, options: { sessions: boolean }): string[] {
  // Whoever lists the sources hears of what cannot be read.
  const place: Place = { workspace, onUnreadable: () => undefined, onTooLarge: () => undefined };
  const nested = ["memory", "docs"].flatMap((folder) => [folder, ...walkFolders(place, folder)]);
  return [...nested, ...(options.sessions ? ["sessions", "sessions/archive"] : [])];
}

function isLog(name: string): boolean {
  return name.endsWith(".jsonl");
}

function describe(place: Place, path: string, kind: SourceFile["kind"], project: string): SourceFile[] {
  const absolute = `${place.workspace}/${path}`;
  // One call into the system a file. Deleted meanwhile is not there.
  const look = () => statSync(absolute, { throwIfNoEntry: false });
  const stat = readable(place, posix.dirname(path), look, undefined);
  if (!stat?.isFile()) return [];
  if (kind === "docs" && stat.size > LARGEST_DOCUMENT_BYTES) {
    place.onTooLarge(path);
    return [];
  }
  // The time of change cannot be set back, as that of writing can; most often they are the same, and one will do.
  const changed = stat.ctimeMs === stat.mtimeMs ? "" : stat.ctimeMs;
  const stamp = `${stat.size}:${stat.mtimeMs}:${changed}:${stat.ino}`;
  return [{ path, absolute, kind, project, stamp, size: stat.size, modifiedMs: stat.mtimeMs }];
}

/** The size of a file when it was stamped. */
export function sizeIn(stamp: string): number {
  return Number.parseInt(stamp, 10);
}

/** Which file on the disk it was when it was stamped. */
export function inodeIn(stamp: string): number {
  return Number.parseInt(stamp.slice(stamp.lastIndexOf(":") + 1), 10);
}

function* walk(place: Place, folder: string, isDeep: boolean, isWanted: (name: string) => boolean): Generator<string> {
  for (const entry of readFolder(place, folder)) {
    const path = `${folder}/${entry.name}`;
    if (entry.name.startsWith(".")) continue;
    // Symbolic links are neither: they could lead out of the workspace.
    if (entry.isFile() && isWanted(entry.name)) yield path;
    if (entry.isDirectory() && isDeep) yield* walk(place, path, true, isWanted);
  }
}

function walkFolders(place: Place, folder: string): string[] {
  return readFolder(place, folder).flatMap((entry) => {
    if (!entry.isDirectory() || entry.name.startsWith(".")) return [];
    const path = `${folder}/${entry.name}`;
    return [path, ...walkFolders(place, path)];
  });
}

function readFolder(place: Place, folder: string): Dirent[] {
  return readable(place, folder, () => readdirSync(join(place.workspace, folder), { withFileTypes: true }), []);
}

/** What is there; nothing where it is gone, or where the folder may not be looked into. */
function readable<T>({ onUnreadable }: Place, folder: string, look: () => T, nothing: T): T {
  try {
    return look();
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined || !(error instanceof Error)) throw error;
    if (code !== "ENOENT" && code !== "ENOTDIR") onUnreadable(folder, error);
    return nothing;
  }
}
