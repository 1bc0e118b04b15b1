import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { renderMemoryPrompt } from "../context/memory-section.ts";
import { systemCode } from "../errors.ts";
import { MEMORY_FILE, memoryPath } from "../layout.ts";
import { keepStart } from "./kept-start.ts";
import type { StartSettings } from "./kept-start.ts";

/** What a session is given of the memory that all share, read from the file alone: nothing is opened for it. */
export async function readMemoryPrompt(workspace: string, program: string, settings: StartSettings): Promise<string> {
  return keepStart(workspace, program, settings, () => renderScope(workspace, "", settings.budgetTokens));
}

/** The same of one scope's memory, without keeping it. */
export async function renderScope(workspace: string, scope: string, budgetTokens: number): Promise<string> {
  const text = await readIfThere(join(memoryPath(workspace, scope), MEMORY_FILE));
  return renderMemoryPrompt(text, budgetTokens, join(memoryPath("", scope), MEMORY_FILE));
}

async function readIfThere(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return "";
    throw error;
  }
}
