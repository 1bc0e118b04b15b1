import { spawn } from "node:child_process";
import { existsSync, readFileSync, readdirSync, writeFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startModel } from "../support/model-server.ts";
import type { ModelServer, Script } from "../support/model-server.ts";
import { findIllegal } from "../support/strict-provider.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { runCli } from "./run-cli.ts";

/** A workspace whose configuration leads to a scripted model. */
async function workspaceWith(
  script: Script,
  more: Record<string, unknown> = {},
): Promise<{ workspace: string; model: ModelServer }> {
  const workspace = join(temporaryFolder(), "workspace");
  const model = await startModel(script);
  mkdirSync(workspace);
  writeFileSync(join(workspace, "config.json"), JSON.stringify({ ...model.config, ...more }));
  return { workspace, model };
}

describe("tidemark chat, piped", () => {
  it("answers from memory with no model and no key", async () => {
    const workspace = join(temporaryFolder(), "made/by/itself");
    // The digest of what was said comes in the background; a chat that ends has finished it.
    const first = await runCli(["chat", "-w", workspace], { input: "I live in Lisbon\n/new\n" });
    const { code, stdout, stderr } = await runCli(["chat", "-w", workspace], { input: "where do I live?\n" });
    expect([first.code, code]).toEqual([0, 0]);
    expect(stdout).toMatch(/I live in Lisbon\n {2}\(said in cli:main /);
    expect(stderr.match(/No model is configured/g)).toHaveLength(1);
    expect(stdout).not.toContain("\u001B");
  });

  it("takes lines as turns, in order, and leaves notices to stderr", async () => {
    const { workspace, model } = await workspaceWith((_, index) =>
      index === 0 ? { call: "remember", arguments: { fact: "User sails" } } : { text: `answer **${index}**` },
    );
    const { code, stdout, stderr } = await runCli(["chat", "-w", workspace], {
      input: "I sail\n\nsecond\n/memory\n/quit\nnever asked\n",
    });
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout:
        "answer **1**\nanswer **2**\n# Memory\n\n## Facts\n\n- User sails\n\n(memory/MEMORY.md; edit it as you like)\nBye.\n",
    });
    expect(stderr).toContain('→ remember {"fact":"User sails"}');
    expect(model.requests).toHaveLength(3);
  });

  it("prints one JSON object a line with --json", async () => {
    const { workspace } = await workspaceWith((_, index) =>
      index === 0 ? { call: "list_dir", arguments: {} } : { text: "done" },
    );
    const { stdout } = await runCli(["chat", "--json", "-s", "bot:7", "-w", workspace], { input: "look\n/nwe\n" });
    const lines = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines).toMatchObject([
      { type: "tool", phase: "begin", name: "list_dir" },
      { type: "tool", phase: "end", name: "list_dir", isError: false },
      { type: "turn", session: "bot:7", kind: "answer", text: "done", rounds: 2, notices: [] },
      { type: "turn", kind: "command", isError: true, text: expect.stringContaining("/new") },
    ]);
    expect(existsSync(join(workspace, "sessions/bot_7.jsonl"))).toBe(true);
  });
});

