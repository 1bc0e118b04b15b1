import { readdirSync, statSync } from "node:fs";
import type { Dirent } from "node:fs";
import { join } from "node:path";
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
export function* listSources(workspace: string, options: { sessions: boolean }): Generator<SourceFile> {
  for (const path of walk(workspace, "memory", true, isMemoryName)) {
    yield* describe(workspace, path, "memory", MEMORY_PROJECT);
  }
  for (const path of walk(workspace, "docs", true, isDocumentName))
    yield* describe(workspace, path, "docs", projectOf(path));
  for (const folder of options.sessions ? ["sessions", "sessions/archive"] : []) {
    for (const path of walk(workspace, folder, false, isLog)) {
      yield* describe(workspace, path, "session", SESSIONS_PROJECT);
    }
  }
}

/** The folders whose changes matter, for watching. */
export function listSourceFolders(workspace: string, options: { sessions: boolean }): string[] {
  const nested = ["memory", "docs"].flatMap((folder) => [folder, ...walkFolders(workspace, folder)]);
  return [...nested, ...(options.sessions ? ["sessions", "sessions/archive"] : [])];
}

function isLog(name: string): boolean {
  return name.endsWith(".jsonl");
}

function describe(workspace: string, path: string, kind: SourceFile["kind"], project: string): SourceFile[] {
  const absolute = `${workspace}/${path}`;
  // One call into the system a file. Deleted meanwhile is not there.
  const stat = statSync(absolute, { throwIfNoEntry: false });
  if (!stat?.isFile()) return [];
  if (kind === "docs" && stat.size > LARGEST_DOCUMENT_BYTES) return [];
  // The time of change cannot be set back, as that of writing can; most often they are the same, and one will do.
  const changed = stat.ctimeMs === stat.mtimeMs ? "" : stat.ctimeMs;
  const stamp = `${stat.size}:${stat.mtimeMs}:${changed}:${stat.ino}`;
  return [{ path, absolute, kind, project, stamp, size: stat.size, modifiedMs: stat.mtimeMs }];
}

function* walk(
  workspace: string,
  folder: string,
  isDeep: boolean,
  isWanted: (name: string) => boolean,
): Generator<string> {
  for (const entry of readFolder(join(workspace, folder))) {
    const path = `${folder}/${entry.name}`;
    if (entry.name.startsWith(".")) continue;
    // Symbolic links are neither: they could lead out of the workspace.
    if (entry.isFile() && isWanted(entry.name)) yield path;
    if (entry.isDirectory() && isDeep) yield* walk(workspace, path, true, isWanted);
  }
}

function walkFolders(workspace: string, folder: string): string[] {
  return readFolder(join(workspace, folder)).flatMap((entry) => {
    if (!entry.isDirectory() || entry.name.startsWith(".")) return [];
    const path = `${folder}/${entry.name}`;
    return [path, ...walkFolders(workspace, path)];
  });
}

function readFolder(path: string): Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch (error) {
    if (systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR") return [];
    throw error;
  }
}
