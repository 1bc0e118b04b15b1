import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { loadConfig } from "../config.ts";
import { renderMemoryPrompt } from "../door/memory-prompt.ts";
import { systemCode } from "../errors.ts";
import { MEMORY_FILE, memoryPath } from "../layout.ts";
import { scopeOf } from "../session/scope-of.ts";
import type { CalledHook } from "./called-hook.ts";
import { readInput, sessionOf } from "./hook-input.ts";
import { keepStart } from "./kept-start.ts";

/** What a session is given of memory at its start, read from the file alone: nothing is opened for it. */
export async function readMemoryPrompt(workspace: string, program: string, call: CalledHook): Promise<string> {
  const key = sessionOf(call, readInput(call));
  const { agents, memory } = loadConfig(workspace);
  const scope = scopeOf(key, memory.scope);
  const render = async (): Promise<string> => {
    const text = await readIfThere(join(memoryPath(workspace, scope), MEMORY_FILE));
    return renderMemoryPrompt(text, agents.defaults.memoryBudgetTokens, join(memoryPath("", scope), MEMORY_FILE));
  };
  // Only the memory that all share is the same for the next session.
  return memory.scope === "workspace" ? keepStart(workspace, program, render) : render();
}

async function readIfThere(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return "";
    throw error;
  }
}
