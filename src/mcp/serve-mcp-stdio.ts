import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { McpServer } from "@modelcontextprotocol/server";
import { createMcpServer } from "./create-mcp-server.ts";
import type { McpWorld } from "./mcp-world.ts";
import { memoryFolder, resourceUri } from "./memory-resources.ts";
import { watchMemory } from "./watch-memory.ts";

/** Serves a memory over stdin and stdout until it is closed; clients are told when files change. */
export async function serveMcpStdio(
  world: McpWorld,
  onError: (error: Error) => void,
): Promise<{ close(): Promise<void> }> {
  const servers = new Map<McpServer, (uri: string) => boolean>();
  const stopWatching = await watchMemory(memoryFolder(world), ({ changed, isListChanged }) => {
    for (const [server, wants] of servers) {
      if (!server.isConnected()) continue;
      if (isListChanged) server.sendResourceListChanged();
      for (const uri of changed.map(resourceUri)) {
        if (wants(uri)) server.server.sendResourceUpdated({ uri }).catch(onError);
      }
    }
  });
  const handle = serveStdio(
    ({ era }) => {
      const server = createMcpServer(world, { canSubscribe: true });
      servers.set(server, era === "legacy" ? acceptSubscriptions(server) : () => true);
      return server;
    },
    { onerror: onError },
  );
  return {
    async close() {
      stopWatching();
      await handle.close();
    },
  };
}

/** Before 2026-07-28 a client names each resource that it wants to hear of; since then the SDK keeps that list. */
function acceptSubscriptions(server: McpServer): (uri: string) => boolean {
  const wanted = new Set<string>();
  server.server.setRequestHandler("resources/subscribe", ({ params }) => {
    wanted.add(params.uri);
    return {};
  });
  server.server.setRequestHandler("resources/unsubscribe", ({ params }) => {
    wanted.delete(params.uri);
    return {};
  });
  return (uri) => wanted.has(uri);
}
