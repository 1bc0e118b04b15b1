// @module-tag stores
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, it, onTestFinished } from "vitest";
import { readKept, storeEnvironment, toArguments } from "../support/kept.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { describeMcp, expectNotifications } from "./mcp-suite.ts";
import type { Connected } from "./mcp-suite.ts";

const BIN = join(import.meta.dirname, "../../bin/tidemark.js");

/** Starts what is shipped (`npm run build` comes first) as a client would. */
async function connect(mode: "legacy" | "auto" = "legacy"): Promise<Connected> {
  const workspace = join(temporaryFolder(), "workspace");
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: toArguments([BIN, "mcp", "-w", workspace]),
    env: { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent", TZ: "UTC", ...storeEnvironment() },
    stderr: "inherit",
  });
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return { client, workspace };
}

describe("MCP over stdio", () => {
  describeMcp(() => connect());

  it("tells clients of the 2025 protocol when a resource that they subscribed to changes", async () => {
    const connected = await connect();
    await expectNotifications(connected, () =>
      connected.client.subscribeResource({ uri: "tidemark://memory/MEMORY.md" }),
    );
  });

  it("tells clients of the 2026 protocol what they listen for", async () => {
    const connected = await connect("auto");
    const filter = { resourcesListChanged: true, resourceSubscriptions: ["tidemark://memory/MEMORY.md"] };
    await expectNotifications(connected, () => connected.client.listen(filter));
  });

  it("ends when its client goes", async () => {
    const { client } = await connect();
    const { pid } = client.transport as StdioClientTransport;
    expect(pid).toBeTypeOf("number");
    await client.close();
    await expect.poll(() => isAlive(pid ?? 0), { timeout: 5000 }).toBe(false);
  });

  it("answers what was asked before its input ended", async () => {
    const workspace = join(temporaryFolder(), "workspace");
    const calls = [1, 2, 3].map((id) => ({
      id,
      method: "tools/call",
      params: { name: "remember", arguments: { fact: `Ada has a boat called Aurora ${id}.` } },
    }));
    const clientInfo = { name: "test", version: "1" };
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
    const asked = [{ id: 0, method: "initialize", params }, { method: "notifications/initialized" }, ...calls];
    const child = spawn(process.execPath, toArguments([BIN, "mcp", "-w", workspace]), {
      env: { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent", TZ: "UTC", ...storeEnvironment() },
      stdio: ["pipe", "pipe", "inherit"],
    });
    child.stdin.end(asked.map((each) => `${JSON.stringify({ jsonrpc: "2.0", ...each })}\n`).join(""));
    const [told, [code]] = await Promise.all([text(child.stdout), once(child, "exit")]);
    const answers = told.split("\n").flatMap((line) => /"id":(\d)/.exec(line)?.[1] ?? []);
    expect(answers.toSorted()).toEqual(["0", "1", "2", "3"]);
    expect(told.match(/Saved to MEMORY\.md/g)).toHaveLength(3);
    expect(await readKept(workspace, "memory/MEMORY.md")).toContain("Aurora 3");
    expect(code).toBe(0);
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
