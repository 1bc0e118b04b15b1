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

/** The servers of users who have a token of their own: each sees its own memory. */
export function createUserMcp(world: McpWorld, onError: (error: Error) => void) {
  const opened = new Map<string, Promise<McpHttp>>();
  return {
    open({ scope = world.session, canWrite }: { scope: string | undefined; canWrite: boolean }): Promise<McpHttp> {
      const name = `${canWrite ? "write" : "read"} ${scope}`;
      const known = opened.get(name) ?? openMcpHttp({ ...world, session: scope, isReadOnly: !canWrite }, onError);
      opened.set(name, known);
      return known;
    },
    async close(): Promise<void> {
      for (const each of opened.values()) await (await each).close();
    },
  };
}
