import type { McpServer } from "@modelcontextprotocol/server";
import type { Verb } from "../door/verb.ts";
import type { McpSetup } from "./mcp-setup.ts";
import { toolInput, toolOutput } from "./tool-input.ts";

/** Adds a verb of memory as a tool. */
export function addVerb(server: McpServer, verb: Verb, { memory, session, maxTokens }: McpSetup): void {
  const { name, title, description, input, output, effect, isIdempotent = false } = verb;
  const annotations =
    effect === "reads"
      ? { readOnlyHint: true, openWorldHint: false }
      : {
          readOnlyHint: false,
          destructiveHint: effect === "takes",
          idempotentHint: isIdempotent,
          openWorldHint: false,
        };
  const about = { title, description, inputSchema: toolInput(input), annotations };
  const run = async (given: unknown) => {
    const told = await verb.run(given, { memory, session, by: "mcp", maxTokens, readsTalk: true });
    const content = [{ type: "text" as const, text: told.text }];
    // Long results come once, as text: clients that also got them as data showed both to their model.
    const data = output?.safeParse(told.value).data;
    return { content, isError: told.isRefused === true, ...(data === undefined ? {} : { structuredContent: data }) };
  };
  if (output === undefined) server.registerTool(name, about, run);
  else server.registerTool(name, { ...about, outputSchema: toolOutput(output) }, run);
}
