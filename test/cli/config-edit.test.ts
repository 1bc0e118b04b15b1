import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { editConfig } from "../../src/cli/edit-config.ts";
import { findConfigKey, listKeys, parseConfigValue } from "../../src/cli/config-key.ts";
import { loadConfig } from "../../src/config.ts";
import { startModel } from "../support/model-server.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { runMany } from "./run-in-one.ts";

const COMMENTED = `// My agent.
{
    "agents": {
        "defaults": {
            "memory_window": 40, // small
        },
    },
    /* servers */
    "providers": { "mine": { "api_base": "http://127.0.0.1:1/v1" } }
}
`;

it("reads a configuration with comments and trailing commas, and names the place of a slip", () => {
  const workspace = temporaryFolder();
  const path = join(workspace, "config.json");
  writeFileSync(path, COMMENTED);
  expect(loadConfig(workspace).agents.defaults.memoryWindow).toBe(40);
  writeFileSync(path, '{\n  "agents" {}\n}');
  expect(() => loadConfig(workspace)).toThrow(`${path}:2:12 is not valid JSON: colon expected`);
  writeFileSync(path, "");
  expect(loadConfig(workspace).agents.defaults.memoryWindow).toBe(100);
});

it("sets, gets and unsets settings in the file's own spelling, with everything else as it was", async () => {
  const workspace = temporaryFolder();
  const path = join(workspace, "config.json");
  writeFileSync(path, COMMENTED);
  const results = await runMany(
    [
      ["config", "set", "memoryWindow", "60"],
      ["config", "set", "providers.mine.baseUrl", "http://127.0.0.1:2/v1"],
      ["config", "set", "model", "mine/tide"],
      ["config", "get", "agents.defaults.memory_window"],
      ["config", "get", "model"],
      ["config", "get", "consolidation.model"],
      ["config", "unset", "model"],
      ["config", "unset", "model"],
      ["config", "set", "memoryWindow", "1"],
      ["config", "set", "memory_windwo", "3"],
      ["config", "set", "agents.defaults.autoRecall", "maybe"],
      ["config", "set", "providers.mine.apiKey", "sk-secret-1"],
      ["config", "get", "providers.mine"],
    ].map((words) => [...words, "-w", workspace]),
  );
  const texts = results.map(({ code, stdout, stderr }) => `${code} ${stdout}${stderr}`.trim());
  expect(texts).toEqual([
    `0 agents.defaults.memoryWindow = 60  # ${path}`,
    `0 providers.mine.baseUrl = http://127.0.0.1:2/v1  # ${path}`,
    `0 agents.defaults.model = mine/tide  # ${path}`,
    "0 60",
    "0 mine/tide",
    "1 tidemark: consolidation.model is not set",
    "0 agents.defaults.model = (none)  # default",
    `1 tidemark: agents.defaults.model is not set in ${path}`,
    "1 tidemark: config.json: agents.defaults.memoryWindow must be 0 (off) or at least 2",
    "1 tidemark: There is no setting memory_windwo; did you mean agents.defaults.memoryWindow?",
    "1 tidemark: agents.defaults.autoRecall must be true or false",
    `0 providers.mine.apiKey = ***  # ${path}\ntidemark: the key itself is now in the file; use {env:NAME} to keep it out`,
    "0 providers.mine.baseUrl = http://127.0.0.1:2/v1\nproviders.mine.apiKey = ***\nproviders.mine.headers = (none)\nproviders.mine.wire = (none)",
  ]);
  // The part that a setting is put into is laid out anew; what lies beside it is not touched.
  const [before] = COMMENTED.replace("40", "60").split('"providers"');
  expect(readFileSync(path, "utf8").split('"providers"')).toEqual([before, expect.stringContaining("sk-secret-1")]);
});

it("keeps the comments of YAML, too, and begins a file where there is none", async () => {
  const workspace = temporaryFolder();
  const path = join(workspace, "config.yaml");
  writeFileSync(path, "# mine\nagents:\n  defaults:\n    memory_window: 40 # small\n");
  await editConfig(workspace, [
    { path: ["agents", "defaults", "memoryWindow"], value: 60 },
    { path: ["consolidation", "review"], value: true },
  ]);
  expect(readFileSync(path, "utf8")).toBe(
    "# mine\nagents:\n  defaults:\n    memory_window: 60 # small\nconsolidation:\n  review: true\n",
  );
  const fresh = temporaryFolder();
  expect(await editConfig(fresh, [{ path: ["memory", "scope"], value: "user" }])).toMatchObject({ isChanged: true });
  expect(readFileSync(join(fresh, "config.json"), "utf8")).toBe('{\n  "memory": {\n    "scope": "user"\n  }\n}\n');
  expect(await editConfig(fresh, [{ path: ["memory", "scope"], value: "user" }])).toMatchObject({ isChanged: false });
});

it("knows every setting by its name, and reads a value for each kind", () => {
  for (const name of listKeys()) expect(findConfigKey(name).path.join(".")).toBe(name);
  const read = (name: string, text: string) => parseConfigValue(findConfigKey(name), text);
  expect(read("keep", "half")).toBe("half");
  expect(read("keep", "12")).toBe(12);
  expect(read("tools.exec.allow", "cat, grep")).toEqual(["cat", "grep"]);
  expect(read("tools.exec.allow", '["cat"]')).toEqual(["cat"]);
  expect(read("consolidation.maxLoss", "0.5")).toBe(0.5);
  expect(read("autoRecall", "on")).toBe(true);
  expect(read("spend.prices", '{"a/b": {"input": 1, "output": 2}}')).toEqual({ "a/b": { input: 1, output: 2 } });
  expect(() => findConfigKey("enabled")).toThrow("did you mean history.enabled or tools.sessionMemory.enabled or ");
});

it("lets a person edit a copy, and takes it only if it can be used", async () => {
  const workspace = temporaryFolder();
  const path = join(workspace, "config.json");
  const edit = (script: string) => runMany([["config", "edit", "-w", workspace]], { EDITOR: script });
  const [saved] = await edit(`sh -c 'echo "{\\"memory\\": {\\"scope\\": \\"user\\"}}" > "$0"'`);
  expect(saved).toMatchObject({ code: 0, stderr: `tidemark: ${path} is saved\n` });
  const [refused] = await edit(`sh -c 'echo "{\\"memory\\": {\\"scop\\": 1}}" > "$0"'`);
  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("memory.scop is unknown; did you mean scope?"),
  });
  const [failed] = await edit("false");
  expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining("set VISUAL or EDITOR") });
  expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ memory: { scope: "user" } });
});

it("lists the models within reach", async () => {
  const workspace = temporaryFolder();
  const model = await startModel(() => ({ text: "Hello" }));
  writeFileSync(join(workspace, "config.json"), JSON.stringify(model.config));
  const [found, json, none] = await runMany(
    [
      ["models", "-w", workspace],
      ["models", "--json", "-w", workspace],
      ["models", "-w", temporaryFolder()],
    ],
    { OLLAMA_HOST: "127.0.0.1:9" },
  );
  expect(found?.stdout).toContain("Chat      scripted/tide");
  expect(found?.stdout).toContain(`scripted (configured, ${model.url})\n* scripted/tide`);
  expect(JSON.parse(json?.stdout ?? "")).toMatchObject({ chat: "scripted/tide", sources: [{ provider: "scripted" }] });
  expect(none?.stdout).toContain("no provider's key is set");
});
