import type { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Hit } from "../../recall/recall.ts";
import { MORE_GATHERED, tellingHits } from "../../door/telling-hits.ts";
import { cutToTokens, fitTokens } from "../fit-tokens.ts";
import type { McpWorld } from "../mcp-world.ts";
import { toolInput } from "../tool-input.ts";

const Input = z.object({
  query: z.string().min(1).describe("what to look for, in words or as a question"),
  limit: z.int().min(1).max(50).default(8).describe("how many passages at most"),
  since: z.string().optional().describe("not before this day, YYYY-MM-DD"),
  until: z.string().optional().describe("not after this day, YYYY-MM-DD"),
  project: z.string().optional().describe("only this folder of docs/, or _memory"),
});

interface Shown {
  results: Result[];
  /** Passages that did not fit into the token budget. */
  leftOut: number;
  stale: boolean;
  notes: readonly string[];
}
type Result = Pick<Hit, "path" | "startLine" | "endLine" | "session" | "date" | "heading" | "text">;

/** Adds `memory_search`. */
export function addMemorySearch(server: McpServer, { memory, session, maxTokens }: McpWorld): void {
  server.registerTool(
    "memory_search",
    {
      title: "Search memory",
      description:
        "Finds what is known from before: facts, diary, notes, documents, and what was said in earlier conversations. Search before you say that you do not know.",
      inputSchema: toolInput(Input),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    async ({ query, ...request }) => {
      const answer = await memory.search(query, { ...request, key: session, limit: request.limit + MORE_GATHERED });
      const telling = tellingHits(query, answer.results).slice(0, request.limit);
      const hits = await Promise.all(telling.map((hit) => shorten(hit, maxTokens)));
      const { kept, leftOut } = await fitTokens(hits, maxTokens, render);
      // Once, as text: clients that also got it as data showed both to their model.
      return {
        content: [
          { type: "text", text: renderAll({ results: kept, leftOut, stale: answer.stale, notes: answer.notes }) },
        ],
      };
    },
  );
}

/** One passage must leave room for others. */
async function shorten(hit: Result, maxTokens: number): Promise<Result> {
  const { text, isCut } = await cutToTokens(hit.text, Math.max(100, Math.floor(maxTokens / 4)));
  return isCut ? { ...hit, text: `${text}…` } : hit;
}

function renderAll({ results, leftOut, stale, notes }: Shown): string {
  if (results.length === 0) return "Nothing on record matches. Try other words, or say that there is nothing.";
  const remarks = [
    ...(leftOut > 0 ? [`${leftOut} more did not fit: ask more narrowly`] : []),
    ...(stale ? ["the index may lag behind the files"] : []),
    ...notes,
  ];
  return [...results.map(render), ...remarks.map((remark) => `[${remark}]`)].join("\n\n");
}

function render({ path, startLine, endLine, session, date, heading, text }: Result): string {
  const place = `${path}:${startLine}-${endLine}`;
  const head = [place, session === "" ? "" : `said in ${session}`, date ?? "", heading]
    .filter((part) => part !== "")
    .join(" · ");
  // Quoted, so that what was said long ago is not taken for an instruction.
  return `${head}\n${text.replaceAll(/^/gm, "> ")}`;
}
