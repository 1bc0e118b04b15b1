// @module-tag stores
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text as readText } from "node:stream/consumers";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { describe, expect, it, onTestFinished } from "vitest";
import { expectOneLine, runCli } from "../cli/run-cli.ts";
import { readKept, storeEnvironment, toArguments, writeKept } from "../support/kept.ts";
import { startModel } from "../support/model-server.ts";
import { temporaryFolder } from "../support/workspace.ts";

const BIN = join(import.meta.dirname, "../../bin/tidemark.js");

async function serve(args: readonly string[] = []) {
  const workspace = join(temporaryFolder(), "workspace");
  const env = { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent", TZ: "UTC", ...storeEnvironment() };
  const child = spawn(process.execPath, toArguments([BIN, "serve", "-p", "0", "-w", workspace, ...args]), { env });
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

  it("drains on a signal: what is under way is answered and stored, and each request is one line of JSON", async () => {
    let answer = (): void => undefined;
    const model = await startModel(() => new Promise((resolve) => (answer = () => resolve({ text: "late" }))));
    const folder = temporaryFolder();
    await writeKept(folder, "config.json", JSON.stringify(model.config));
    const { child, url, errors } = await serve(["--log", "json", "-w", folder, "--token", "a-s3cret-token"]);
    const post = (words: string) =>
      fetch(`${url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: "Bearer a-s3cret-token", "x-tidemark-session": "app:the-purple-elephant" },
        body: JSON.stringify({ stream: true, messages: [{ role: "user", content: words }] }),
      });
    const asked = post("Where is the elephant?");
    while (model.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    child.kill("SIGTERM");
    while ((await fetch(`${url}/readyz`)).status !== 503) await new Promise((resolve) => setTimeout(resolve, 10));
    const refused = await post("And now?");
    expect(refused.status).toBe(503);
    expect(refused.headers.get("retry-after")).toBe("1");
    answer();
    expect(await (await asked).text()).toContain("[DONE]");
    const [code] = (await once(child, "exit")) as [number | null];
    expect(code).toBe(0);
    const stored = await readKept(folder, "sessions/app_the-purple-elephant.jsonl");
    expect(stored).toContain('"late"');
    const log = await errors;
    expect(log).not.toMatch(/elephant|s3cret/);
    const lines = log
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const steps = lines.filter(({ route }) => route !== "/readyz").map(({ event, status }) => status ?? event);
    expect(steps).toEqual(["listening", "draining", 503, 200, "stopped"]);
    expect(lines.find(({ status, route }) => status === 200 && route !== "/readyz")).toMatchObject({
      level: "info",
      event: "request",
      method: "POST",
      route: "/v1/chat/completions",
      ms: expect.any(Number),
      id: expect.any(String),
    });
  });

  it("breaks off what takes longer than the drain may, and leaves all the same", async () => {
    const model = await startModel(() => ({ hang: true }));
    const folder = temporaryFolder();
    await writeKept(folder, "config.json", JSON.stringify(model.config));
    const { child, url, errors } = await serve(["-w", folder, "--drain", "1"]);
    const body = JSON.stringify({ messages: [{ role: "user", content: "Hi" }] });
    const asked = fetch(`${url}/v1/chat/completions`, { method: "POST", body });
    while (model.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    child.kill("SIGTERM");
    await expect(asked).rejects.toThrow();
    const [code] = (await once(child, "exit")) as [number | null];
    expect(code).toBe(0);
    expect(await errors).toMatch(/1 turn under way[\s\S]*1 turn broken off/);
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
