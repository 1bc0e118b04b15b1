import { createMcpHandler, isLegacyRequest } from "@modelcontextprotocol/server";
import { createMcpServer } from "./create-mcp-server.ts";
import { createLegacySessions } from "./legacy-sessions.ts";
import type { McpSetup } from "./mcp-setup.ts";
import { memoryFolder, resourceUri } from "./memory-resources.ts";
import { openOnce } from "../open-once.ts";
import type { Opening } from "../open-once.ts";
import { watchMemory } from "./watch-memory.ts";

/** Serves a memory over Streamable HTTP. */
export interface McpHttp {
  fetch(request: Request): Promise<Response>;
  close(): Promise<void>;
}

/**
 * Opens the HTTP face of the MCP server. A client of the 2025 protocol that begins with a handshake has a session, which
 * tells it of changes; one that asks without is answered all the same. Since 2026 there is nothing to keep but the open
 * subscriptions.
 */
export async function openMcpHttp(setup: McpSetup, onError: (error: Error) => void): Promise<McpHttp> {
  const handler = createMcpHandler(({ era }) => createMcpServer(setup, { canSubscribe: era === "modern" }), {
    onerror: onError,
  });
  const legacy = createLegacySessions(() => createMcpServer(setup, { canSubscribe: true }), onError);
  const stopWatching = await watchMemory(setup.memory.store.documents, memoryFolder(setup), (change) => {
    if (change.isListChanged) handler.notify.resourcesChanged();
    for (const file of change.changed) handler.notify.resourceUpdated(resourceUri(file));
    legacy.tell(change);
  });
  return {
    async fetch(request) {
      const isOfSession = request.headers.has("mcp-session-id") || (await isLegacyRequest(request));
      return (isOfSession ? await legacy.handle(request) : undefined) ?? handler.fetch(request);
    },
    async close() {
      stopWatching();
      await legacy.close();
      await handler.close();
    },
  };
}

/** The servers of users who have a token of their own: each sees its own memory. */
export function createUserMcp(setup: McpSetup, onError: (error: Error) => void) {
  const opened = new Map<string, Opening<McpHttp>>();
  return {
    open({ scope = setup.session, canWrite }: { scope: string | undefined; canWrite: boolean }): Promise<McpHttp> {
      const name = `${canWrite ? "write" : "read"} ${scope}`;
      const opening =
        opened.get(name) ?? openOnce(() => openMcpHttp({ ...setup, session: scope, isReadOnly: !canWrite }, onError));
      opened.set(name, opening);
      return opening.get();
    },
    async close(): Promise<void> {
      for (const each of opened.values()) await (await each.take())?.close();
    },
  };
}
