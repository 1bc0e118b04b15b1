import { join } from "node:path";
import { renderMemoryPrompt } from "../context/memory-section.ts";
import { fenceRecalled } from "../context/fence-recalled.ts";
import { MEMORY_FILE } from "../layout.ts";
import type { Memory } from "../memory.ts";
import { textOf } from "../session/message.ts";
import type { MessageInput } from "../session/message.ts";
import { tellingHits, unseenHits } from "./telling-hits.ts";

// Enough to leave some when the questions among them are gone.
const GATHERED_FACTS = 40;

/**
 * What a client with a prompt of its own is given of a memory: MEMORY.md within its budget; empty where nothing is
 * known. No clock and nothing that changes by itself, so that prompt caches keep serving.
 */
export async function buildMemoryPrompt(memory: Memory, key: string): Promise<string> {
  const { memoryBudgetTokens } = memory.config.agents.defaults;
  const path = join(memory.pathsOf(key).memoryFolder, MEMORY_FILE);
  return renderMemoryPrompt(await memory.readMemory(key), memoryBudgetTokens, path);
}

/**
 * Passages for the newest words of the user, fenced as data; undefined where `autoRecall` is off. Neither the question
 * itself comes back, nor what the model sees anyway, nor other questions like it.
 */
export async function recallFor(
  memory: Memory,
  key: string,
  messages: readonly MessageInput[],
): Promise<string | undefined> {
  if (!memory.config.agents.defaults.autoRecall) return undefined;
  const last = messages.at(-1);
  const words = last?.role === "user" ? spokenWords(last) : "";
  if (words === "") return undefined;
  const found = await memory.search(words, { key, limit: GATHERED_FACTS, explain: true });
  const results = unseenHits(messages.map(spokenWords), tellingHits(words, found.results));
  return fenceRecalled({ ...found, results }, new Set());
}

function spokenWords({ content }: MessageInput): string {
  return textOf({ content: typeof content === "string" ? content : content ? [...content] : null }).trim();
}
