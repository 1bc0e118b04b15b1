import { openMemory } from "../../src/index.ts";
import type { Memory, MemoryOptions, MessageInput } from "../../src/index.ts";
import { onTestFinished } from "vitest";
import { placeOf } from "./kept.ts";

/** Opens a memory that is closed with the test; over a database each folder is a workspace of its name. */
export async function open(options: MemoryOptions): Promise<Memory> {
  const { workspace, store } = options;
  const memory = await openMemory(workspace && !store ? { ...options, ...placeOf(workspace) } : options);
  onTestFinished(() => memory.close());
  return memory;
}

/** `count` messages: the user's alone, or user and assistant in turn. */
export function talk(count: number, who: "user" | "both" = "both", prefix = "message"): MessageInput[] {
  return Array.from({ length: count }, (_, index) => ({
    role: who === "both" && index % 2 === 1 ? "assistant" : "user",
    content: `${prefix} ${index}`,
  }));
}

/** A message in the shorthand of the cases: U, A, C(a,b), T(a). */
export function shorthand(text: string): MessageInput[] {
  return text
    .trim()
    .split(/\s+/)
    .map((word): MessageInput => {
      const [, kind, , ids = ""] = /^([UACT]\d*)(\((.*)\))?$/.exec(word) ?? [];
      const list = ids === "" ? [] : ids.split(",");
      if (kind?.startsWith("U")) return { role: "user", content: word };
      if (kind?.startsWith("A")) return { role: "assistant", content: word };
      if (kind?.startsWith("T"))
        return { role: "tool", content: `result of ${ids}`, ...(ids === "" ? {} : { tool_call_id: ids }) };
      return {
        role: "assistant",
        content: null,
        tool_calls: list.map((id) => ({ id, type: "function", function: { name: `tool_${id}`, arguments: "{}" } })),
      };
    });
}

/** The ordinals of `message N` lines that a request shows. */
export function shownNumbers(request: { messages: { content: unknown }[] }, prefix = "message"): number[] {
  const text = JSON.stringify(request.messages);
  return [...text.matchAll(new RegExp(`: ${prefix} (\\d+)`, "g"))].map(([, number]) => Number(number));
}

/** The text that each change of MEMORY.md left, oldest first. */
export async function textsLeft(memory: Memory, scope = ""): Promise<string[]> {
  const changes = await memory.history.list({ scope: scope, file: "MEMORY.md" });
  return Promise.all(changes.map(async ({ id }) => (await memory.history.textsOf(id))?.text ?? ""));
}
