import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { ConfigInput, Memory, Model, ModelReply } from "../../src/index.ts";
import { open } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";

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

/** A workspace with a memory in it that a scripted model digests. */
export async function startPlace(script: (shown: string, index: number) => Saved, config: ConfigInput = {}) {
  const workspace = temporaryFolder();
  let minute = 0;
  const memory = await open({
    workspace,
    config,
    model: digestModel(script),
    now: () => new Date(Date.UTC(2026, 10, 15, 9, minute++)),
  });
  return { workspace, memory, file: (name: string) => readFileSync(join(workspace, "memory", name), "utf8") };
}

/** Says something and digests it. */
export async function sayAndDigest(memory: Memory, words: string, key = "cli:a") {
  const session = await memory.session(key);
  const message = await session.append({ role: "user", content: words });
  await session.append({ role: "assistant", content: "Noted." });
  return { outcome: await memory.consolidate(key, { all: true }), message: message?.id ?? "" };
}

/** Every file under a folder. */
export function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}

/** The files under a folder that hold these bytes, in any case of letters. */
export function filesHolding(folder: string, text: string): string[] {
  const wanted = Buffer.from(text).toString("latin1").toLowerCase();
  return filesUnder(folder).filter((path) => readFileSync(path).toString("latin1").toLowerCase().includes(wanted));
}
