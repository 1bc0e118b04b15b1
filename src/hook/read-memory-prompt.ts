import { join } from "node:path";
import { loadConfig } from "../config.ts";
import { readIfThere } from "../context/read-if-there.ts";
import { renderMemoryPrompt } from "../door/memory-prompt.ts";
import { MEMORY_FILE, memoryPath } from "../layout.ts";
import type { CalledHook } from "./called-hook.ts";
import { keepStart } from "./kept-start.ts";
import { readInput, sessionOf } from "./hook-input.ts";

/** What a session is given of memory at its start, read from the file alone: nothing is opened for it. */
export async function readMemoryPrompt(workspace: string, program: string, call: CalledHook): Promise<string> {
  const key = sessionOf(call, readInput(call));
  const { agents, memory } = loadConfig(workspace);
  const scope = memory.scope === "workspace" ? "" : await scopeFor(key, memory.scope);
  const render = async (): Promise<string> => {
    const text = await readIfThere(join(memoryPath(workspace, scope), MEMORY_FILE));
    return renderMemoryPrompt(text, agents.defaults.memoryBudgetTokens, join(memoryPath("", scope), MEMORY_FILE));
  };
  // Only the memory that all share is the same for the next session.
  return memory.scope === "workspace" ? keepStart(workspace, program, render) : render();
}

/** Loaded where it is needed: most workspaces have one memory. */
async function scopeFor(key: string, kind: "user" | "session"): Promise<string> {
  const { scopeOf } = await import("../open-workspace.ts");
  return scopeOf(key, kind);
}
