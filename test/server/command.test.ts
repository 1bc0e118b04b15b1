import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text as readText } from "node:stream/consumers";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { describe, expect, it, onTestFinished } from "vitest";
import { expectOneLine, runCli } from "../cli/run-cli.ts";
import { temporaryFolder } from "../support/workspace.ts";

const BIN = join(import.meta.dirname, "../../bin/tidemark.js");

async function serve(args: readonly string[] = []) {
  const workspace = join(temporaryFolder(), "workspace");
  const env = { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent", TZ: "UTC" };
  const child = spawn(process.execPath, [BIN, "serve", "-p", "0", "-w", workspace, ...args], { env });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [first] = (await once(child.stdout, "data")) as [Buffer];
  return { child, url: first.toString().trim(), errors: readText(child.stderr) };
}

describe("tidemark serve", () => {
  it("serves the API and MCP on the loopback, and stops on a signal", async () => {
    const { child, url, errors } = await serve();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect((await fetch(`${url}/api/status`)).status).toBe(200);
    const client = new Client({ name: "test", version: "1" });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
    expect((await client.listTools()).tools).toHaveLength(8);
    await client.close();
    child.kill("SIGTERM");
    const [code] = (await once(child, "exit")) as [number | null];
    expect(code).toBe(0);
    expect(await errors).toMatch(/stopping/);
  });

  it("asks for its token", async () => {
    const { url } = await serve(["--token", "s3cret"]);
    expect((await fetch(`${url}/api/status`)).status).toBe(401);
    expect((await fetch(`${url}/api/status`, { headers: { authorization: "Bearer s3cret" } })).status).toBe(200);
  });

  it("does not listen where others can reach it without a token", async () => {
    const line = expectOneLine(await runCli(["serve", "--host", "0.0.0.0", "-p", "0", "-w", temporaryFolder()]), 1);
    expect(line).toMatch(/needs a token/);
  });

  it.each(["65536", "99999", "-1", "http"])("does not take %s for a port", async (port) => {
    const { code, stderr } = await runCli(["serve", "-p", port, "-w", temporaryFolder()]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/--port/);
  });
});
