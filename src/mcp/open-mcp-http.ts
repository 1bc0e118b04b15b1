import { createMcpHandler } from "@modelcontextprotocol/server";
import { createMcpServer } from "./create-mcp-server.ts";
import type { McpWorld } from "./mcp-world.ts";
import { memoryFolder, resourceUri } from "./memory-resources.ts";
import { watchMemory } from "./watch-memory.ts";

/** Serves a memory over Streamable HTTP. */
export interface McpHttp {
  fetch(request: Request): Promise<Response>;
  close(): Promise<void>;
}

/** Opens the HTTP face of the MCP server; it keeps no state between requests but the open subscriptions. */
export async function openMcpHttp(world: McpWorld, onError: (error: Error) => void): Promise<McpHttp> {
  const handler = createMcpHandler(({ era }) => createMcpServer(world, { canSubscribe: era === "modern" }), {
    onerror: onError,
  });
  const stopWatching = await watchMemory(memoryFolder(world), ({ changed, isListChanged }) => {
    if (isListChanged) handler.notify.resourcesChanged();
    for (const file of changed) handler.notify.resourceUpdated(resourceUri(file));
  });
  return {
    fetch: (request) => handler.fetch(request),
    async close() {
      stopWatching();
      await handler.close();
    },
  };
}
