import { z } from "zod";
import { showHits } from "../show-hits.ts";
import { createTool } from "../tool.ts";

export const memorySearchTool = createTool(
  "memory_search",
  "Searches what is known from before: facts, diary, notes, and what was said in earlier conversations.",
  z.object({
    query: z.string().min(1).describe("what to look for, in words or as a question"),
    limit: z.int().min(1).max(50).optional().describe("how many hits; 6 when not given"),
    since: z.string().optional().describe("not before this day, YYYY-MM-DD"),
    until: z.string().optional().describe("not after this day, YYYY-MM-DD"),
  }),
  async ({ query, limit = 6, since, until }, { memory, session }) =>
    showHits(await memory.search(query, { key: session, limit, since, until })),
);
