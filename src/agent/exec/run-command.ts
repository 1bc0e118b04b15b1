import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, posix, resolve, sep } from "node:path";
import { MemoryError } from "../../errors.ts";
import type { Memory } from "../../memory.ts";
import { confinePath, whyProtected } from "../confine.ts";
import type { ToolCall } from "../tool.ts";
import { readWorkspaceBytes } from "../workspace-texts.ts";
import { runProgram } from "./run-program.ts";
import type { ProgramCall } from "./run-program.ts";
import { runShell } from "./run-shell.ts";
import type { ShellOutput } from "./run-shell.ts";
import { sandboxFor } from "./sandbox.ts";

// A larger workspace is for search to look through.
const MOST_COPIED_BYTES = 64 * 1024 * 1024;

/** Runs a command line over what the session of a call may see of its workspace. */
export function runCommand(script: string, call: ToolCall, maxCharacters: number): Promise<ShellOutput> {
  return withFolder(call.memory, call.session, (folder) => runIn(folder, script, call, maxCharacters));
}

function runIn(folder: string, script: string, call: ToolCall, maxCharacters: number): Promise<ShellOutput> {
  const { memory, session, signal } = call;
  const { allow, timeoutSeconds } = memory.config.tools.exec;
  const own = memory.pathsOf(session);
  const shown = memory.store.folder ?? "";
  // Where the folder has no path that a shell could show, it shows another.
  const mount = sep === "/" && shown !== "/" && shown !== "" ? shown : "/workspace";
  return runShell(
    {
      kind: "run",
      folder,
      mount,
      own,
      script,
      allow,
      timezone: memory.config.agents.defaults.timezone,
      maxCharacters,
    },
    timeoutSeconds * 1000,
    signal,
    async (program, ended) => {
      await checkArguments(call, folder, program);
      return runProgram(program, folder, sandboxFor(folder, own), maxCharacters, ended);
    },
  );
}

/**
 * Refuses a real program an argument that names what this session may not see. That is a courtesy and no wall: what the
 * program does with the others is up to the program.
 */
async function checkArguments(call: ToolCall, root: string, program: ProgramCall): Promise<void> {
  for (const word of program.arguments) {
    for (const path of [word, word.replace(/^-[^=]*=/, ""), word.replace(/^-[A-Za-z]/, "")]) {
      const isPath = /[/\\]|\.\./.test(path) || existsSync(resolve(root, program.folder, path));
      // A single slash is a separator, as in -d/.
      if (!isPath || path === "/" || path === "") continue;
      await confinePath(call.memory, call.session, posix.isAbsolute(path) ? path : posix.join(program.folder, path));
    }
  }
}

/**
 * Runs `work` in the folder of the workspace. Where there is none it is a copy of what this session may see, which is
 * removed afterwards: commands only read.
 */
async function withFolder<T>(memory: Memory, session: string, work: (folder: string) => Promise<T>): Promise<T> {
  if (memory.store.folder !== undefined) return work(memory.store.folder);
  const folder = await mkdtemp(join(tmpdir(), "tidemark-exec-"));
  try {
    await copyVisible(memory, session, folder);
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function copyVisible(memory: Memory, session: string, folder: string): Promise<void> {
  const own = memory.pathsOf(session);
  const documents = await memory.store.documents.list("", { isDeep: true });
  const visible = documents.filter(({ path }) => whyProtected(path, own) === undefined);
  if (visible.reduce((sum, { size }) => sum + size, 0) > MOST_COPIED_BYTES)
    throw new MemoryError(
      "PATH_REFUSED",
      "The workspace is too large to run commands over it; memory_search and read_file reach all of it",
    );
  for (const path of [...visible.map((head) => head.path), own.transcript]) {
    const bytes = await readWorkspaceBytes(memory, path);
    if (bytes === undefined) continue;
    await mkdir(dirname(join(folder, path)), { recursive: true, mode: 0o700 });
    await writeFile(join(folder, path), bytes, { mode: 0o600 });
  }
}
