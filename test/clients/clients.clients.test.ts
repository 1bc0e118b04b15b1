import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { INTEGRATIONS, installClient, mergeJson, startClient, until } from "./real-client.ts";

/** A client from npm, how it is told about the scripted model, and how it is asked. */
interface RealClient {
  name: string;
  spec: string;
  environment: (url: string) => Record<string, string>;
  prepare?: (home: string, url: string) => void;
  list: readonly string[];
  listed: RegExp;
  /** Undefined where it cannot talk to a scripted model. */
  ask?: (words: string) => readonly string[];
  /** It has the tools, and no hooks that hand over words: those come with an import. */
  hasToolsOnly?: true;
  /** What must be run first. */
  before?: (url: string) => readonly string[];
  /** What ends the processes that it leaves behind. */
  after?: readonly string[];
  /** Its own form of the plugin, where it has one: commands that install it, and what to add when asking. */
  plugin?: { install: readonly (readonly string[])[]; ask?: readonly string[] };
  file: string;
  /** Where it keeps its own transcripts, below the home; undefined where nothing was said. */
  transcripts?: string;
}

const openAi = (url: string) => ({ OPENAI_API_KEY: "x", OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: "tide" });

const CLIENTS: readonly RealClient[] = [
  {
    name: "claude-code",
    spec: "@anthropic-ai/claude-code",
    environment: (url) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: "sk-x",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    }),
    list: ["claude", "mcp", "list"],
    listed: /tidemark: .*Connected/,
    ask: (words) => ["claude", "-p", words],
    plugin: { install: [], ask: ["--plugin-dir", join(INTEGRATIONS, "claude-code")] },
    file: ".claude.json",
    transcripts: ".claude",
  },
  {
    name: "codex",
    spec: "@openai/codex",
    environment: () => ({}),
    prepare(home, url) {
      mkdirSync(join(home, ".codex"), { recursive: true });
      const provider = `[model_providers.scripted]\nname = "Scripted"\nbase_url = "${url}/v1"\nwire_api = "responses"\n`;
      writeFileSync(
        join(home, ".codex/config.toml"),
        `model = "tide" # ours\nmodel_provider = "scripted"\n\n${provider}`,
      );
    },
    list: ["codex", "mcp", "list"],
    listed: /tidemark .*enabled/,
    ask: (words) => ["codex", "exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", words],
    plugin: {
      install: [
        ["codex", "plugin", "marketplace", "add", INTEGRATIONS],
        ["codex", "plugin", "add", "tidemark@tidemark"],
      ],
    },
    file: ".codex/config.toml",
    transcripts: ".codex",
  },
  {
    name: "gemini-cli",
    spec: "@google/gemini-cli",
    environment: (url) => ({ GEMINI_API_KEY: "x", GOOGLE_GEMINI_BASE_URL: url, GEMINI_CLI_TRUST_WORKSPACE: "true" }),
    prepare: (home) =>
      mergeJson(join(home, ".gemini/settings.json"), { security: { auth: { selectedType: "gemini-api-key" } } }),
    list: ["gemini", "mcp", "list"],
    listed: /tidemark: .*Connected/,
    ask: (words) => ["gemini", "-m", "gemini-2.5-pro", "-p", words],
    plugin: { install: [["gemini", "extensions", "install", join(INTEGRATIONS, "gemini-cli"), "--consent"]] },
    file: ".gemini/settings.json",
    transcripts: ".gemini",
  },
  {
    name: "qwen-code",
    spec: "@qwen-code/qwen-code",
    environment: openAi,
    list: ["qwen", "mcp", "list"],
    listed: /tidemark: .*Connected/,
    ask: (words) => ["qwen", "--auth-type", "openai", "-p", words],
    file: ".qwen/settings.json",
    transcripts: ".qwen",
  },
  {
    name: "opencode",
    spec: "opencode-ai",
    environment: () => ({}),
    prepare: (home, url) =>
      mergeJson(join(home, ".config/opencode/opencode.json"), {
        model: "scripted/tide",
        small_model: "scripted/tide",
        provider: {
          scripted: {
            npm: "@ai-sdk/openai-compatible",
            name: "Scripted",
            options: { baseURL: `${url}/v1`, apiKey: "x" },
            models: { tide: { name: "tide" } },
          },
        },
      }),
    list: ["opencode", "mcp", "list"],
    listed: /tidemark\s+connected/,
    ask: (words) => ["opencode", "run", words],
    file: ".config/opencode/opencode.json",
    transcripts: ".local/share/opencode",
  },
  {
    name: "openclaw",
    spec: "openclaw",
    environment: () => ({}),
    prepare: (home, url) =>
      mergeJson(join(home, ".openclaw/openclaw.json"), {
        models: {
          mode: "merge",
          providers: {
            scripted: {
              baseUrl: `${url}/v1`,
              apiKey: "x",
              api: "openai-completions",
              models: [{ id: "tide", name: "tide" }],
            },
          },
        },
        agents: { defaults: { model: { primary: "scripted/tide" }, workspace: join(home, "agent") } },
      }),
    list: ["openclaw", "mcp", "probe"],
    listed: /tidemark: \d+ tools/,
    ask: (words) => ["openclaw", "agent", "--local", "--session-id", `s${words.length}`, "-m", words],
    file: ".openclaw/openclaw.json",
    transcripts: ".openclaw",
  },
  {
    name: "cline",
    spec: "cline",
    environment: () => ({}),
    before: (url) => ["cline", "auth", "-p", "openai", "-k", "x", "-b", `${url}/v1`, "-m", "tide"],
    list: ["cline", "config", "mcp"],
    listed: /tidemark \[stdio\]/,
    ask: (words) => ["cline", words],
    hasToolsOnly: true,
    file: ".cline/data/settings/cline_mcp_settings.json",
    transcripts: ".cline",
    after: ["cline", "hub", "stop"],
  },
  {
    name: "continue",
    spec: "@continuedev/cli",
    environment: () => ({}),
    prepare(home, url) {
      mkdirSync(join(home, ".continue"), { recursive: true });
      const model = `  - {name: tide, provider: openai, model: tide, apiBase: "${url}/v1", apiKey: x, roles: [chat]}`;
      writeFileSync(
        join(home, ".continue/config.yaml"),
        `name: Mine\nversion: 1.0.0\nschema: v1\nmodels: # ours\n${model}\n`,
      );
    },
    list: ["cn", "--version"],
    listed: /\d+\.\d+/,
    ask: (words) => ["cn", "-p", words],
    hasToolsOnly: true,
    file: ".continue/config.yaml",
    transcripts: ".continue",
  },
  {
    name: "copilot",
    spec: "@github/copilot",
    environment: () => ({}),
    list: ["copilot", "mcp", "list"],
    listed: /tidemark/,
    file: ".copilot/mcp-config.json",
  },
];

