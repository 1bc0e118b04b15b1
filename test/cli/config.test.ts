import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../support/workspace.ts";
import { runCli, runJson } from "./run-cli.ts";

interface Shown {
  file: string | null;
  config: { agents: { defaults: { memoryWindow: number } }; tools: { exec: { allow: string[] } } };
  settings: { key: string; value: unknown; source: string; meaning: string }[];
}

it("prints every default, and says that it is one", async () => {
  const { file, config, settings } = await runJson<Shown>(["config", "-w", temporaryFolder()]);
  expect(file).toBeNull();
  expect(config.agents.defaults.memoryWindow).toBe(100);
  const values = Object.fromEntries(settings.map(({ key, value }) => [key, value]));
  // The table of defaults that the design promises.
  expect(values).toMatchObject({
    "agents.defaults.model": null,
    "agents.defaults.profile": "nanobot",
    "agents.defaults.keep": "half",
    "agents.defaults.contextWindowTokens": 65_536,
    "agents.defaults.maxTokens": 8192,
    "agents.defaults.maxToolIterations": 40,
    "consolidation.unproven": "keep",
    "consolidation.maxLoss": 0.25,
    "consolidation.idleMinutes": 0,
    "spend.tokensPerDay": null,
    "history.enabled": true,
    "tools.sessionMemory.minUserMessages": 3,
    "tools.memoryFlush.thresholdTokens": 4000,
    "tools.vectorMemory.embeddingModel": "local",
    "tools.vectorMemory.chunkTokens": 512,
    "tools.exec.timeoutSeconds": 30,
    "memory.scope": "workspace",
  });
  expect(new Set(settings.map(({ source }) => source))).toEqual(new Set(["default", "system"]));
  expect(settings.filter(({ meaning }) => meaning === "")).toEqual([]);
});

it("says which settings come from the file, in either spelling, and which from the environment", async () => {
  const workspace = temporaryFolder();
  writeFileSync(join(workspace, "config.yaml"), "agents:\n  defaults:\n    memory_window: 40\n");
  const { stdout } = await runCli(["config", "-w", workspace], { env: { TIDEMARK_MODEL: "ollama/qwen3" } });
  expect(stdout).toContain("agents.defaults.memoryWindow = 40  # config.yaml: ");
  expect(stdout).toContain("agents.defaults.model = ollama/qwen3  # TIDEMARK_MODEL: ");
  expect(stdout).toContain("agents.defaults.profile = nanobot  # default: ");
});

it("masks every key, and shows where one is looked up", async () => {
  const workspace = temporaryFolder();
  const secrets = ["sk-open", "sk-embed", "Bearer deep", "hunter2", "sk-env"];
  writeFileSync(
    join(workspace, "config.json"),
    JSON.stringify({
      agents: { defaults: { model: "anthropic/claude" } },
      providers: {
        "my.server": {
          baseUrl: "http://me:hunter2@127.0.0.1:1/v1",
          apiKey: "sk-open",
          headers: { authorization: "Bearer deep" },
        },
        other: { apiKey: "{env:OTHER_KEY}" },
      },
      tools: { vectorMemory: { embeddingApiKey: "sk-embed" } },
    }),
  );
  for (const more of [[], ["--json"]]) {
    const shown = await runCli(["config", "-w", workspace, ...more], { env: { ANTHROPIC_API_KEY: "sk-env" } });
    expect(shown).toMatchObject({ code: 0, stderr: "" });
    for (const secret of secrets) expect(shown.stdout).not.toContain(secret);
    expect(shown.stdout).toContain("{env:OTHER_KEY}");
  }
  const { stdout } = await runCli(["config", "-w", workspace], { env: { ANTHROPIC_API_KEY: "sk-env" } });
  expect(stdout).toContain("providers.anthropic.apiKey = ***  # environment");
});
