import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { startModel } from "../support/model-server.ts";
import type { Reply } from "../support/model-server.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { expectOneLine, runCli } from "./run-cli.ts";

const BIN = join(import.meta.dirname, "../../bin/tidemark.js");

/** A port that another program has. */
async function takenPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** A port that nothing listens on. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function workspaceWith(config: object): string {
  const workspace = temporaryFolder();
  writeFileSync(join(workspace, "config.json"), JSON.stringify(config), { mode: 0o600 });
  return workspace;
}

describe("a failure of the system is told in our words", () => {
  it("where a part of the path is a file", async () => {
    const file = join(temporaryFolder(), "file");
    writeFileSync(file, "");
    const inside = join(file, "inside");
    for (const words of [
      ["chat", "-m", "hi", "-w", inside],
      ["remember", "Ada sails.", "-w", inside],
      ["serve", "-p", "0", "-w", inside],
      ["init", "--yes", "--no-try", "-w", inside],
      ["doctor", "-w", inside],
      ["export", inside, "-w", temporaryFolder()],
    ])
      expect(expectOneLine(await runCli(words), 1)).toMatch(/is a file and not a folder \(ENOTDIR\)\n$/);
  });

  it("where a folder is given for a file, or nothing is there", async () => {
    const folder = temporaryFolder();
    const ask = (path: string) => runCli(["search", "--queries", path, "-w", folder]);
    expect(expectOneLine(await ask(folder), 1)).toMatch(/is a folder and not a file \(EISDIR\)/);
    expect(expectOneLine(await ask(join(folder, "none")), 1)).toMatch(/none is not there \(ENOENT\)/);
  });

  it("where a port is taken", async () => {
    const port = String(await takenPort());
    for (const command of [["serve"], ["ui", "--no-open"]]) {
      const line = expectOneLine(await runCli([...command, "-p", port, "-w", temporaryFolder()]), 1);
      expect(line).toContain(`127.0.0.1:${port} is taken by another program; choose another port (--port`);
    }
  });

  it("where there is no permission", () => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o500);
    // Root may do everything, so that someone else has to try.
    const who = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    const words = [BIN, "remember", "Ada sails.", "-w", join(folder, "inside")];
    const env = { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent" };
    const { status, stderr } = spawnSync(process.execPath, words, { ...who, cwd: "/", env, encoding: "utf8" });
    expect(stderr).toMatch(/no permission for .*inside.*; look at its owner and its mode \(EACCES\)\n$/);
    expect(status).toBe(1);
  });

  it.skipIf(process.platform !== "linux")("and ends where no folder can ever be made", async () => {
    for (const place of ["/proc/x", "/proc"]) {
      const words = ["chat", "-m", "hi", "-w", place];
      expect(expectOneLine(await runCli(words), 1)).toMatch(/no folder can be made at \/proc\//);
    }
  });
});

describe("a model that does not answer is told with the fix", () => {
  const ask = async (reply: Reply) => {
    const { config } = await startModel(() => reply);
    const { code, stderr } = await runCli(["chat", "-m", "hi", "-w", workspaceWith(config)]);
    expect(code).toBe(1);
    return stderr.split("\n")[0];
  };

  it("that sends a web page", async () => {
    expect(await ask({ html: "<!doctype html><p>Welcome" })).toMatch(
      /^tidemark: scripted\/tide: http:.* answered with a web page \(HTTP 200\); .*baseUrl right\? It usually ends in \/v1$/,
    );
  });

  it("that refuses the key, or does not know the model", async () => {
    expect(await ask({ status: 401, body: { error: { message: "no" } } })).toMatch(/no \(HTTP 401\); check the key/);
    expect(await ask({ status: 404, body: { error: { message: "no" } } })).toMatch(
      /\(HTTP 404\); check the model's name/,
    );
  });

  it("that is not there", async () => {
    const port = await freePort();
    const providers = { ollama: { baseUrl: `http://127.0.0.1:${port}/v1` } };
    const workspace = workspaceWith({ agents: { defaults: { model: "ollama/qwen3" } }, providers });
    const { stderr } = await runCli(["chat", "-m", "hi", "-w", workspace]);
    expect(stderr).toContain(
      `tidemark: ollama/qwen3: nothing answers at 127.0.0.1:${port} (ECONNREFUSED); start the server, or correct providers.ollama.baseUrl`,
    );
    expect(stderr).not.toContain("key");
    const { stdout } = await runCli(["doctor", "-w", workspace]);
    expect(stdout).toMatch(/wrong {2}model: ollama\/qwen3: nothing answers .*; fix: tidemark models/);
  });
});

describe("a value that does not fit is told in our words", () => {
  it.each([
    [["tool", "memory_search", '{"query": 3}'], "query must be a text"],
    [["tool", "memory_search", "{}"], "query is missing"],
    [["tool", "memory_search", '{"query": "x", "limit": 900}'], "limit must be at most 50"],
    [["tool", "memory_search", '{"query": "x", "limit": 1.5}'], "limit must be a whole number"],
    [["config", "set", "providers.x.wire", "nope"], 'providers.x.wire must be "'],
    [["config", "set", "spend.tokensPerDay", "-5"], "spend.tokensPerDay must be at least 1"],
  ])("%j", async (words, reason) => {
    const workspace = workspaceWith({});
    const { code, stdout, stderr } = await runCli([...words, "-w", workspace]);
    expect(code).toBe(1);
    expect(`${stdout}${stderr}`).toContain(reason);
    expect(`${stdout}${stderr}`).not.toMatch(/Invalid|received|expected/);
  });

  it("in a file of tokens, without the tokens themselves", async () => {
    const path = join(temporaryFolder(), "tokens.json");
    writeFileSync(path, '{"a-s3cret": 3}', { mode: 0o600 });
    const line = expectOneLine(await runCli(["serve", "--tokens", path, "-w", temporaryFolder()]), 1);
    expect(line).toMatch(/cannot be used: what a token opens must be an object\n$/);
  });
});

describe("what is left out is said", () => {
  it("of documents that are not text, by index, doctor, and a search that finds nothing sure", async () => {
    const workspace = workspaceWith({});
    mkdirSync(join(workspace, "docs/plans"), { recursive: true, mode: 0o700 });
    for (const name of ["plans/harbour.pdf", "boat.docx", "notes.md"])
      writeFileSync(join(workspace, "docs", name), "The mooring costs 40 euros.", { mode: 0o600 });
    const told = /docs\/boat\.docx and 1 other file are not searched: only text is .*pdftotext/;
    expect((await runCli(["index", "-w", workspace])).stderr).toMatch(told);
    expect((await runCli(["doctor", "-w", workspace])).stdout).toMatch(told);
    expect((await runCli(["search", "unicycles", "-w", workspace])).stderr).toMatch(told);
    expect((await runCli(["search", "mooring costs", "-w", workspace])).stderr).toBe("");
  });

  it("and a test without expectations fails", async () => {
    const { code, stdout } = await runCli(["test", "-w", workspaceWith({})]);
    expect(code).toBe(1);
    expect(stdout).toContain("memory/expect.yaml");
  });
});
