import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { McpServer } from "@modelcontextprotocol/server";
import { acceptSubscriptions } from "./accept-subscriptions.ts";
import { createMcpServer } from "./create-mcp-server.ts";
import type { McpSetup } from "./mcp-setup.ts";
import { memoryFolder, resourceUri } from "./memory-resources.ts";
import { watchMemory } from "./watch-memory.ts";

/** Serves a memory over stdin and stdout until it is closed; clients are told when files change. */
export async function serveMcpStdio(
  setup: McpSetup,
  onError: (error: Error) => void,
): Promise<{ close(): Promise<void> }> {
  const servers = new Map<McpServer, (uri: string) => boolean>();
  const stopWatching = await watchMemory(
    setup.memory.store.documents,
    memoryFolder(setup),
    ({ changed, isListChanged }) => {
      for (const [server, wants] of servers) {
        if (!server.isConnected()) continue;
        if (isListChanged) server.sendResourceListChanged();
        for (const uri of changed.map(resourceUri)) {
          if (wants(uri)) server.server.sendResourceUpdated({ uri }).catch(onError);
        }
      }
    },
  );
  const handle = serveStdio(
    ({ era }) => {
      const server = createMcpServer(setup, { canSubscribe: true });
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
