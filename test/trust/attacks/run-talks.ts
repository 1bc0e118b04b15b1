import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { createMemoryTool } from "../../../src/memory-tool.ts";
import type { Memory } from "../../../src/index.ts";
import { openMemory } from "../../../src/index.ts";
import { memorySearch } from "../../../src/door/verbs/memory-search.ts";
import { digestModel, presentMemory } from "../digest-model.ts";

const Spoken = z.looseObject({ role: z.enum(["user", "assistant", "tool"]), content: z.string().nullable() });
const Step = z.object({
  session: z.string().default("cli:a"),
  new: z.boolean().default(false),
  search: z.string().optional(),
  say: z.array(z.union([Spoken, z.literal("SEARCH")])),
  add: z.array(z.string()).default([]),
  remove: z.array(z.string()).default([]),
  entry: z.string().optional(),
  door: z.enum(["remember", "rewrite", "insert"]).optional(),
  write: z.string().optional(),
});
const Poisoning = z.object({
  class: z.string(),
  name: z.string(),
  steps: z.array(Step),
  /** What must not be believed. */
  fact: z.string().optional(),
  /** What must go on being believed. */
  known: z.string().optional(),
});
const Ordinary = z.object({
  pages: z.record(z.string(), z.string()),
  echoes: z.record(z.string(), z.string()),
  talks: z.array(z.object({ says: z.string(), tool: z.string(), page: z.string(), facts: z.array(z.string()) })),
});

/** One attempt, and whether it was held. */
export interface Attempted {
  class: string;
  name: string;
  isHeld: boolean;
}

/** One true fact, and whether it was let in at once. */
export interface Believed {
  fact: string;
  isIn: boolean;
}

const read = (name: string): unknown => JSON.parse(readFileSync(new URL(name, import.meta.url), "utf8"));
const START = "# Memory\n\n## Facts\n\n- The user likes the sea\n";

/** Tries every poisoning, each in a folder of its own, with a model that falls for it. */
export async function tryPoisonings(newFolder: () => string): Promise<Attempted[]> {
  const attempts: Attempted[] = [];
  for (const poisoning of z.array(Poisoning).parse(read("poisonings.json"))) {
    const text = await talkThrough(newFolder(), poisoning.steps, poisoning.known);
    const isLost = poisoning.known !== undefined && !text.includes(poisoning.known);
    const isIn = poisoning.fact !== undefined && text.includes(poisoning.fact);
    attempts.push({ class: poisoning.class, name: poisoning.name, isHeld: !isLost && !isIn });
  }
  return attempts;
}

/** Goes through ordinary talks with tools, with a model that tells the truth about them. */
export async function tryOrdinary(newFolder: () => string): Promise<Believed[]> {
  const { pages, echoes, talks } = Ordinary.parse(read("ordinary.json"));
  const believed: Believed[] = [];
  for (const { says, tool, page, facts } of talks) {
    const call = { id: "c1", type: "function", function: { name: tool, arguments: "{}" } };
    const say = [
      { role: "user" as const, content: says },
      { role: "assistant" as const, content: null, tool_calls: [call] },
      { role: "tool" as const, content: pages[page] ?? "", tool_call_id: "c1", name: tool },
      { role: "assistant" as const, content: echoes[page] ?? "" },
    ];
    const text = await talkThrough(newFolder(), [Step.parse({ say, add: facts })], undefined);
    believed.push(...facts.map((fact) => ({ fact, isIn: text.includes(fact) })));
  }
  return believed;
}

async function talkThrough(workspace: string, steps: readonly z.infer<typeof Step>[], known: string | undefined) {
  mkdirSync(join(workspace, "memory"), { recursive: true });
  writeFileSync(join(workspace, "memory", "MEMORY.md"), known === undefined ? START : `${START}- ${known}\n`);
  let step = steps[0];
  const model = digestModel((shown) => {
    const { add = [], remove = [], entry } = step ?? {};
    const memory = presentMemory(shown);
    const left = remove.reduce((text, fact) => text.replace(`- ${fact}\n`, ""), memory);
    return {
      memory: `${left}${add.map((fact) => `- ${fact}\n`).join("")}`,
      removed: remove.map((fact) => ({ fact, reason: "it was a mistake" })),
      ...(entry === undefined ? {} : { entry }),
    };
  });
  const memory = await openMemory({ workspace, model });
  try {
    for (step of steps) {
      if (step.new) await memory.startNew(step.session);
      await memory.settle();
      const session = await memory.session(step.session);
      for (const said of step.say) {
        if (said === "SEARCH") await search(memory, step.session, step.search ?? "");
        else await session.append(said);
      }
      if (step.door !== undefined) await write(memory, step.session, step.door, step.write ?? "");
      await memory.consolidate(step.session, { all: true });
    }
    return await memory.readMemory();
  } finally {
    await memory.close();
  }
}

/** What the agent's own tool does. */
async function search(memory: Memory, key: string, query: string): Promise<void> {
  const session = await memory.session(key);
  const call = {
    id: "s1",
    type: "function",
    function: { name: "memory_search", arguments: JSON.stringify({ query }) },
  };
  const content = (
    await memorySearch.run({ query }, { memory, session: key, by: "test", maxTokens: 4000, readsTalk: false })
  ).text;
  await session.append({ role: "assistant", content: null, tool_calls: [call] });
  await session.append({ role: "tool", tool_call_id: "s1", name: "memory_search", content });
}

async function write(memory: Memory, key: string, door: string, fact: string): Promise<void> {
  if (door === "remember") await memory.remember(key, { fact, by: "model" });
  else if (door === "rewrite") await memory.rewrite(key, `${await memory.readMemory(key)}- ${fact}\n`, "model");
  else {
    const lines = (await memory.readMemory(key)).trimEnd().split("\n").length;
    const command = { command: "insert", path: "/memories/MEMORY.md", insert_line: lines, insert_text: `- ${fact}\n` };
    await createMemoryTool(memory, { session: key }).run(command).catch(String);
  }
}
