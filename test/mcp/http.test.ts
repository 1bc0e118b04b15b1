// @module-tag stores
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { describe, expect, it, onTestFinished } from "vitest";
import { openMcpHttp } from "../../src/mcp/open-mcp-http.ts";
import { startServer } from "../server/start-server.ts";
import { open } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { describeMcp, expectNotifications } from "./mcp-suite.ts";
import type { Connected } from "./mcp-suite.ts";

async function start(token?: string): Promise<{ url: string; workspace: string }> {
  const workspace = join(temporaryFolder(), "workspace");
  const memory = await open({ workspace });
  const errors: Error[] = [];
  const mcp = await openMcpHttp({ memory, session: "mcp:main", maxTokens: 4000, version: "1" }, (error) =>
    errors.push(error),
  );
  onTestFinished(() => mcp.close());
  return { url: await startServer(memory, { mcp: (request) => mcp.fetch(request), token }), workspace };
}

async function connect(mode: "legacy" | "auto"): Promise<Connected> {
  const { url, workspace } = await start();
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
  onTestFinished(() => client.close());
  return { client, workspace };
}

describe("MCP over Streamable HTTP, 2025 protocol", () => {
  describeMcp(() => connect("legacy"));

  it("tells clients of resources that they subscribed to", async () => {
    const connected = await connect("legacy");
    await expectNotifications(connected, () =>
      connected.client.subscribeResource({ uri: "tidemark://memory/MEMORY.md" }),
    );
  });

  it("tells a client with a session that is gone to begin anew, and serves one without any", async () => {
    const { url } = await start();
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
    const gone = await fetch(`${url}/mcp`, { method: "POST", headers: { ...headers, "mcp-session-id": "gone" }, body });
    expect(gone.status).toBe(404);
    const plain = await fetch(`${url}/mcp/`, { method: "POST", headers, body });
    expect(plain.status).toBe(200);
    expect(await plain.text()).toContain("memory_search");
  });
});

describe("MCP over Streamable HTTP, 2026 protocol", () => {
  describeMcp(() => connect("auto"));

  it("tells clients what they listen for", async () => {
    const connected = await connect("auto");
    const filter = { resourcesListChanged: true, resourceSubscriptions: ["tidemark://memory/MEMORY.md"] };
    await expectNotifications(connected, () => connected.client.listen(filter));
  });
});

describe("MCP over Streamable HTTP", () => {
  it("stands behind the server's token", async () => {
    const { url } = await start("s3cret");
    const to = new URL(`${url}/mcp`);
    const stranger = new Client({ name: "test", version: "1" });
    await expect(stranger.connect(new StreamableHTTPClientTransport(to))).rejects.toThrow();
    const client = new Client({ name: "test", version: "1" });
    await client.connect(
      new StreamableHTTPClientTransport(to, { requestInit: { headers: { authorization: "Bearer s3cret" } } }),
    );
    onTestFinished(() => client.close());
    expect((await client.listTools()).tools).toHaveLength(8);
  });
});
