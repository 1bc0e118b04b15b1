import type { z } from "zod";
import type { Verb } from "../door/verb.ts";
import { memoryGet } from "../door/verbs/memory-get.ts";
import { memorySearch } from "../door/verbs/memory-search.ts";
import { remember, retire } from "../door/verbs/remember.ts";
import { undo } from "../door/verbs/undo.ts";
import type { OpenSource } from "./memory-source.ts";

/** A tool as `ai` 5, 6 and 7 take it. */
export interface MemoryTool<Input extends z.ZodObject = z.ZodObject> {
  description: string;
  inputSchema: Input;
  execute: (input: z.output<Input>, options?: unknown) => Promise<unknown>;
}

const MAX_TOKENS = 4000;

/** The tools of a memory for `generateText` and `streamText`: search, read, remember, take out, undo. */
export function memoryTools({ memory, session }: OpenSource) {
  const toTool = <Input extends z.ZodObject>(verb: Verb<Input>): MemoryTool<Input> => ({
    description: verb.description,
    inputSchema: verb.input,
    // What cannot be done is an answer to the model.
    execute: async (input) => {
      const call = { memory, session, by: "ai-sdk", maxTokens: MAX_TOKENS, readsTalk: true };
      return (await verb.run(input, call)).value;
    },
  });
  return {
    memory_search: toTool(memorySearch),
    memory_get: toTool(memoryGet),
    remember: toTool(remember),
    retire: toTool(retire),
    undo: toTool(undo),
  };
}
