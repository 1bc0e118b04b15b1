import { homedir } from "node:os";
import { join, resolve } from "node:path";

// A client waits for its hooks, which need this and nothing else of a command line.

/** Where a command works, and who said so. */
export interface ChosenWorkspace {
  path: string;
  source: "--workspace" | "TIDEMARK_WORKSPACE" | "default";
}

/** The workspace where the command line names none. */
export function unaskedWorkspace(): ChosenWorkspace {
  const fromEnvironment = process.env["TIDEMARK_WORKSPACE"];
  if (fromEnvironment) return { path: expandPath(fromEnvironment), source: "TIDEMARK_WORKSPACE" };
  return { path: join(homedir(), ".tidemark", "workspace"), source: "default" };
}

/** An absolute path; `~` is the home folder, also where no shell has seen it. */
export function expandPath(path: string): string {
  return resolve(/^~(?=$|[\\/])/.test(path) ? join(homedir(), path.slice(1)) : path);
}
