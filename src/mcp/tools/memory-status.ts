import type { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { isSameScope } from "../../door/check-scope.ts";
import { readOverview } from "../../door/overview.ts";
import type { McpWorld } from "../mcp-world.ts";
import { toolInput, toolOutput } from "../tool-input.ts";

const Output = z.object({
  model: z.string().nullable(),
  facts: z.number(),
  sessions: z.number(),
  messages: z.number(),
  waiting: z.number().describe("messages that no digest has seen yet"),
  held: z.number().describe("proposals that wait for a person"),
  jobs: z.object({ pending: z.number(), leased: z.number(), dead: z.number() }),
  lastRun: z.object({ at: z.string(), outcome: z.string(), session: z.string() }).nullable(),
});

/** Adds `memory_status`. */
export function addMemoryStatus(server: McpServer, { memory, session }: McpWorld): void {
  server.registerTool(
    "memory_status",
    {
      title: "Status of memory",
      description: "Tells how much is remembered, what waits to be digested, and what waits for a person's decision.",
      inputSchema: toolInput(z.object({})),
      outputSchema: toolOutput(Output),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    async () => {
      const {
        model,
        memory: known,
        sessions,
        messages,
        waiting,
        held,
        jobs,
        lastRun,
      } = await readOverview(memory, session);
      // Counts tell nothing of anyone; whose run it was does.
      const isOwn = lastRun !== null && isSameScope(memory, session, lastRun.session);
      const last = isOwn && { at: lastRun.finishedAt, outcome: lastRun.outcome, session: lastRun.session };
      const output = { model, facts: known.facts, sessions, messages, waiting, held, jobs, lastRun: last || null };
      const text = `${known.facts} facts; ${messages} messages in ${sessions} sessions, ${waiting} not digested yet; ${held} proposals for a person to decide.`;
      return { content: [{ type: "text", text }], structuredContent: output };
    },
  );
}
