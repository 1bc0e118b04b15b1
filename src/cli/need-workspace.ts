import { accessSync, constants, existsSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Command } from "commander";
import { describeError, MemoryError, systemCode } from "../errors.ts";
import { nearest } from "../nearest.ts";
import { note } from "./print.ts";
import { isAddress } from "../store/address.ts";
import { needFolder } from "../store/need-folder.ts";
import { chooseWorkspace } from "./workspace.ts";
import { isPathLike } from "./workspace-path.ts";
import type { ChosenWorkspace } from "./workspace-path.ts";

const MARKS = [
  "sessions",
  "memory",
  "changes",
  "docs",
  "skills",
  ".tidemark",
  "config.json",
  "config.yaml",
  "config.yml",
];

/** The workspace of a command that makes none: that there is nothing is an error, and most likely a slip of the hand. */
export async function needWorkspace(command: Command): Promise<string> {
  const { path, source } = await chooseWorkspace(command);
  return needPlace(path, source);
}

/** The same for a place that is named by itself. */
export async function needPlace(path: string, source: ChosenWorkspace["source"] = "--workspace"): Promise<string> {
  if (isAddress(path)) return needStored(path);
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) throw new MemoryError("NOT_FOUND", missingWorkspace(path, source));
  if (!stat.isDirectory()) throw new MemoryError("NOT_FOUND", `${path} is not a folder, so it cannot be a workspace`);
  const isForeign = readdirSync(path).length > 0 && !MARKS.some((name) => existsSync(join(path, name)));
  if (isForeign) note(`${path} holds no workspace: there are no sessions and no memory in it`);
  return path;
}

/** A workspace of a store is there once anything was kept in it. */
async function needStored(path: string): Promise<string> {
  const { chooseStore } = await import("../choose-store.ts");
  if (await chooseStore({ workspace: path }).source?.isThere?.()) return path;
  throw new MemoryError(
    "NOT_FOUND",
    `There is no workspace at ${path}; \`tidemark chat\` or \`tidemark init\` makes it`,
  );
}

/** With a store, -w names a workspace in it. */
export function needName(name: string): string {
  if (!isPathLike(needFolder(name))) return name;
  throw new MemoryError(
    "CONFIG_INVALID",
    `With a store, -w names a workspace in it, and ${name} looks like a folder; to work in a folder, leave out --store and unset TIDEMARK_STORE`,
  );
}

/** For a command that writes: that nothing can be written there is said in one sentence, before anything is tried. */
export function needWritable(path: string): void {
  if (isAddress(path)) return;
  try {
    accessSync(path, constants.W_OK);
  } catch (error) {
    const code = systemCode(error);
    // One that is not there yet is made; whatever else is wrong with it is told by the one who opens it.
    if (code !== "EROFS" && code !== "EACCES") return;
    const reason = isReadable(path)
      ? `${path} is read-only: it can be read and searched, but not changed`
      : `Cannot open the workspace: ${describeError(error)}`;
    throw new MemoryError("FILE_UNWRITABLE", reason, { cause: error });
  }
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.X_OK);
    return true;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return false;
  }
}

function missingWorkspace(path: string, source: ChosenWorkspace["source"]): string {
  if (source === "default")
    return `There is no workspace yet; \`tidemark chat\` or \`tidemark init\` makes one in ${path}`;
  const meant = nearest(basename(path), listFolders(dirname(path)));
  const hint = meant === undefined ? "" : ` Did you mean ${join(dirname(path), meant)}?`;
  return `There is no workspace at ${path} (from ${source}).${hint} To make one there: tidemark init -w ${path}`;
}

function listFolders(path: string): string[] {
  try {
    const entries = readdirSync(path, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return [];
  }
}
