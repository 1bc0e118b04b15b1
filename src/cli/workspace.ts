import type { Command } from "commander";
import type { Memory } from "../memory.ts";
import { note } from "./print.ts";
import { expandPath, hide, inStore, isAddressLike, unaskedWorkspace } from "./workspace-path.ts";
import type { ChosenWorkspace } from "./workspace-path.ts";

/** Gives a command the options that every command has. */
export function addWorkspaceOption(command: Command): Command {
  return command
    .option("-w, --workspace <dir>", "the workspace folder; with a store, the workspace's name in it")
    .option("--store <address>", "where the workspace lies instead of in a folder: postgres://…")
    .option("--cache <dir>", "where a workspace in a database is cached on this machine");
}

/** The workspace of a command: as asked, else by the environment, else the one in the home folder. */
export async function workspaceOf(command: Command): Promise<string> {
  return (await chooseWorkspace(command)).path;
}

/** The same, with who said so. */
export async function chooseWorkspace(command: Command): Promise<ChosenWorkspace> {
  const workspace = askedOption(command, "workspace");
  const store = askedOption(command, "store");
  const isAddressAsked = workspace !== undefined && isAddressLike(workspace);
  if (isAddressAsked) return { path: await hide(workspace), source: "--workspace" };
  if (store !== undefined) return { path: await inStore(store, workspace), source: "--store" };
  if (process.env["TIDEMARK_STORE"] && workspace !== undefined)
    return { path: await inStore(process.env["TIDEMARK_STORE"], workspace), source: "TIDEMARK_STORE" };
  return workspace === undefined ? unaskedWorkspace() : { path: expandPath(workspace), source: "--workspace" };
}

/** Puts the folder for caches where the configuration looks for it. */
export function nameCache(command: Command): void {
  const folder = askedOption(command, "cache");
  if (folder !== undefined) process.env["TIDEMARK_CACHE"] = expandPath(folder);
}

/** The innermost command's word counts: `tidemark -w a status -w b` looks at b. */
function askedOption(command: Command, name: "workspace" | "store" | "cache"): string | undefined {
  for (let each: Command | null = command; each; each = each.parent) {
    const value = each.opts<{ workspace?: string; store?: string; cache?: string }>()[name];
    if (value) return value;
  }
  return undefined;
}

/** The workspace of a command that makes none; an error where there is none. */
export async function existingWorkspace(command: Command): Promise<string> {
  // Loaded by the command that runs: help needs none of it.
  const { needWorkspace } = await import("./need-workspace.ts");
  return needWorkspace(command);
}

/** The same for a command that may begin an empty one in the usual place, and nowhere else unasked. */
export async function namedWorkspace(command: Command): Promise<string> {
  const { path, source } = await chooseWorkspace(command);
  return source === "default" ? path : existingWorkspace(command);
}

/** How a command opens its memory. */
export interface OpenWish {
  /** Nothing is written, made or renamed. */
  readOnly?: boolean;
  /** Nothing happens by itself. */
  passive?: boolean;
  /** A workspace that is not there is made. */
  mayCreate?: boolean;
}

/** Opens the command's memory for `work` and closes it after; what happens meanwhile is told on stderr. */
export async function withMemory<T>(
  command: Command,
  { mayCreate = false, ...options }: OpenWish,
  work: (memory: Memory) => Promise<T>,
): Promise<T> {
  const { openMemory } = await import("../memory.ts");
  const workspace = mayCreate ? await workspaceOf(command) : await existingWorkspace(command);
  if (!options.readOnly) (await import("./need-workspace.ts")).needWritable(workspace);
  const memory = await openMemory({ workspace, onNotice: note, ...options });
  try {
    return await work(memory);
  } finally {
    await memory.close();
  }
}
