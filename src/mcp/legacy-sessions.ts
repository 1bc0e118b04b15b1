import { randomUUID } from "node:crypto";
import { isInitializeRequest, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import type { McpServer } from "@modelcontextprotocol/server";
import { acceptSubscriptions } from "./accept-subscriptions.ts";
import type { MemoryChange } from "./watch-memory.ts";
import { resourceUri } from "./memory-resources.ts";

/** The connections of clients of the 2025 protocol, which hear of changes over a stream of their own. */
export interface LegacySessions {
  /** Serves a request that begins or belongs to a session; undefined for one that needs none. */
  handle(request: Request): Promise<Response | undefined>;
  tell(change: MemoryChange): void;
  close(): Promise<void>;
}

interface LegacySession {
  server: McpServer;
  transport: WebStandardStreamableHTTPServerTransport;
  wants: (uri: string) => boolean;
  usedMs: number;
  streams: number;
}

// A client that went away without a word is forgotten.
const IDLE_MS = 60 * 60 * 1000;
const MOST_LEGACY_SESSIONS = 1000;

/** Keeps the sessions of the 2025 protocol. */
export function createLegacySessions(
  createServer: () => McpServer,
  onError: (error: Error) => void,
  now: () => number = Date.now,
): LegacySessions {
  const sessions = new Map<string, LegacySession>();
  const end = async (id: string): Promise<void> => {
    const session = sessions.get(id);
    sessions.delete(id);
    await session?.server.close();
  };
  const sweep = async (): Promise<void> => {
    const idle = [...sessions].filter(([, { usedMs, streams }]) => streams === 0 && now() - usedMs > IDLE_MS);
    const oldest = [...sessions].toSorted(([, one], [, other]) => one.usedMs - other.usedMs);
    const tooMany = oldest.slice(0, Math.max(0, sessions.size + 1 - MOST_LEGACY_SESSIONS));
    for (const [id] of [...idle, ...tooMany]) await end(id);
  };
  const begin = async (request: Request): Promise<Response> => {
    await sweep();
    const server = createServer();
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => {
        sessions.set(id, { server, transport, wants: acceptSubscriptions(server), usedMs: now(), streams: 0 });
      },
      onsessionclosed: (id) => void sessions.delete(id),
    });
    await server.connect(transport);
    return transport.handleRequest(request);
  };
  return {
    async handle(request) {
      const id = request.headers.get("mcp-session-id");
      if (id === null) return (await isBeginning(request)) ? begin(request) : undefined;
      const session = sessions.get(id);
      if (session === undefined) return gone();
      session.usedMs = now();
      if (request.method !== "GET") return session.transport.handleRequest(request);
      session.streams += 1;
      request.signal.addEventListener("abort", () => (session.streams -= 1), { once: true });
      return session.transport.handleRequest(request);
    },
    tell({ changed, isListChanged }) {
      for (const { server, wants } of sessions.values()) {
        if (isListChanged) server.sendResourceListChanged();
        for (const uri of changed.map(resourceUri)) {
          if (wants(uri)) server.server.sendResourceUpdated({ uri }).catch(onError);
        }
      }
    },
    async close() {
      await Promise.all([...sessions.keys()].map(end));
    },
  };
}

async function isBeginning(request: Request): Promise<boolean> {
  if (request.method !== "POST") return false;
  try {
    const body: unknown = await request.clone().json();
    return (Array.isArray(body) ? body : [body]).some((message) => isInitializeRequest(message));
  } catch (error) {
    // What is not JSON is answered by the handler.
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

/** The client is to begin anew. */
function gone(): Response {
  const error = { code: -32_001, message: "There is no such session; initialize again" };
  return Response.json({ jsonrpc: "2.0", error, id: null }, { status: 404 });
}