describe.each(CLIENTS)("$name", (client) => {
  const installed = installClient(client.name, client.spec);
  if ("reason" in installed) {
    process.stderr.write(`${client.name} is left out: ${installed.reason}\n`);
    it.skip(`is left out: ${installed.reason}`, () => undefined);
    return;
  }
  const { bin } = installed;

  it("is connected, lists the server, gets memory and gives its words, and is disconnected", async () => {
    const { home, model, run, said } = await startClient(bin, client.environment);
    client.prepare?.(home, model.url);
    const { before: first, after: last } = client;
    if (first) await runAll(run, first(model.url));
    const file = join(home, client.file);
    const before = existsSync(file) ? readFileSync(file, "utf8") : undefined;
    const connected = await run("tidemark", "connect", client.name, "--yes");
    expect(connected).toMatch(/answers with \d+ tools/);
    expect(plain(await runAll(run, client.list))).toMatch(client.listed);
    if (client.ask && client.hasToolsOnly) await talkWithTools(client, home, run, said, model);
    else if (client.ask) await talk(client.ask, run, said, model);
    if (last) await runAll(run, last);
    if (client.transcripts !== undefined && !client.hasToolsOnly) {
      const before = said();
      const imported = await run("tidemark", "import", join(home, client.transcripts), "--from", client.name);
      // What the hooks stored comes from the client's own files as well, under other ids.
      expect(said().map(wordsOf).toSorted(), imported).toEqual(before.map(wordsOf).toSorted());
      expect(imported).toMatch(/0 messages .*already there: 4/);
    }
    expect(await run("tidemark", "disconnect", client.name, "--yes")).toContain("is disconnected");
    // The others write to their files by themselves meanwhile.
    if (["codex", "gemini-cli", "continue"].includes(client.name)) expect(readIfThere(file)).toBe(before ?? "");
    expect(readIfThere(file)).not.toMatch(/"tidemark"|mcp_servers\.tidemark|tidemark hook/);
  });

  it.skipIf(!client.plugin || !client.ask)("works with its plugin", async () => {
    const { home, model, run, said } = await startClient(bin, client.environment);
    client.prepare?.(home, model.url);
    for (const install of client.plugin?.install ?? []) await runAll(run, install);
    const { ask } = client;
    await talk((words) => [...(ask?.(words) ?? []), ...(client.plugin?.ask ?? [])], run, said, model);
  });
});

