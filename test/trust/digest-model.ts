import type { Model, ModelReply } from "../../src/index.ts";

/** What the scripted model answers to one digest. */
export interface Saved {
  memory: string;
  entry?: string;
  evidence?: { fact: string; quote: string; message: string }[];
  removed?: { fact: string; reason: string }[];
}

/** A model that answers each digest by a script; it sees the present memory. */
export function digestModel(script: (shown: string, index: number) => Saved): Model {
  let index = 0;
  return {
    id: "scripted/tide",
    async ask({ messages }): Promise<ModelReply> {
      const shown = messages
        .map(({ content }) => (typeof content === "string" ? content : JSON.stringify(content)))
        .join("\n");
      const { memory, entry = "[2026-11-15 09:00] They talked.", evidence = [], removed = [] } = script(shown, index++);
      const input = JSON.stringify({ history_entry: entry, memory_update: memory, evidence, removed });
      return {
        text: "",
        reasoning: "",
        calls: [{ id: `c${index}`, name: "save_memory", input }],
        finish: "tool-calls",
        usage: { inputTokens: 10, outputTokens: 5, cachedTokens: 0 },
      };
    },
  };
}

/** The memory that a digest was shown. */
export function presentMemory(shown: string): string {
  const text = /## Present memory\n([\s\S]*?)\n\n## Conversation/.exec(shown)?.[1] ?? "";
  return text === "(empty)" ? "" : `${text}\n`;
}
