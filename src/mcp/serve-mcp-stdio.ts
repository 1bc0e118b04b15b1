import { PassThrough } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import type { McpServer } from "@modelcontextprotocol/server";
import { acceptSubscriptions } from "./accept-subscriptions.ts";
import { createMcpServer } from "./create-mcp-server.ts";
import type { McpSetup } from "./mcp-setup.ts";
import { memoryFolder, resourceUri } from "./memory-resources.ts";
import { watchAnswers } from "./watch-answers.ts";
import { watchMemory } from "./watch-memory.ts";

/** A memory that is served over stdin and stdout. */
export interface McpStdio {
  /** Waits until what was asked is answered, for so long at most. */
  finish(waitMs: number): Promise<void>;
  close(): Promise<void>;
}

/** Serves a memory over stdin and stdout until it is closed; clients are told when files change. */
export async function serveMcpStdio(setup: McpSetup, onError: (error: Error) => void): Promise<McpStdio> {
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
  // The transport throws away what is under way when its input ends; this one ends when we say so.
  const input = new PassThrough();
  const wire = new StdioServerTransport(input, process.stdout);
  const handle = serveStdio(
    ({ era }) => {
      const server = createMcpServer(setup, { canSubscribe: true });
      servers.set(server, era === "legacy" ? acceptSubscriptions(server) : () => true);
      return server;
    },
    { onerror: onError, transport: wire },
  );
  const answered = watchAnswers(wire);
  process.stdin.pipe(input, { end: false });
  return {
    async finish(waitMs) {
      while (input.readableLength + input.writableLength > 0 && !input.isPaused()) await setImmediate();
      await answered(waitMs);
    },
    async close() {
      stopWatching();
      process.stdin.unpipe(input).pause();
      await handle.close();
    },
  };
}
