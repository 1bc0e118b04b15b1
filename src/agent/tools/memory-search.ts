import { z } from "zod";
import { showHits } from "../show-hits.ts";
import { createTool } from "../tool.ts";

const PASSED_OVER = 20;

export const memorySearchTool = createTool(
  "memory_search",
  "Searches what is known from before: facts, diary, notes, and what was said in earlier conversations.",
  z.object({
    query: z.string().min(1).describe("what to look for, in words or as a question"),
    limit: z.int().min(1).max(50).optional().describe("how many hits; 6 when not given"),
    since: z.string().optional().describe("not before this day, YYYY-MM-DD"),
    until: z.string().optional().describe("not after this day, YYYY-MM-DD"),
  }),
  async ({ query, limit = 6, since, until }, { memory, session: key }) => {
    const session = await memory.session(key);
    const present = new Set(session.messages(session.cursor).map(({ id }) => id));
    const found = await memory.search(query, { key, limit: limit + PASSED_OVER, since, until });
    // What is in front of the model already, its own question above all, tells it nothing.
    const results = found.results.filter((hit) => hit.session !== key || !hit.messages.some((id) => present.has(id)));
    return showHits({ ...found, results: results.slice(0, limit) });
  },
);
