import { join } from "node:path";

// Every path below a workspace. What is forgotten, exported, backed up or checked is named here, and nowhere else.

/** What is believed, in every prompt. */
export const MEMORY_FILE = "MEMORY.md";
/** The heading in it whose facts stay when it must make room. */
export const PINNED = "Pinned";
/** The diary. */
export const HISTORY_FILE = "HISTORY.md";
/** The diary of nanobot since 0.3, an entry a line; it is searched, and we write to our own. */
export const ANCESTOR_DIARY = "history.jsonl";
/** The file beside MEMORY.md that says what it must and must not hold. */
export const EXPECTATIONS_FILE = "expect.yaml";
/** What was said. */
export const SESSIONS_FOLDER = "sessions";
/** What was said before each /new, below the sessions. */
export const ARCHIVE_FOLDER = "archive";
/** The same, from the workspace. */
export const ARCHIVE_PATH = `${SESSIONS_FOLDER}/${ARCHIVE_FOLDER}`;
/** What was attached to what was said. */
export const ATTACHMENTS_PATH = `${SESSIONS_FOLDER}/files`;
/** What is believed. */
export const MEMORY_FOLDER = "memory";
/** What is believed in scopes of their own: a folder for each. */
export const SCOPES_PATH = `${MEMORY_FOLDER}/scopes`;
/** How belief changed: a log for each scope. */
export const CHANGES_FOLDER = "changes";
/** The program's own: the queue, caches, locks. */
export const OWN_FOLDER = ".tidemark";
/** What was forgotten, by salted hashes, so that it is known again. */
export const FORGOTTEN_PLACE = `${CHANGES_FOLDER}/forgotten.json`;
/** What was forgotten of late, by salted hashes. */
export const FORGETTINGS_PLACE = `${CHANGES_FOLDER}/last-forgetting`;

/** Where work that waits lies, and what was spent. */
export function queuePath(workspace: string): string {
  return ownPath(workspace, "queue.sqlite");
}

/** Where what the logs tell lies, added up: a cache. */
export function cachePath(workspace: string): string {
  return ownPath(workspace, "cache.sqlite");
}

/** Where the index lies: a cache. */
export function indexPath(workspace: string): string {
  return ownPath(workspace, "index.sqlite");
}

/** Where locks lie. */
export function locksPath(workspace: string, name = ""): string {
  return ownPath(workspace, "locks", name);
}

/** Whoever begins a session holds it. */
export const BEGINNING_LOCK = "beginning";

/** The lock of a memory, by its scope. */
export function memoryLockName(scope: string): string {
  return scope === "" ? "memory" : `memory-${scope}`;
}

/** The scope of the memory that a document belongs to. */
export function scopeOfDocument(path: string): string {
  return /^memory\/scopes\/([^/]+)\//.exec(path)?.[1] ?? "";
}

/** The lock under which a document is replaced: that of the memory it belongs to. */
export function lockOfDocument(path: string): string {
  return memoryLockName(scopeOfDocument(path));
}

/** Where the hooks of clients leave what is for the process that stays, and what went wrong. */
export function hooksPath(workspace: string, ...names: string[]): string {
  return ownPath(workspace, "hooks", ...names);
}

/** Something else of the program's own. */
export function ownPath(workspace: string, ...names: string[]): string {
  return join(workspace, OWN_FOLDER, ...names);
}

/** The folder of a scope's memory. */
export function memoryPath(workspace: string, scope: string): string {
  return join(workspace, memoryFolderOf(scope));
}

/** The same, from the workspace. */
export function memoryFolderOf(scope: string): string {
  return scope === "" ? MEMORY_FOLDER : `${SCOPES_PATH}/${scope}`;
}

/** The folder of sessions. */
export function sessionsPath(workspace: string): string {
  return join(workspace, SESSIONS_FOLDER);
}

/** Where the lines of a session lie, and what was attached to them, by the name of its file. */
export function talkPathsOf(stem: string): { transcript: string; files: string } {
  return { transcript: `${SESSIONS_FOLDER}/${stem}.jsonl`, files: `${ATTACHMENTS_PATH}/${stem}` };
}
