import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createProgram } from "../../src/cli/main.ts";
import { startPostgres } from "../postgres/postgres-server.ts";
import { startModel } from "../support/model-server.ts";
import { installPackage } from "./install-package.ts";
import type { Installed } from "./install-package.ts";

// What is shipped, alone in an empty folder: what a checkout has around it must not be what makes it work.

const ROOT = join(import.meta.dirname, "../..");
let alone: Installed;
let workspace = "";
let firstChange = "";

beforeAll(() => {
  alone = installPackage();
  workspace = join(alone.home, "workspace");
});

afterAll(() => alone.remove());

interface Step {
  words: readonly string[];
  input?: string;
  env?: Record<string, string>;
  code?: number;
  says: RegExp;
}

const TALK = `${JSON.stringify({ session: "notes:1", id: "1", role: "user", content: "I sail on Sundays.", timestamp: "2026-10-04T09:00:00Z" })}\n`;

/** Every command once, in an order in which each finds what it needs. Long-running ones and databases have tests below. */
const STEPS: Readonly<Record<string, readonly Step[]>> = {
  init: [{ words: ["init", "--yes", "--no-try"], says: /workspace/i }],
  chat: [
    { words: ["chat"], input: "My name is Ada and I live in Lisbon.\n", says: /Lisbon/ },
    { words: ["chat", "-m", "I prefer green tea over coffee."], says: /tea/ },
  ],
  import: [{ words: ["import", "talk.jsonl"], says: /1 message added/ }],
  sessions: [
    { words: ["sessions"], says: /cli:main/ },
    { words: ["sessions", "list", "--json"], says: /"notes:1"/ },
    { words: ["sessions", "show", "notes:1"], says: /I sail on Sundays/ },
    { words: ["sessions", "new", "notes:1"], says: /starts over/ },
  ],
  consolidate: [{ words: ["consolidate", "--all"], says: /cli:main/ }],
  index: [{ words: ["index"], says: /\d/ }],
  search: [
    { words: ["search", "what do I drink?"], says: /tea/ },
    { words: ["search", "--queries", "-"], input: '{"id":"q","query":"sailing"}\n', says: /\{"id":"q"/ },
  ],
  status: [{ words: ["status"], says: /cli:main/ }],
  log: [{ words: ["log"], says: /digest by rules/ }],
  diff: [{ words: ["diff", "CHANGE"], says: /Lisbon/ }],
  blame: [{ words: ["blame"], says: /Lisbon/ }],
  why: [{ words: ["why", "Lisbon"], says: /cli:main/ }],
  remember: [
    { words: ["remember", "Ada is allergic to hazelnuts."], says: /Facts: Ada is allergic/ },
    { words: ["add", "Ada keeps bees."], says: /Facts: Ada keeps bees/ },
  ],
  pin: [{ words: ["pin", "hazelnuts"], says: /Pinned: Ada/ }],
  retire: [{ words: ["retire", "keeps bees"], says: /Taken out: Ada keeps bees/ }],
  undo: [{ words: ["undo"], says: /Undid/ }],
  restore: [{ words: ["restore", "CHANGE"], says: /MEMORY\.md/ }],
  review: [{ words: ["review"], says: /waiting/ }],
  tidy: [{ words: ["tidy"], says: /MEMORY\.md/ }],
  forget: [{ words: ["forget", "--session", "notes:1", "--yes"], says: /Forgotten/ }],
  replay: [{ words: ["replay"], says: /./ }],
  test: [{ words: ["test"], says: /ok .*Lisbon/ }],
  export: [{ words: ["export", "exported"], says: /4 messages/ }],
  backup: [
    { words: ["backup", "backup.tar.gz"], says: /files/ },
    { words: ["backup", "restore", "backup.tar.gz", "-w", "restored"], says: /restored/ },
  ],
  edit: [{ words: ["edit"], env: { EDITOR: "true" }, says: /MEMORY\.md/ }],
  config: [
    { words: ["config"], says: /agents\.defaults/ },
    { words: ["config", "set", "consolidation.idleMinutes", "30"], says: /30/ },
    { words: ["config", "get", "consolidation.idleMinutes"], says: /30/ },
    { words: ["config", "unset", "consolidation.idleMinutes"], says: /0/ },
    { words: ["config", "edit"], env: { EDITOR: "true" }, says: /as it was/ },
  ],
  models: [{ words: ["models"], says: /no model/ }],
  doctor: [{ words: ["doctor"], says: /./ }],
  tool: [{ words: ["tool", "memory_search", '{"query":"Lisbon"}'], says: /Lisbon/ }],
  mask: [{ words: ["mask"], input: "the password is hunter2-and-more\n", says: /password/ }],
  demo: [{ words: ["demo"], says: /tidemark chat/ }],
  work: [{ words: ["work", "--once"], says: /^/ }],
  connect: [
    { words: ["connect", "--list"], says: /claude-code/ },
    { words: ["connect", "claude-code", "--yes"], says: /claude/i },
  ],
  disconnect: [{ words: ["disconnect", "claude-code", "--yes"], says: /claude/i }],
  completion: [
    { words: ["completion", "bash"], says: /complete/ },
    { words: ["completion", "zsh"], says: /compdef/ },
    { words: ["completion", "fish"], says: /complete -c/ },
  ],
  help: [
    { words: ["help", "search"], says: /Usage/ },
    { words: ["help", "all"], says: /completion/ },
  ],
  copy: [{ words: ["copy", "--from", "WORKSPACE", "--to", "copied"], says: /both are the same/ }],
  migrate: [{ words: ["migrate", "--store", "postgres://u@127.0.0.1:9/x"], code: 1, says: /npm install pg/ }],
  pull: [
    { words: ["pull", "p", "--store", "postgres://u@127.0.0.1:9/x", "-w", "ada"], code: 1, says: /npm install pg/ },
  ],
  push: [{ words: ["push", "p", "--store", "postgres://u@127.0.0.1:9/x", "-w", "ada"], code: 1, says: /./ }],
};
const STAYING = ["hook", "mcp", "serve", "ui"];

/** The commands that take no workspace, or name one themselves. */
function placed(words: readonly string[]): string[] {
  const named = words.map((word) => (word === "WORKSPACE" ? workspace : word === "CHANGE" ? firstChange : word));
  const isPlaceless =
    words.includes("-w") || ["completion", "help", "copy", "mask", "demo", "migrate"].includes(words[0] ?? "");
  return isPlaceless ? named : [...named, "-w", workspace];
}

describe("the package alone", () => {
  it("installs without a warning", () => {
    expect(alone.told.replaceAll(/npm (?:warn EBADENGINE|notice|warn Unknown).*\n/g, "")).not.toMatch(/warn/i);
  });

  it("has no pictures, no scripts that npm would ask about, and no document with a dead link", () => {
    const root = dirname(dirname(alone.command));
    const paths = readdirSync(root, { recursive: true, encoding: "utf8" });
    expect(paths.filter((path) => /\.(?:png|jpe?g|gif|webp)$/.test(path))).toEqual([]);
    const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    expect(Object.keys(scripts).filter((name) => /^(?:prepare|(?:pre|post)?install)$/.test(name))).toEqual([]);
    const dead = paths
      .filter((path) => path.endsWith(".md") && !path.startsWith("node_modules"))
      .flatMap((path) =>
        // A picture is taken from the repository: npm's page finds it there.
        [...readFileSync(join(root, path), "utf8").matchAll(/(!?)\[[^\]]*\]\((?!https?:|mailto:|#)([^)#\s]+)/g)]
          .map(([, isPicture, target = ""]) => join(isPicture ? ROOT : root, dirname(path), target))
          .filter((target) => !existsSync(target))
          .map((target) => `${path}: ${target}`),
      );
    expect(dead).toEqual([]);
  });

  it("runs every command", async () => {
    expect([...Object.keys(STEPS), ...STAYING].toSorted()).toEqual(
      createProgram()
        .commands.map((command) => command.name())
        .toSorted(),
    );
    writeFileSync(join(alone.folder, "talk.jsonl"), TALK);
    for (const [name, steps] of Object.entries(STEPS)) {
      if (name === "test") writeFileSync(join(workspace, "memory/expect.yaml"), "- knows: Lisbon\n", { mode: 0o600 });
      for (const { words, input, env, code = 0, says } of steps) {
        const done = await alone.run(placed(words), input, env);
        expect.soft({ words, ...done }).toMatchObject({ code });
        expect.soft(`${done.stdout}${done.stderr}`, words.join(" ")).toMatch(says);
        if (name === "log") firstChange = /^\S+ \S+ +(\w+) +digest/m.exec(done.stdout)?.[1] ?? "";
        expect.soft(done.stderr).not.toMatch(/\n\s+at |Cannot find (?:module|package)/);
      }
    }
  });

  it("prints the help of every command", async () => {
    for (const command of createProgram().commands) {
      const done = await alone.run([command.name(), "--help"]);
      expect({ command: command.name(), ...done }).toMatchObject({ code: 0, stderr: "" });
    }
  });
});

describe("what stays, from the package alone", () => {
  it("serves every wire, the inspector, MCP and metrics", async () => {
    await expectServed(alone);
  });

  it("starts as the service unit and the container image start it", async () => {
    const read = (name: string) => readFileSync(join(ROOT, "deploy", name), "utf8");
    const [, unit = ""] = /^ExecStart=\/usr\/bin\/env tidemark (.*)$/m.exec(read("tidemark.service")) ?? [];
    const [, image = "[]"] = /^CMD (\[.*\])$/m.exec(read("Dockerfile")) ?? [];
    const env = {
      NODE_ENV: "production",
      TIDEMARK_WORKSPACE: join(alone.home, "served"),
      TIDEMARK_TOKEN: "a-s3cret-token",
    };
    for (const words of [unit.split(" "), JSON.parse(image)]) {
      // Their own port may be taken here.
      const { first, end } = await start(alone, [...words, "--port", "0"], "stdout", env);
      expect((await fetch(`${first.replace("0.0.0.0", "127.0.0.1")}/readyz`)).status).toBe(200);
      expect(await end()).toBe(0);
    }
  });

  it("shows the inspector", async () => {
    const { first, end } = await start(alone, ["ui", "--no-open", "-w", workspace]);
    expect(await (await fetch(first)).text()).toContain("<title>");
    expect(await end()).toBe(0);
  });

  it("speaks MCP over stdio", async () => {
    const client = new Client({ name: "test", version: "1" });
    const args = [alone.command, "mcp", "-w", workspace];
    await client.connect(new StdioClientTransport({ command: process.execPath, args, env: alone.env }));
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain("memory_search");
    const found = await client.callTool({ name: "memory_search", arguments: { query: "Lisbon" } });
    expect(JSON.stringify(found)).toContain("Lisbon");
    await client.close();
  });

  it("works in the background until it is told to stop", async () => {
    const { child, end } = await start(alone, ["work", "-w", workspace], "stderr");
    expect(child.exitCode).toBeNull();
    expect(await end()).toBe(0);
  });

  it("answers hooks, and stays for the next ones", async () => {
    const hooked = join(alone.home, "hooked");
    mkdirSync(join(hooked, "memory"), { recursive: true });
    const input = (words: object) => JSON.stringify({ session_id: "one", cwd: alone.home, ...words });
    const call = (event: string, words: object) =>
      alone.run(["hook", event, "--client", "claude-code", "-w", hooked], input(words), {
        TIDEMARK_HOOK_PATIENCE: "20",
      });
    const host = join(hooked, ".tidemark/hooks/host.json");
    onTestFinished(() => {
      if (existsSync(host)) process.kill(JSON.parse(readFileSync(host, "utf8")).pid);
    });
    expect(await call("SessionStart", { hook_event_name: "SessionStart", source: "startup" })).toMatchObject({
      code: 0,
    });
    await expect.poll(() => existsSync(host), { timeout: 30_000 }).toBe(true);
    const prompt = { hook_event_name: "UserPromptSubmit", prompt: "I moved to Faro in May." };
    expect(await call("UserPromptSubmit", prompt)).toMatchObject({ code: 0 });
    expect(existsSync(join(hooked, ".tidemark/hooks/failures.jsonl"))).toBe(false);
    await expect
      .poll(async () => (await alone.run(["search", "Faro", "-w", hooked])).stdout, { timeout: 30_000 })
      .toMatch(/moved to Faro/);
  });
});

describe("the library, from the package alone", () => {
  it("opens a memory, and gives the tools of the memory tool", async () => {
    const done = await alone.runProgram(`
      import { openMemory } from "tidemark";
      import { createMemoryTool } from "tidemark/memory-tool";
      const memory = await openMemory({ workspace: "./library" });
      const session = await memory.session("web:ada");
      await session.append({ role: "user", content: "I live in Porto." });
      console.log((await memory.search("where do I live?")).results[0]?.text);
      console.log(typeof createMemoryTool);
      await memory.close();
    `);
    expect(done).toMatchObject({ code: 0, stdout: "I live in Porto.\nfunction\n", stderr: "" });
  });

  it("says which package is missing", async () => {
    const done = await alone.runProgram(
      'import { withMemory } from "tidemark/ai-sdk"; console.log(typeof withMemory);',
    );
    expect(done.stderr).toMatch(/Cannot find package 'ai'/);
    const { mode, stderr } = await searchByModel(alone);
    expect(mode).toBe("keyword");
    expect(stderr).toMatch(/npm install onnxruntime-node/);
  });
});

describe("with each optional peer", () => {
  const withPeer = (...names: string[]): Installed => {
    const installed = installPackage(...names);
    onTestFinished(() => installed.remove());
    return installed;
  };

  it("serves with @opentelemetry/api beside it", async () => {
    await expectServed(withPeer("@opentelemetry/api"));
  });

  it("wraps a model of the AI SDK with ai", async () => {
    const done = await withPeer("ai").runProgram(`
      import { generateText } from "ai";
      import { MockLanguageModelV4 } from "ai/test";
      import { withMemory } from "tidemark/ai-sdk";
      const model = new MockLanguageModelV4({ doGenerate: async () => ({
        content: [{ type: "text", text: "Lisbon." }], finishReason: { unified: "stop", raw: "stop" },
        usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } }, warnings: [],
      }) });
      const kept = await withMemory(model, { workspace: "./sdk", session: "web:ada" });
      console.log((await generateText({ model: kept.model ?? kept, prompt: "I live in Lisbon." })).text);
      await kept.close?.();
    `);
    expect(done).toMatchObject({ code: 0, stdout: "Lisbon.\n" });
  });

  it("runs an embedder with onnxruntime-node", async () => {
    const { mode, stderr } = await searchByModel(withPeer("onnxruntime-node"));
    expect({ mode, stderr }).toEqual({ mode: "hybrid", stderr: "" });
  });

  it("keeps a workspace in PostgreSQL with pg", async () => {
    const installed = withPeer("pg");
    const postgres = await startPostgres();
    onTestFinished(() => postgres.stop());
    const env = { TIDEMARK_STORE: postgres.url };
    const steps: (readonly [string[], RegExp])[] = [
      [["migrate"], /./],
      [["chat", "-m", "I live in Lisbon.", "-w", "ada"], /Lisbon/],
      [["search", "Lisbon", "-w", "ada"], /Lisbon/],
      [["pull", "pulled", "-w", "ada"], /./],
      [["push", "pulled", "-w", "ada"], /./],
      [["status", "-w", "ada"], /./],
      [["work", "--once", "-w", "ada"], /^/],
      [["copy", "--from", `${postgres.url}?workspace=ada`, "--to", "./ada"], /both are the same/],
    ];
    for (const [words, says] of steps) {
      const done = await installed.run(words, "", env);
      expect({ words, ...done }).toMatchObject({ code: 0 });
      expect(`${done.stdout}${done.stderr}`).toMatch(says);
    }
    await expectServed(installed, env);
  });
});

/** Starts something that stays; its first line, and how to end it as an operator does. */
async function start(installed: Installed, words: readonly string[], stream: "stdout" | "stderr" = "stdout", env = {}) {
  const child = spawn(process.execPath, [installed.command, ...words], {
    cwd: installed.folder,
    env: { ...installed.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const told: string[] = [];
  child.stderr.on("data", (chunk: Buffer) => told.push(chunk.toString()));
  const ended = once(child, "exit").then(() => `ended with ${child.exitCode}: ${told.join("")}`);
  const [line] = await Promise.race([once(child[stream], "data"), ended.then((how) => [how])]);
  return {
    child,
    first: String(line).trim().split("\n")[0] ?? "",
    end: async (): Promise<number | null> => {
      child.kill("SIGTERM");
      await ended;
      return child.exitCode;
    },
  };
}

/** A server with a model behind it answers on everything that its help names. */
async function expectServed(installed: Installed, env: Record<string, string> = {}): Promise<void> {
  const model = await startModel(() => ({ text: "You live in Lisbon." }));
  const settings = join(installed.folder, "served");
  mkdirSync(settings, { recursive: true });
  const place = "TIDEMARK_STORE" in env ? "served" : settings;
  if ("TIDEMARK_STORE" in env) {
    await installed.run(["chat", "-m", "hello", "-w", place], "", env);
    await installed.run(["config", "set", "providers.scripted.baseUrl", model.url, "-w", place], "", env);
    await installed.run(["config", "set", "model", "scripted/tide", "-w", place], "", env);
  } else writeFileSync(join(settings, "config.json"), JSON.stringify(model.config));
  const { first, end } = await start(installed, ["serve", "-p", "0", "--metrics", "open", "-w", place], "stdout", env);
  const get = async (path: string) => (await fetch(`${first}${path}`)).text();
  const post = async (path: string, body: object) => {
    const answer = await fetch(`${first}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-tidemark-session": "app:ada" },
      body: JSON.stringify(body),
    });
    return `${answer.status} ${await answer.text()}`;
  };
  const messages = [{ role: "user", content: "Where do I live?" }];
  expect(await post("/v1/chat/completions", { model: "tide", messages })).toMatch(/^200 .*Lisbon/s);
  expect(await post("/v1/messages", { model: "tide", max_tokens: 100, messages })).toMatch(/^200 .*Lisbon/s);
  expect(await post("/v1/responses", { model: "tide", input: "Where do I live?" })).toMatch(/^200 .*Lisbon/s);
  expect(await post("/v1/embeddings", { model: "local", input: "tide" })).toMatch(/^200 .*embedding/s);
  expect(await get("/v1/models")).toContain("tide");
  expect(await get("/api/status")).toContain("{");
  expect(await get("/openapi.json")).toContain('"openapi"');
  expect(await get("/")).toContain("<title>");
  expect((await fetch(`${first}/healthz`)).status).toBe(200);
  expect((await fetch(`${first}/readyz`)).status).toBe(200);
  const metrics = await get("/metrics");
  expect(metrics).toMatch(/process_cpu_seconds_total|process_cpu_user_seconds_total/);
  expect(metrics).toMatch(/tidemark_turns_total\{[^}]*\} [1-9]/);
  const client = new Client({ name: "test", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${first}/mcp`)));
  expect((await client.listTools()).tools.length).toBeGreaterThan(0);
  await client.close();
  expect(await end()).toBe(0);
}

/** Searches with the smallest ONNX model that there is: a table of vectors, looked up by token. */
async function searchByModel(installed: Installed): Promise<{ mode: string; stderr: string }> {
  const folder = join(installed.folder, "model");
  mkdirSync(folder, { recursive: true });
  const words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "i", "live", "in", "lisbon"];
  const vocab = Object.fromEntries(words.map((word, id) => [word, id]));
  const model = { type: "WordPiece", vocab, unk_token: "[UNK]", continuing_subword_prefix: "##" };
  const tokenizer = {
    version: "1.0",
    added_tokens: [],
    normalizer: { type: "BertNormalizer", lowercase: true },
    pre_tokenizer: { type: "BertPreTokenizer" },
    post_processor: { type: "BertProcessing", cls: ["[CLS]", 2], sep: ["[SEP]", 3] },
    decoder: null,
    model,
  };
  writeFileSync(join(folder, "tokenizer.json"), JSON.stringify(tokenizer));
  writeFileSync(join(folder, "model.onnx"), tableModel(words.length));
  const place = ["-w", join(installed.home, "embedded")];
  await installed.run(["chat", "-m", "I live in Lisbon.", ...place]);
  const set = await installed.run(["config", "set", "embeddingModel", `onnx:${folder}`, ...place]);
  expect(set).toMatchObject({ code: 0 });
  const { stdout, stderr } = await installed.run(["search", "Lisbon", "--json", ...place]);
  return { mode: JSON.parse(stdout).mode, stderr };
}

/** An ONNX file by hand: one Gather of rows of the unit matrix, by the ids of a text's tokens. */
function tableModel(size: number): Buffer {
  const varint = (number: number): number[] =>
    number < 128 ? [number] : [(number & 127) | 128, ...varint(number >> 7)];
  const field = (key: number, value: number | string | Buffer): Buffer => {
    if (typeof value === "number") return Buffer.from([...varint(key * 8), ...varint(value)]);
    const bytes = Buffer.from(value);
    return Buffer.concat([Buffer.from([...varint(key * 8 + 2), ...varint(bytes.length)]), bytes]);
  };
  const concat = (...parts: Buffer[]) => Buffer.concat(parts);
  const [FLOAT, INT64] = [1, 7];
  const tensorOf = (name: string, type: number, ...dims: string[]) => {
    const shape = concat(...dims.map((dim) => field(1, field(2, dim))));
    return concat(field(1, name), field(2, field(1, concat(field(1, type), field(2, shape)))));
  };
  const rows = new Float32Array(size * size).map((_, at) => (at % (size + 1) === 0 ? 1 : 0));
  const table = concat(
    field(1, size),
    field(1, size),
    field(2, FLOAT),
    field(8, "table"),
    field(9, Buffer.from(rows.buffer)),
  );
  const gather = concat(field(1, "table"), field(1, "input_ids"), field(2, "last_hidden_state"), field(4, "Gather"));
  const graph = concat(
    field(1, gather),
    field(2, "table"),
    field(5, table),
    field(11, tensorOf("input_ids", INT64, "rows", "width")),
    field(12, tensorOf("last_hidden_state", FLOAT, "rows", "width", "size")),
  );
  return concat(field(1, 8), field(7, graph), field(8, concat(field(1, ""), field(2, 13))));
}
