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
  return command.option("-w, --workspace <dir>", "the folder that holds everything");
}

/** The workspace of a command: as asked, else TIDEMARK_WORKSPACE, else the one in the home folder. */
export function workspaceOf(command: Command): string {
  return chooseWorkspace(command).path;
}

/** The same, with who said so. */
export function chooseWorkspace(command: Command): ChosenWorkspace {
  const workspace = askedWorkspace(command);
  return workspace ? { path: resolve(workspace), source: "--workspace" } : unaskedWorkspace();
}

/** The workspace where the command line names none. */
export function unaskedWorkspace(): ChosenWorkspace {
  const fromEnvironment = process.env["TIDEMARK_WORKSPACE"];
  if (fromEnvironment) return { path: resolve(fromEnvironment), source: "TIDEMARK_WORKSPACE" };
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

/** Opens the command's memory for `work` and closes it after; what happens meanwhile is told on stderr. */
export async function withMemory<T>(
  command: Command,
  options: { passive?: boolean },
  work: (memory: Memory) => Promise<T>,
): Promise<T> {
  const { openMemory } = await import("../memory.ts");
  const memory = await openMemory({ workspace: workspaceOf(command), onNotice: note, ...options });
  try {
    return await work(memory);
  } finally {
    await memory.close();
  }
}
