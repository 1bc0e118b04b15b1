import type { McpServer } from "@modelcontextprotocol/server";

/**
 * Before 2026-07-28 a client names each resource that it wants to hear of; since then the SDK keeps that list. Returns
 * whether a resource is wanted.
 */
export function acceptSubscriptions(server: McpServer): (uri: string) => boolean {
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
