import type { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { checkScope } from "../../door/check-scope.ts";
import { appendNew } from "../../door/append-new.ts";
import type { McpWorld } from "../mcp-world.ts";

const Input = z.object({
  messages: z
    .array(
      z.object({
        role: z.enum(["user", "assistant", "tool", "system"]),
        content: z.string(),
        name: z.string().optional().describe("who said it; of a tool's result, the tool"),
        origin: z.literal("untrusted").optional().describe("it came from outside: a page, a mail, a pasted text"),
        id: z.string().min(1).optional().describe("a message with an id that is known already is not stored again"),
      }),
    )
    .min(1)
    .max(200),
  session: z.string().min(1).optional().describe("a key such as cursor:project; the server's own when not given"),
});

const Output = z.object({ session: z.string(), stored: z.number(), known: z.number(), length: z.number() });

/** Adds `session_append`. */
export function addSessionAppend(server: McpServer, world: McpWorld): void {
  server.registerTool(
    "session_append",
    {
      title: "Record what was said",
      description:
        "Stores messages of a conversation word for word, so that they can be found later and are digested into memory. Use it at the end of a turn that is worth keeping.",
      inputSchema: Input,
      outputSchema: Output,
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
    },
    async ({ messages, session: key = world.session }) => {
      checkScope(world.memory, world.session, key);
      const { stored, known, length } = await appendNew(world.memory, key, messages);
      const output = { session: key, stored: stored.length, known, length };
      return {
        content: [{ type: "text", text: `${output.stored} messages stored in ${key}, which holds ${output.length}.` }],
        structuredContent: output,
      };
    },
  );
}
