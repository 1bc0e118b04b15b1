import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { Command } from "commander";
import type { Memory } from "../memory.ts";
import { note } from "./print.ts";

/** Where a command works, and who said so. */
export interface ChosenWorkspace {
  path: string;
  source: "--workspace" | "TIDEMARK_WORKSPACE" | "default";
}

/** Gives a command the option that every command has. */
export function addWorkspaceOption(command: Command): Command {
  return command.option("-w, --workspace <dir>", "the workspace folder");
}

/** The workspace of a command: as asked, else TIDEMARK_WORKSPACE, else the one in the home folder. */
export function workspaceOf(command: Command): string {
  return chooseWorkspace(command).path;
}

/** The same, with who said so. */
export function chooseWorkspace(command: Command): ChosenWorkspace {
  const workspace = askedWorkspace(command);
  return workspace ? { path: expandPath(workspace), source: "--workspace" } : unaskedWorkspace();
}

/** The workspace where the command line names none. */
export function unaskedWorkspace(): ChosenWorkspace {
  const fromEnvironment = process.env["TIDEMARK_WORKSPACE"];
  if (fromEnvironment) return { path: expandPath(fromEnvironment), source: "TIDEMARK_WORKSPACE" };
  return { path: join(homedir(), ".tidemark", "workspace"), source: "default" };
}

/** The innermost command's word counts: `tidemark -w a status -w b` looks at b. */
function askedWorkspace(command: Command): string | undefined {
  for (let each: Command | null = command; each; each = each.parent) {
    const { workspace } = each.opts<{ workspace?: string }>();
    if (workspace) return workspace;
  }
  return undefined;
}

/** An absolute path; `~` is the home folder, also where no shell has seen it. */
export function expandPath(path: string): string {
  return resolve(/^~(?=$|[\\/])/.test(path) ? join(homedir(), path.slice(1)) : path);
}

/** The workspace of a command that makes none; an error where there is none. */
export async function existingWorkspace(command: Command): Promise<string> {
  // Loaded by the command that runs: help needs none of it.
  const { needWorkspace } = await import("./need-workspace.ts");
  return needWorkspace(command);
}

/** The same for a command that may begin an empty one in the usual place, and nowhere else unasked. */
export async function namedWorkspace(command: Command): Promise<string> {
  const { path, source } = chooseWorkspace(command);
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
  const workspace = mayCreate ? workspaceOf(command) : await existingWorkspace(command);
  const memory = await openMemory({ workspace, onNotice: note, ...options });
  try {
    return await work(memory);
  } finally {
    await memory.close();
  }
}
