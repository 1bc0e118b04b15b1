import type { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { readNamed } from "../../door/read-named.ts";
import { cutToTokens, fitTokens } from "../fit-tokens.ts";
import type { McpWorld } from "../mcp-world.ts";
import { toolInput } from "../tool-input.ts";

const Input = z.object({
  path: z.string().min(1).describe("as a search gives it, such as memory/HISTORY.md or memory/HISTORY.md:12-14"),
  from: z.int().min(1).default(1).describe("first line"),
  lines: z.int().min(1).max(2000).default(200).describe("number of lines"),
});

/** Adds `memory_get`. */
export function addMemoryGet(server: McpServer, { memory, session, maxTokens }: McpWorld): void {
  server.registerTool(
    "memory_get",
    {
      title: "Read memory",
      description: "Reads lines of a memory file, document or conversation that a search has named.",
      inputSchema: toolInput(Input),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    async (request) => {
      const found = await readNamed(memory, session, request);
      const lines = found.text.split("\n");
      const { kept } = await fitTokens(lines, maxTokens, (line) => `${line}\n`);
      // One line alone may be too long; it is cut, or nobody could read what follows it.
      const { text } = await cutToTokens(kept.join("\n"), maxTokens);
      const { startLine, totalLines } = found;
      const endLine = startLine + Math.max(0, kept.length - 1);
      const isAll = endLine >= totalLines;
      const more = isAll ? "" : `\n[lines ${startLine}-${endLine} of ${totalLines}; go on with from: ${endLine + 1}]`;
      return { content: [{ type: "text", text: `${text}${more}` }] };
    },
  );
}
