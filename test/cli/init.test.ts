import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { loadConfig } from "../../src/config.ts";
import { startModel } from "../support/model-server.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { expectOneLine, runCli, runJson } from "./run-cli.ts";
import { runMany } from "./run-in-one.ts";

const NOTHING = { code: null, stdout: "", stderr: "" };

it("makes private folders and a configuration, without a question when piped, under any umask", async () => {
  const workspace = join(temporaryFolder(), "a/b");
  const made = await runCli(["init", "-w", workspace], { umask: 0 });
  expect(made).toEqual({
    code: 0,
    stderr: "",
    stdout: `The workspace is ${workspace}\nmade: memory/, sessions/, docs/, skills/, config.json\n`,
  });
  expect(readdirSync(workspace).toSorted()).toEqual(["config.json", "docs", "memory", "sessions", "skills"]);
  expect(statSync(join(workspace, "config.json")).mode & 0o777).toBe(0o600);
  for (const folder of ["", "memory", "sessions", "docs", "skills"]) {
    expect(statSync(join(workspace, folder)).mode & 0o777).toBe(0o700);
  }
  expect(await runCli(["doctor", "-w", workspace])).toMatchObject({ code: 0 });
});

it("writes the model and where its key is looked up, never the key", async () => {
  const workspace = temporaryFolder();
  await runJson(["init", "--yes", "--model", "openai/gpt-5", "--key-variable", "MY_KEY", "-w", workspace]);
  expect(JSON.parse(readFileSync(join(workspace, "config.json"), "utf8"))).toEqual({
    agents: { defaults: { model: "openai/gpt-5" } },
    providers: { openai: { apiKey: "{env:MY_KEY}" } },
  });
  const { settings } = await runJson<{ settings: { key: string; value: unknown }[] }>(["config", "-w", workspace]);
  expect(settings).toContainEqual(expect.objectContaining({ key: "agents.defaults.model", value: "openai/gpt-5" }));
});

it("gives a workspace that is there another model, with its comments kept, and tries it", async () => {
  const workspace = temporaryFolder();
  const model = await startModel(() => ({ text: "Hello" }));
  const path = join(workspace, "config.json");
  writeFileSync(path, '{\n  // mine\n  "agents": { "defaults": { "memory_window": 40 } }, /* kept */\n}\n');
  const words = ["init", "-w", workspace, "--model", "mine/tide"];
  const [missing, given, again, other, idle] = await runMany([
    words,
    [...words, "--base-url", model.url],
    [...words, "--json"],
    ["init", "-w", workspace, "--model", "mine/other", "--no-try"],
    ["init", "-w", workspace],
  ]);
  expect(expectOneLine(missing ?? NOTHING, 1)).toContain("set one with --base-url");
  expect(given?.stdout).toContain("changed: config.json");
  expect(given?.stdout).toMatch(/mine\/tide answers \([\d.]+ s\)/);
  expect(model.requests).toHaveLength(2);
  expect(JSON.parse(again?.stdout ?? "")).toMatchObject({ changed: [], trial: { model: "mine/tide" } });
  expect(other).toMatchObject({ code: 0, stderr: "" });
  expect(idle).toMatchObject({ code: 1, stderr: expect.stringContaining("nothing to do") });
  const text = readFileSync(path, "utf8");
  expect(text).toContain("// mine");
  expect(text).toContain("/* kept */");
  expect(loadConfig(workspace)).toMatchObject({
    agents: { defaults: { model: "mine/other", memoryWindow: 40 } },
    providers: { mine: { baseUrl: model.url } },
  });
});

it("says that a model does not answer, and keeps what was set", async () => {
  const workspace = temporaryFolder();
  const [result] = await runMany([
    ["init", "--model", "mine/tide", "--base-url", "http://127.0.0.1:9/v1", "-w", workspace],
  ]);
  expect(result).toMatchObject({ code: 0, stderr: expect.stringContaining("mine/tide is set, but did not answer") });
  expect(readFileSync(join(workspace, "config.json"), "utf8")).toContain("mine/tide");
});

it("refuses a model without a provider, and a key in the place of its name, and makes nothing", async () => {
  const workspace = join(temporaryFolder(), "none");
  expect(expectOneLine(await runCli(["init", "--model", "gpt", "-w", workspace]), 1)).toContain(
    "agents.defaults.model",
  );
  const line = expectOneLine(
    await runCli(["init", "--model", "openai/gpt-5", "--key-variable", "sk-secret-1", "-w", workspace]),
    1,
  );
  expect(line).not.toContain("sk-secret-1");
  expect(existsSync(workspace)).toBe(false);
});

// util-linux's `script` gives a program a terminal.
const hasTerminal = process.platform === "linux" && existsSync("/usr/bin/script");

it.skipIf(!hasTerminal)(
  "offers what it finds, asks for the rest, and not for the workspace that -w names",
  async () => {
    const workspace = join(temporaryFolder(), "asked");
    const model = await startModel(() => ({ text: "Hello" }));
    const run = async (answers: string[]): Promise<string> => {
      const command = [process.execPath, join(import.meta.dirname, "../../bin/tidemark.js"), "init", "-w", workspace];
      const child = spawn("/usr/bin/script", ["-qec", command.join(" "), "/dev/null"], {
        env: { PATH: process.env["PATH"], HOME: "/nonexistent", OLLAMA_HOST: model.url.replace("/v1", "") },
      });
      let output = "";
      let answered = 0;
      child.stdout.on("data", (chunk: Buffer) => {
        output += chunk.toString();
        const asked = output.split("]: ").length - 1;
        if (asked > answered) child.stdin.write(`${answers[answered++] ?? ""}\n`);
      });
      await once(child, "close");
      expect(answered).toBe(answers.length);
      return output;
    };
    const offered = await run(["1"]);
    expect(offered).toContain("1  ollama/tide (Ollama on this machine)");
    expect(offered).not.toContain("Workspace [");
    expect(offered).toContain("ollama/tide answers");
    expect(JSON.parse(readFileSync(join(workspace, "config.json"), "utf8"))).toEqual({
      agents: { defaults: { model: "ollama/tide" } },
      providers: { ollama: { baseUrl: model.url } },
    });
    const named = await run(["mine/tide", model.url, "MY_KEY"]);
    expect(named).toContain("Base URL of mine");
    expect(named).toContain("the variable MY_KEY is not set");
    expect(JSON.parse(readFileSync(join(workspace, "config.json"), "utf8"))).toEqual({
      agents: { defaults: { model: "mine/tide" } },
      providers: { ollama: { baseUrl: model.url }, mine: { baseUrl: model.url, apiKey: "{env:MY_KEY}" } },
    });
  },
);