function wordsOf({ role, content }: { role: string; content: string }): string {
  return `${role}: ${content}`;
}

type Started = Awaited<ReturnType<typeof startClient>>;

function runAll(run: Started["run"], [command = "", ...args]: readonly string[]): Promise<string> {
  return run(command, ...args);
}

/** Says something to a client that has the tools alone; its own transcripts bring the words, once. */
async function talkWithTools(
  { name, ask, transcripts = "" }: RealClient,
  home: string,
  run: Started["run"],
  said: Started["said"],
  model: Started["model"],
): Promise<void> {
  const answer = await runAll(run, ask?.("My dentist is Dr. Okafor on Elm Street.") ?? []);
  expect(answer).toContain("I have noted that.");
  expect(model.requests.some(({ body }) => /"name":"(?:tidemark__)?memory_search"/.test(body))).toBe(true);
  const folder = join(home, transcripts);
  // Which program wrote it is recognised.
  expect(await run("tidemark", "import", folder)).toContain(`2 messages to 1 session from ${name}`);
  expect(said().map(wordsOf)).toEqual([
    "user: My dentist is Dr. Okafor on Elm Street.",
    "assistant: I have noted that.",
  ]);
  expect(await run("tidemark", "import", folder)).toMatch(/0 messages .*already there: 2/);
}

/** Says something, and asks for it in another session: memory was there at the start, and came with the question. */
async function talk(
  ask: (words: string) => readonly string[],
  run: Started["run"],
  said: Started["said"],
  model: Started["model"],
): Promise<void> {
  const [command = "", ...first] = ask("My dentist is Dr. Okafor on Elm Street.");
  const answer = await run(command, ...first);
  expect(answer).toContain("I have noted that.");
  expect(
    model.requests.some(({ body }) => body.includes("Lives in Lisbon")),
    answer,
  ).toBe(true);
  await until(() => said().some(({ role }) => role === "assistant"));
  const words = said().filter(({ role }) => role === "user");
  expect(words.map(({ content }) => content.replaceAll('"', ""))).toEqual(["My dentist is Dr. Okafor on Elm Street."]);
  const asked = model.requests.length;
  const [, ...second] = ask("Who is my dentist?");
  await run(command, ...second);
  const later = model.requests.slice(asked).map(({ body }) => body);
  expect(later.some((body) => body.includes("Recalled from memory") && body.includes("Okafor"))).toBe(true);
  await until(() => said().filter(({ role }) => role === "user").length === 2);
}

function plain(text: string): string {
  // oxlint-disable-next-line no-control-regex -- colours of a terminal
  return text.replaceAll(/\u001B\[[\d;]*m/g, "");
}

function readIfThere(path: string): string {
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}