describe("tidemark chat -m", () => {
  it("is one turn", async () => {
    const { workspace } = await workspaceWith(() => ({ text: "Hello." }));
    expect(await runCli(["chat", "-m", "hi", "-w", workspace])).toEqual({ code: 0, stdout: "Hello.\n", stderr: "" });
  });

  it("fails with one line when the provider does, and stores no answer", async () => {
    const { workspace } = await workspaceWith(() => ({ status: 401, body: { error: { message: "bad key" } } }));
    const { code, stdout, stderr } = await runCli(["chat", "-m", "hi", "-w", workspace]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^tidemark: scripted\/tide: .*bad key.*\n$/);
    const stored = readFileSync(join(workspace, "sessions/cli_main.jsonl"), "utf8");
    expect(stored).toContain('"hi"');
    expect(stored).not.toContain("assistant");
  });

  it("says (not saved) when the model only promises", async () => {
    const { workspace } = await workspaceWith(() => ({ text: "I'll remember that." }));
    const { stdout, stderr } = await runCli(["chat", "-m", "I like tea", "-w", workspace]);
    expect(stdout).toBe("I'll remember that.\n");
    expect(stderr).toContain("(not saved)");
  });

  it("tells when memory changed, and waits for it only as long as a model may take", async () => {
    const { workspace, model } = await workspaceWith(
      (request) =>
        request.tools?.[0]?.function.name === "save_memory"
          ? {
              call: "save_memory",
              arguments: {
                history_entry: "[2026-11-15 09:00] Talk.",
                memory_update: "# Memory\n\n- User sails\n- User reads\n",
              },
            }
          : { text: "ok" },
      { agents: { defaults: { model: "scripted/tide", memoryWindow: 4 } }, consolidation: { timeoutSeconds: 2 } },
    );
    await runCli(["chat", "-m", "one", "-w", workspace]);
    const { stderr } = await runCli(["chat", "-m", "two", "-w", workspace]);
    expect(stderr).toContain("memory: 2 unproven: nothing said supports them, /undo");
    model.script = (request) => (request.tools?.[0]?.function.name === "save_memory" ? { hang: true } : { text: "ok" });
    await runCli(["chat", "-m", "three", "-w", workspace]);
    const last = await runCli(["chat", "-m", "four", "-w", workspace]);
    expect(last).toMatchObject({ code: 0, stdout: "ok\n" });
  });

  it("keeps the words when it is killed in mid-turn, and goes on afterwards", async () => {
    const { workspace, model } = await workspaceWith(() => ({ hang: true }));
    const child = spawn(process.execPath, ["bin/tidemark.js", "chat", "-m", "precious words", "-w", workspace], {
      cwd: join(import.meta.dirname, "../.."),
      stdio: "ignore",
    });
    while (model.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    child.kill("SIGKILL");
    await new Promise((resolve) => child.on("close", resolve));
    expect(readFileSync(join(workspace, "sessions/cli_main.jsonl"), "utf8")).toContain("precious words");
    model.script = () => ({ text: "back" });
    expect(await runCli(["chat", "-m", "hello?", "-w", workspace])).toMatchObject({ code: 0, stdout: "back\n" });
    expect(JSON.stringify(model.requests.at(-1))).toContain("precious words");
  });

  it("does not run again what was finished when it is killed between two results", async () => {
    const { workspace, model } = await workspaceWith(() => ({
      calls: [
        { name: "write_file", arguments: { path: "notes/a.md", content: "once" } },
        { name: "exec", arguments: { command: "tail -f notes/a.md" } },
      ],
    }));
    const child = spawn(process.execPath, ["bin/tidemark.js", "chat", "-m", "write", "-w", workspace], {
      cwd: join(import.meta.dirname, "../.."),
      stdio: "ignore",
    });
    const log = join(workspace, "sessions/cli_main.jsonl");
    while (!existsSync(log) || !readFileSync(log, "utf8").includes("Wrote 4 characters")) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    child.kill("SIGKILL");
    await new Promise((resolve) => child.on("close", resolve));
    model.script = () => ({ text: "back" });
    expect(await runCli(["chat", "-m", "hello?", "-w", workspace])).toMatchObject({ code: 0, stdout: "back\n" });
    const sent = model.requests.at(-1)!.messages.filter(({ role }) => role !== "system");
    expect(findIllegal(sent)).toBeUndefined();
    const results = sent.filter(({ role }) => role === "tool").map(({ content }) => content);
    expect(results).toEqual([
      expect.stringContaining("Wrote 4 characters"),
      expect.stringContaining("may or may not have taken effect"),
    ]);
  });

  it("keeps what was said when it is interrupted", async () => {
    const { workspace, model } = await workspaceWith((_, index) =>
      index === 0 ? { call: "list_dir", arguments: {}, text: "Let me look." } : { hang: true },
    );
    const child = spawn(process.execPath, ["bin/tidemark.js", "chat", "-m", "look", "-w", workspace], {
      cwd: join(import.meta.dirname, "../.."),
      stdio: "ignore",
    });
    while (model.requests.length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
    child.kill("SIGINT");
    expect(await new Promise((resolve) => child.on("close", resolve))).toBe(130);
    expect(readFileSync(join(workspace, "sessions/cli_main.jsonl"), "utf8")).toContain("Let me look.");
  });

  it("makes private files, under any umask", async () => {
    const { workspace } = await workspaceWith(() => ({
      call: "write_file",
      arguments: { path: "notes/a.md", content: "x" },
    }));
    await runCli(["chat", "-m", "write", "-w", workspace], { umask: 0 });
    const { statSync } = await import("node:fs");
    const walk = (folder: string): string[] =>
      readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
        const path = join(folder, entry.name);
        return entry.isDirectory() ? [path, ...walk(path)] : [path];
      });
    for (const path of walk(workspace)) {
      if (path.endsWith("config.json")) continue;
      const stat = statSync(path);
      expect(`${path} ${(stat.mode & 0o777).toString(8)}`).toBe(`${path} ${stat.isDirectory() ? "700" : "600"}`);
    }
  });
});

describe("tidemark status", () => {
  it("shows what of the prompts was stable, also from one process to the next", async () => {
    const usage = { prompt_tokens: 100, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 60 } };
    const { workspace } = await workspaceWith(() => ({ text: "ok", usage }));
    for (const words of ["one", "two", "three"]) await runCli(["chat", "-m", words, "-w", workspace]);
    const { stdout } = await runCli(["status", "-w", workspace]);
    expect(stdout).toContain("100.0 % stable over 3 requests, 180 of 300 tokens cached by the provider");
  });
});
