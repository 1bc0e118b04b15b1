import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { trace } from "@opentelemetry/api";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { describe, expect, it, onTestFinished } from "vitest";
import { runCli } from "../cli/run-cli.ts";
import { openMemory } from "../../src/index.ts";
import { startModel } from "../support/model-server.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { addressOf, pause } from "./own-server.ts";
import { freePort, PASSWORD } from "./postgres-server.ts";

const BIN = join(import.meta.dirname, "../../bin/tidemark.js");
const url = process.env["TIDEMARK_TEST_POSTGRES"] ?? "";
const WRONG = "another-pa55w0rd-that-is-wrong";

/** Every command that talks about where the memory is, or hands it on. */
const COMMANDS: readonly (readonly string[])[] = [
  ["status"],
  ["status", "--json"],
  ["config"],
  ["config", "--json"],
  ["doctor"],
  ["chat", "-m", "My sister Ana lives in Lisbon."],
  ["search", "Lisbon", "--json"],
  ["log"],
  ["migrate"],
  ["backup", "/tmp/never-made.tgz"],
  ["backup", "restore", "/tmp/never-there.tgz"],
  ["hook", "SessionStart"],
  ["connect", "claude-code"],
  ["connect", "codex", "--mcp"],
  ["connect", "--list"],
  ["work", "--once"],
  ["export", "EXPORT"],
  ["no-such-command"],
  ["status", "--no-such-option"],
];

describe("the password of a store", () => {
  it("is in nothing that a command prints or writes, whether it works or not", { timeout: 400_000 }, async () => {
    const home = temporaryFolder();
    const good = addressOf(url, { workspace: `secrecy ${Date.now()}` });
    const wrong = good.replace(PASSWORD, WRONG);
    const run = async (args: readonly string[], store: string, index: number): Promise<string> => {
      const words = args.map((word) => (word === "EXPORT" ? join(home, "exported") : word));
      // Said in a variable, or where everyone can see it.
      const isSaid = index % 2 === 0;
      const env = { HOME: home, TIDEMARK_DEBUG: "1", ...(isSaid ? {} : { TIDEMARK_STORE: store }) };
      const { stdout, stderr } = await runCli(isSaid ? ["--store", store, ...words] : words, { env });
      return `${args.join(" ")}: ${stdout}${stderr}`;
    };
    const shown = [await run(["init", "--yes"], good, 0)];
    for (const store of [good, wrong])
      shown.push(...(await Promise.all(COMMANDS.map((args, index) => run(args, store, index)))));
    expect(shown.filter((text) => text.includes(PASSWORD) || text.includes(WRONG))).toEqual([]);
    expect(shown.filter((text) => text.includes("password authentication failed")).length).toBeGreaterThan(8);
    const files = filesBelow(home);
    expect(files.length).toBeGreaterThan(0);
    expect(files.filter((path) => readFileSync(path).includes(PASSWORD))).toEqual([]);
  });

  it("is in nothing that a server says, serves, or starts", { timeout: 180_000 }, async () => {
    const model = await startModel((request) =>
      request.tools?.some((tool) => tool.function.name === "exec") && request.messages.at(-1)?.role === "user"
        ? { call: "exec", arguments: { command: "cat config.json" } }
        : { text: "Noted." },
    );
    const store = addressOf(url, { workspace: `secret server ${Date.now()}` });
    const setup = await openMemory({ store, passive: true });
    await setup.store.documents.write("config.json", JSON.stringify(model.config));
    await setup.close();
    const port = await freePort();
    // The address stands on its command line, as a person would type it.
    const args = [BIN, "serve", "--store", store, "-p", String(port), "--log", "json"];
    const env = { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent" };
    const child = spawn(process.execPath, args, { env });
    onTestFinished(() => void child.kill("SIGKILL"));
    const said: string[] = [];
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text: Buffer) => said.push(String(text)));
    const at = `http://127.0.0.1:${port}`;
    while (
      !(await fetch(`${at}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      ))
    )
      await pause(100);
    const talking = fetch(`${at}/v1/chat/completions`, {
      method: "POST",
      body: JSON.stringify({ messages: [{ role: "user", content: "What runs here?" }] }),
    });
    // Another one talks meanwhile, with tools.
    const chat = spawn(process.execPath, [BIN, "chat", "--store", store, "-m", "What is set here?"], {
      env,
      stdio: "pipe",
    });
    for (const stream of [chat.stdout, chat.stderr]) stream.on("data", (text: Buffer) => said.push(String(text)));
    chat.stdin.end();
    const ended = once(chat, "exit");
    // Until it runs its own code, a process shows what it was started with.
    for (let tries = 0; /tidemark\.js/.test(listProcesses(chat)) && tries < 1500; tries++) await pause(20);
    const listings: string[] = [];
    for (let look = 0; look < 15; look++) {
      listings.push(listProcesses(child), listProcesses(chat));
      await pause(100);
    }
    const served = [await (await talking).text()];
    const paths = [
      "/healthz",
      "/readyz",
      "/metrics",
      "/api/status",
      "/api/config",
      "/api/sessions",
      "/api/nothing",
      "/openapi.json",
      "/",
    ];
    for (const path of paths) served.push(await (await fetch(`${at}${path}`)).text());
    await ended;
    child.kill("SIGTERM");
    await once(child, "exit");
    expect(served.join("\n")).toContain("Noted.");
    expect(listings.join("\n")).toContain("serve");
    for (const text of [said.join(""), served.join(""), listings.join("")]) expect(text).not.toContain(PASSWORD);
  });

  it("is in no trace and in no error, however closely it is looked at", async () => {
    const exporter = new InMemorySpanExporter();
    trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
    onTestFinished(() => trace.disable());
    const store = addressOf(url, { workspace: `traces ${Date.now()}` });
    const memory = await openMemory({ store });
    const session = await memory.session("cli:a");
    await session.append({ role: "user", content: "My sister Ana lives in Lisbon." });
    await memory.consolidate("cli:a", { all: true });
    await memory.search("Lisbon");
    const errors: unknown[] = [];
    const keep = (work: Promise<unknown>) => work.catch((error: unknown) => errors.push(error));
    await keep(memory.store.documents.read("../x"));
    await keep(openMemory({ store: store.replace(PASSWORD, WRONG) }));
    await keep(openMemory({ store: addressOf(store, { connect_timeout: "1" }, 1) }));
    await memory.close();
    await keep(session.append({ role: "user", content: "too late" }));
    expect(errors).toHaveLength(4);
    const looked = inspect([errors, memory, exporter.getFinishedSpans()], { depth: 12, showHidden: true });
    expect(exporter.getFinishedSpans().length).toBeGreaterThan(0);
    for (const secret of [PASSWORD, WRONG]) expect(looked).not.toContain(secret);
  });
});

/** What anyone on the machine can see of a process and of those that it started. */
function listProcesses({ pid = 0 }: ChildProcess): string {
  const all = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const below = new Set([String(pid)]);
  for (const name of all) if (below.has(parentOf(name))) below.add(name);
  return [...below].map((name) => readQuietly(`/proc/${name}/cmdline`).replaceAll("\0", " ")).join("\n");
}

function parentOf(pid: string): string {
  return readQuietly(`/proc/${pid}/stat`).split(") ").at(-1)?.split(" ")[1] ?? "";
}

function readQuietly(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}
