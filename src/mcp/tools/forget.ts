import type { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { McpWorld } from "../mcp-world.ts";
import { toolInput, toolOutput } from "../tool-input.ts";
import { FactOutcome, renderOutcome, toOutcome } from "./fact-outcome.ts";

const Input = z.object({ fact: z.string().min(1).describe("the fact, in its own words as far as you know them") });

/** Adds `forget`. */
export function addForget(server: McpServer, { memory, session }: McpWorld): void {
  server.registerTool(
    "forget",
    {
      title: "Forget a fact",
      description:
        "Takes one fact out of long-term memory (MEMORY.md), now. Use it when the user asks for it. What was said in conversations stays on record.",
      inputSchema: toolInput(Input),
      outputSchema: toolOutput(FactOutcome),
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    },
    async ({ fact }) => {
      const outcome = toOutcome(await memory.retire(session, fact, "mcp"));
      return {
        content: [{ type: "text", text: renderOutcome(outcome) }],
        structuredContent: outcome,
        isError: outcome.outcome === "unclear",
      };
    },
  );
}
