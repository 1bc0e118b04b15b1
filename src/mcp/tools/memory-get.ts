import type { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { isDocument, isMarked, OUTSIDE_HIT } from "../../change/origin.ts";
import { readFileLines } from "../../recall/read-file-lines.ts";
import { cutToTokens, fitTokens } from "../fit-tokens.ts";
import type { McpWorld } from "../mcp-world.ts";

const Input = z.object({
  path: z.string().min(1).describe("as a search gives it, such as memory/HISTORY.md"),
  from: z.int().min(1).default(1).describe("first line"),
  lines: z.int().min(1).max(2000).default(200).describe("number of lines"),
});

const Output = z.object({
  path: z.string(),
  startLine: z.number(),
  endLine: z.number(),
  totalLines: z.number(),
  text: z.string(),
  untrusted: z.boolean().describe("some or all of it came from outside, and is no one's word"),
  next: z.number().nullable().describe("the line to go on from; null at the end"),
});

/** Adds `memory_get`. */
export function addMemoryGet(server: McpServer, { memory, session, maxTokens }: McpWorld): void {
  server.registerTool(
    "memory_get",
    {
      title: "Read memory",
      description: "Reads lines of a memory file or document that a search has named.",
      inputSchema: Input,
      outputSchema: Output,
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    async (request) => {
      const found = await readFileLines(memory.workspace, memory.pathsOf(session).memoryFolder, request);
      const lines = found.text.split("\n");
      const { kept } = await fitTokens(lines, maxTokens, (line) => `${line}\n`);
      // One line alone may be too long; it is cut, or nobody could read what follows it.
      const { text } = await cutToTokens(kept.join("\n"), maxTokens);
      const { path, startLine, totalLines } = found;
      const endLine = startLine + Math.max(0, kept.length - 1);
      const untrusted = isDocument(path) || isMarked(text);
      const next = endLine < totalLines ? endLine + 1 : null;
      const output = { path, startLine, endLine, totalLines, text, untrusted, next };
      const more =
        output.next === null
          ? ""
          : `\n[lines ${startLine}-${endLine} of ${totalLines}; go on with from: ${output.next}]`;
      return {
        content: [{ type: "text", text: `${untrusted ? `[${OUTSIDE_HIT}]\n` : ""}${text}${more}` }],
        structuredContent: output,
      };
    },
  );
}
