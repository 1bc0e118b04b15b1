import { tool } from "ai";
import type { Tool } from "ai";
import { z } from "zod";
import { describeError, MemoryError } from "../errors.ts";
import { readFileLines } from "../recall/read-file-lines.ts";
import type { OpenSource } from "./memory-source.ts";

/** The names of the tools. */
type MemoryToolName = "memory_search" | "memory_get" | "remember" | "forget";

/** The tools of a memory for `generateText` and `streamText`: search, read, remember, forget. */
export function memoryTools({ memory, session }: OpenSource): Record<MemoryToolName, Tool> {
  return {
    memory_search: tool({
      description:
        "Finds what is known from before: facts, diary, notes, and what was said in earlier conversations. Search before you say that you do not know.",
      inputSchema: z.object({
        query: z.string().min(1).describe("what to look for, in words or as a question"),
        limit: z.int().min(1).max(20).optional().describe("how many passages; 6 when not given"),
        since: z.string().optional().describe("not before this day, YYYY-MM-DD"),
        until: z.string().optional().describe("not after this day, YYYY-MM-DD"),
      }),
      execute: ({ query, limit = 6, since, until }) =>
        tellFailure(async () => {
          const { results } = await memory.search(query, { key: session, limit, since, until });
          return results.map(({ path, startLine, endLine, session: said, date, heading, text, untrusted }) => ({
            ...(untrusted ? { untrusted } : {}),
            source: said === "" ? `${path}:${startLine}-${endLine}` : `said in ${said}`,
            date,
            heading,
            text,
          }));
        }),
    }),
    memory_get: tool({
      description: "Reads lines of a memory file or document that a search has named.",
      inputSchema: z.object({
        path: z.string().min(1).describe("such as memory/HISTORY.md"),
        from: z.int().min(1).optional().describe("first line"),
        lines: z.int().min(1).max(500).optional().describe("number of lines; 50 when not given"),
      }),
      execute: ({ path, from, lines = 50 }) =>
        tellFailure(() => readFileLines(memory.workspace, memory.pathsOf(session).memoryFolder, { path, from, lines })),
    }),
    remember: tool({
      description:
        "Saves one lasting fact to long-term memory, now. Use it when the user asks for it or corrects a fact.",
      inputSchema: z.object({
        fact: z.string().min(1).describe("one sentence that will make sense in a year: names and dates, no 'today'"),
        replaces: z.string().optional().describe("the older fact that this one corrects, in its own words"),
      }),
      execute: ({ fact, replaces }) => tellFailure(() => memory.remember(session, { fact, replaces, by: "ai-sdk" })),
    }),
    forget: tool({
      description: "Takes one fact out of long-term memory, now. Use it when the user asks for it.",
      inputSchema: z.object({ fact: z.string().min(1).describe("the fact, in its own words as far as you know them") }),
      execute: ({ fact }) => tellFailure(() => memory.retire(session, fact, "ai-sdk")),
    }),
  };
}

/** What cannot be done is an answer to the model; our own bugs are not hidden. */
async function tellFailure<T>(work: () => Promise<T>): Promise<T | { error: string }> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof MemoryError) return { error: describeError(error) };
    throw error;
  }
}
