import { basename } from "node:path";
import type { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { checkScope } from "../../door/check-scope.ts";
import type { McpWorld } from "../mcp-world.ts";
import { toolInput, toolOutput } from "../tool-input.ts";

const Input = z.object({ session: z.string().min(1).optional().describe("the server's own when not given") });
const Output = z.object({ session: z.string(), archive: z.string().nullable() });

/** Adds `session_new`. */
export function addSessionNew(server: McpServer, world: McpWorld): void {
  server.registerTool(
    "session_new",
    {
      title: "Begin a new session",
      description:
        "Ends a session and begins an empty one. What was said is kept in the archive and digested into memory.",
      inputSchema: toolInput(Input),
      outputSchema: toolOutput(Output),
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
    },
    async ({ session: key = world.session }) => {
      checkScope(world.memory, world.session, key);
      const { archive } = await world.memory.startNew(key);
      const output = { session: key, archive: archive === undefined ? null : `sessions/archive/${basename(archive)}` };
      const text =
        output.archive === null ? `${key} was empty already.` : `${key} begins anew; before it: ${output.archive}.`;
      return { content: [{ type: "text", text }], structuredContent: output };
    },
  );
}
