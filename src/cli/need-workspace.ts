import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Command } from "commander";
import { MemoryError, systemCode } from "../errors.ts";
import { nearest } from "../nearest.ts";
import { note } from "./print.ts";
import { chooseWorkspace } from "./workspace.ts";
import type { ChosenWorkspace } from "./workspace.ts";

const MARKS = ["sessions", "memory", "docs", "skills", ".tidemark", "config.json", "config.yaml", "config.yml"];

/** The workspace of a command that makes none: that there is nothing is an error, and most likely a slip of the hand. */
export function needWorkspace(command: Command): string {
  const { path, source } = chooseWorkspace(command);
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) throw new MemoryError("NOT_FOUND", missingWorkspace(path, source));
  if (!stat.isDirectory()) throw new MemoryError("NOT_FOUND", `${path} is not a folder, so it cannot be a workspace`);
  const isForeign = readdirSync(path).length > 0 && !MARKS.some((name) => existsSync(join(path, name)));
  if (isForeign) note(`${path} holds no workspace: there are no sessions and no memory in it`);
  return path;
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
