import type { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { McpWorld } from "../mcp-world.ts";
import { toolInput } from "../tool-input.ts";

/** Adds `undo`. */
export function addUndo(server: McpServer, { memory, session }: McpWorld): void {
  server.registerTool(
    "undo",
    {
      title: "Undo the newest change of memory",
      description:
        "Takes back the newest change of long-term memory (MEMORY.md) that was not a person's own. Use it when the user says that something was remembered or forgotten by mistake.",
      inputSchema: toolInput(z.object({})),
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    },
    async () => {
      const outcome = await memory.undo({ key: session, by: "mcp" });
      if (outcome.kind === "undone") return { content: [{ type: "text", text: `Took back: ${outcome.cause}.` }] };
      const text =
        outcome.kind === "conflict"
          ? `Nothing was undone: these facts were changed since: ${outcome.facts.join("; ")}`
          : "Nothing was undone: there is nothing to undo.";
      return { content: [{ type: "text", text }], isError: true };
    },
  );
}
