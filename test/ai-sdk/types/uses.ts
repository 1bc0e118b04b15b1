import { generateText } from "ai";
import type { LanguageModel } from "ai";
import { openMemory } from "tidemark";
import { memoryTools, withMemory } from "tidemark/ai-sdk";
import { createMemoryTool } from "tidemark/memory-tool";

/** Compiled, and never run: what a program writes that checks its libraries as well. */
export async function useAll(model: LanguageModel): Promise<string> {
  const memory = await openMemory({ workspace: "/nowhere" });
  const remembering = withMemory(model, { memory, session: "app:1" });
  const tools = { ...memoryTools({ memory, session: "app:1" }) };
  const { text } = await generateText({ model: remembering, tools, prompt: "Hello" });
  await remembering.settle();
  return `${text} ${typeof createMemoryTool}`;
}
