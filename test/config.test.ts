import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadConfig, resolveApiKey } from "../src/config.ts";
import { temporaryFolder } from "./support/workspace.ts";

const load = (config: object, environment = {}) => loadConfig("/nowhere", config as never, environment);

describe("the configuration", () => {
  it("has every default", () => {
    const config = load({});
    expect(config.agents.defaults).toMatchObject({
      memoryWindow: 100,
      profile: "nanobot",
      keep: "half",
      contextWindowTokens: 65_536,
      maxTokens: 8192,
      maxToolIterations: 40,
    });
    expect(config.agents.defaults.timezone).toBe(Intl.DateTimeFormat().resolvedOptions().timeZone);
    expect(config.consolidation).toMatchObject({ unproven: "keep", maxLoss: 0.25, idleMinutes: 0 });
    expect(config.tools.sessionMemory).toEqual({ enabled: true, maxMessages: 20, minUserMessages: 3 });
    expect(config.history.enabled).toBe(true);
    expect(config.memory.scope).toBe("workspace");
  });

  it.each(["config.json", "config.yaml", "config.yml"])("is read from %s in either spelling", (name) => {
    const workspace = temporaryFolder();
    const json =
      '{"agents": {"defaults": {"memory_window": 30, "maxTokens": 100}}, "providers": {"my_box": {"api_base": "http://127.0.0.1:1/v1"}}}';
    const yaml =
      "agents:\n  defaults:\n    memory_window: 30\n    maxTokens: 100\nproviders:\n  my_box:\n    api_base: http://127.0.0.1:1/v1\n";
    writeFileSync(join(workspace, name), name.endsWith("json") ? json : yaml);
    const config = loadConfig(workspace, {}, {});
    expect(config.agents.defaults).toMatchObject({ memoryWindow: 30, maxTokens: 100 });
    expect(config.providers).toEqual({ my_box: { baseUrl: "http://127.0.0.1:1/v1" } });
  });

  it("lays what the caller gives over the file", () => {
    const workspace = temporaryFolder();
    writeFileSync(join(workspace, "config.json"), '{"agents": {"defaults": {"memory_window": 30, "maxTokens": 100}}}');
    const config = loadConfig(workspace, { agents: { defaults: { memoryWindow: 40 } } }, {});
    expect(config.agents.defaults).toMatchObject({ memoryWindow: 40, maxTokens: 100 });
  });

  it.each([
    [
      { agents: { defaults: { memoryWndow: 3 } } },
      "agents.defaults.memoryWndow is unknown; did you mean memoryWindow?",
    ],
    [{ tool: {} }, "tool is unknown; did you mean tools?"],
    [{ agents: { defaults: { memoryWindow: 3, memory_window: 4 } } }, "agents.defaults.memoryWindow is given twice"],
    [{ agents: { defaults: { timezone: "Mars/Olympus" } } }, "agents.defaults.timezone is not a time zone"],
    [{ agents: { defaults: { model: "gpt" } } }, "agents.defaults.model must be named provider/model"],
    [{ agents: { defaults: { maxTokens: 65_536 } } }, "agents.defaults.contextWindowTokens must exceed maxTokens"],
    [{ consolidation: { maxLoss: 2 } }, "consolidation.maxLoss must be between 0 and 1"],
    [{ providers: { x: { baseUrl: "nope" } } }, "providers.x.baseUrl must be a URL"],
  ])("names what is wrong with %j", (config, message) => {
    expect(() => load(config)).toThrow(message);
  });

  it("names the file that does not parse, and two files that contradict", () => {
    const workspace = temporaryFolder();
    writeFileSync(join(workspace, "config.json"), "{");
    expect(() => loadConfig(workspace, {}, {})).toThrow(/config\.json:1:2/);
    writeFileSync(join(workspace, "config.yaml"), "");
    expect(() => loadConfig(workspace, {}, {})).toThrow(/config\.json and .*config\.yaml both exist/);
  });

  it("takes the model from the environment before the file, and from the caller before both", () => {
    const workspace = temporaryFolder();
    writeFileSync(join(workspace, "config.json"), '{"agents": {"defaults": {"model": "file/m"}}}');
    const asked = { agents: { defaults: { model: "asked/m" } } };
    const modelOf = (given: object, environment: object) =>
      loadConfig(workspace, given as never, environment as never).agents.defaults.model;
    expect(modelOf({}, {})).toBe("file/m");
    expect(modelOf({}, { TIDEMARK_MODEL: "variable/m" })).toBe("variable/m");
    expect(modelOf(asked, { TIDEMARK_MODEL: "variable/m" })).toBe("asked/m");
    expect(load({}, { TIDEMARK_MODEL: "variable/m" }).agents.defaults.model).toBe("variable/m");
  });

  it("finds keys in the usual variables and where {env:NAME} points", () => {
    expect(resolveApiKey("openai", undefined, { OPENAI_API_KEY: "k" })).toBe("k");
    expect(resolveApiKey("x", "{env:MY_KEY}", { MY_KEY: "m" })).toBe("m");
    expect(resolveApiKey("x", "plain", {})).toBe("plain");
    expect(() => resolveApiKey("x", "{env:MY_KEY}", {})).toThrow("the variable MY_KEY is not set");
  });
});
