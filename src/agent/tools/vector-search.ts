import { z } from "zod";
import { showHits } from "../show-hits.ts";
import { createTool } from "../tool.ts";

export const vectorSearchTool = createTool(
  "vector_search",
  "Searches the documents of a project, docs/<project>/, by meaning and by words.",
  z.object({
    query: z.string().min(1).describe("what to look for"),
    project: z.string().min(1).describe("the folder in docs/"),
    limit: z.int().min(1).max(50).optional().describe("how many hits; 6 when not given"),
  }),
  async ({ query, project, limit = 6 }, { memory, session }) =>
    showHits(await memory.search(query, { key: session, limit, project })),
);
