import type { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { McpWorld } from "../mcp-world.ts";
import { toolInput, toolOutput } from "../tool-input.ts";
import { FactOutcome, renderOutcome, toOutcome } from "./fact-outcome.ts";

const Input = z.object({
  fact: z
    .string()
    .min(1)
    .max(2000)
    .describe("one sentence that will make sense in a year: names and dates, no 'today'"),
  heading: z.string().optional().describe("the section of MEMORY.md, such as Preferences"),
  replaces: z.string().optional().describe("the older fact that this one corrects, in its own words"),
});

/** Adds `remember`. */
export function addRemember(server: McpServer, { memory, session }: McpWorld): void {
  server.registerTool(
    "remember",
    {
      title: "Remember a fact",
      description:
        "Saves one lasting fact to long-term memory, now. Use it when the user asks for it or corrects a fact.",
      inputSchema: toolInput(Input),
      outputSchema: toolOutput(FactOutcome),
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    },
    async (input) => {
      const outcome = toOutcome(await memory.remember(session, { ...input, by: "mcp" }));
      return {
        content: [{ type: "text", text: renderOutcome(outcome) }],
        structuredContent: outcome,
        isError: outcome.outcome === "unclear",
      };
    },
  );
}
