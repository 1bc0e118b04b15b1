import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../support/workspace.ts";
import { expectOneLine, runCli, runJson } from "./run-cli.ts";

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

it("never overwrites what is there", async () => {
  const workspace = temporaryFolder();
  await runJson(["init", "--model", "openai/gpt-5", "-w", workspace]);
  const before = readFileSync(join(workspace, "config.json"), "utf8");
  const again = await runCli(["init", "--model", "openai/other", "-w", workspace]);
  expect(again.code).toBe(0);
  expect(again.stdout).toContain("left as it was: memory/, sessions/, docs/, skills/, config.json");
  expect(again.stderr).toContain("the configuration that is there was left as it is");
  expect(readFileSync(join(workspace, "config.json"), "utf8")).toBe(before);
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

it.skipIf(!hasTerminal)("asks three questions on a terminal, and only then makes anything", async () => {
  const workspace = join(temporaryFolder(), "asked");
  const command = [process.execPath, join(import.meta.dirname, "../../bin/tidemark.js"), "init", "-w", workspace];
  const child = spawn("/usr/bin/script", ["-qec", command.join(" "), "/dev/null"]);
  let output = "";
  const answers = ["", "openai/gpt-5", "MY_KEY"];
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString();
    const asked = output.split("]: ").length - 1;
    if (asked > 3 - answers.length) child.stdin.write(`${answers.shift()}\n`);
  });
  expect(await once(child, "close")).toEqual([0, null]);
  expect(output.split("]: ")).toHaveLength(4);
  expect(output).toContain(`The workspace is ${workspace}`);
  expect(JSON.parse(readFileSync(join(workspace, "config.json"), "utf8"))).toEqual({
    agents: { defaults: { model: "openai/gpt-5" } },
    providers: { openai: { apiKey: "{env:MY_KEY}" } },
  });
});
