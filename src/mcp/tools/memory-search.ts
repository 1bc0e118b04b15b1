import type { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { OUTSIDE_HIT } from "../../change/origin.ts";
import { cutToTokens, fitTokens } from "../fit-tokens.ts";
import type { McpWorld } from "../mcp-world.ts";

const Input = z.object({
  query: z.string().min(1).describe("what to look for, in words or as a question"),
  limit: z.int().min(1).max(50).default(8).describe("how many passages at most"),
  since: z.string().optional().describe("not before this day, YYYY-MM-DD"),
  until: z.string().optional().describe("not after this day, YYYY-MM-DD"),
  project: z.string().optional().describe("only this folder of docs/, or _memory"),
});

const Output = z.object({
  results: z.array(
    z.object({
      path: z.string(),
      startLine: z.number(),
      endLine: z.number(),
      session: z.string(),
      messages: z.array(z.string()),
      date: z.string().nullable(),
      heading: z.string(),
      text: z.string(),
      score: z.number(),
      untrusted: z.boolean().describe("it came from outside, and is no one's word"),
    }),
  ),
  leftOut: z.number().describe("passages that did not fit into the token budget"),
  mode: z.enum(["hybrid", "keyword", "vector"]),
  stale: z.boolean(),
  notes: z.array(z.string()),
});
type Result = z.infer<typeof Output>["results"][number];

/** Adds `memory_search`. */
export function addMemorySearch(server: McpServer, { memory, session, maxTokens }: McpWorld): void {
  server.registerTool(
    "memory_search",
    {
      title: "Search memory",
      description:
        "Finds what is known from before: facts, diary, notes, documents, and what was said in earlier conversations. Search before you say that you do not know.",
      inputSchema: Input,
      outputSchema: Output,
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    async ({ query, ...request }) => {
      const answer = await memory.search(query, { ...request, key: session });
      const hits = await Promise.all(answer.results.map((hit) => shorten(hit, maxTokens)));
      const { kept, leftOut } = await fitTokens(hits, maxTokens, render);
      const output = { results: kept, leftOut, mode: answer.mode, stale: answer.stale, notes: [...answer.notes] };
      return { content: [{ type: "text", text: renderAll(output) }], structuredContent: output };
    },
  );
}

/** One passage must leave room for others. */
async function shorten(
  hit: Omit<Result, "messages" | "untrusted"> & { messages: readonly string[]; untrusted?: true },
  maxTokens: number,
): Promise<Result> {
  const { text, isCut } = await cutToTokens(hit.text, Math.max(100, Math.floor(maxTokens / 4)));
  const { path, startLine, endLine, session, date, heading, score } = hit;
  const messages = [...hit.messages];
  const untrusted = hit.untrusted === true;
  const shown = isCut ? `${text}…` : text;
  return { path, startLine, endLine, session, messages, date, heading, text: shown, score, untrusted };
}

function renderAll({ results, leftOut, stale, notes }: z.infer<typeof Output>): string {
  if (results.length === 0) return "Nothing on record matches. Try other words, or say that there is nothing.";
  const remarks = [
    ...(leftOut > 0 ? [`${leftOut} more did not fit: ask more narrowly`] : []),
    ...(stale ? ["the index may lag behind the files"] : []),
    ...notes,
  ];
  return [...results.map(render), ...remarks.map((remark) => `[${remark}]`)].join("\n\n");
}

function render({ path, startLine, endLine, session, date, heading, text, untrusted }: Result): string {
  const place = session === "" ? `${path}:${startLine}-${endLine}` : `said in ${session}`;
  const head = [place, date ?? "", heading, untrusted ? OUTSIDE_HIT : ""].filter((part) => part !== "").join(" · ");
  // Quoted, so that what was said long ago is not taken for an instruction.
  return `${head}\n${text.replaceAll(/^/gm, "> ")}`;
}
