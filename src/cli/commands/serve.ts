import { InvalidArgumentError, Option } from "commander";
import type { Command } from "commander";
import { parseCount } from "../parse-count.ts";
import { countOf } from "../print.ts";
import { untilSignal } from "../until-signal.ts";
import { readVersion } from "../read-version.ts";
import { addWorkspaceOption, workspaceOf } from "../workspace.ts";

interface ServeFlags {
  host: string;
  port: number;
  token?: string;
  tokens?: string;
  allowHost?: string[];
  allowOrigin?: string[];
  session: string;
  readOnly?: boolean;
  drain: number;
  log: "text" | "json";
  metrics: "token" | "open" | "off";
}

const DEFAULT_PORT = 8420;
const HIGHEST_PORT = 65_535;
// Who stops servers usually waits for half a minute before it kills them.
const DRAIN_SECONDS = 25;
// Requests that are no turns are short.
const CLOSE_MS = 3000;

/** Adds `serve`. */
export function addServeCommand(program: Command): void {
  addWorkspaceOption(program.command("serve"))
    .description("serve memory over HTTP: the inspector, APIs for OpenAI and Anthropic clients, a JSON API, and MCP")
    .option("--host <address>", "where to listen; anything but loopback needs a token", "127.0.0.1")
    .option("-p, --port <number>", "the port; 0 picks a free one", parsePort, DEFAULT_PORT)
    .option("--token <token>", "required from every client; TIDEMARK_TOKEN by default")
    .option(
      "--tokens <file>",
      'users\' own tokens: {"token": {"scope": "telegram:12345", "access": "read" or "write"}}',
    )
    .option("--allow-host <names...>", "names by which clients may address the server, besides loopback's")
    .option("--allow-origin <origins...>", "web pages that may call it, such as https://app.example")
    .option("--session <key>", "the session used by MCP tools that name none", "mcp:main")
    .option("--read-only", "refuse everything that would change something")
    .option("--drain <seconds>", "how long turns may go on when this is told to stop", parseCount, DRAIN_SECONDS)
    .addOption(
      new Option("--log <form>", "on stderr: words, or a line of JSON for each request and event")
        .choices(["text", "json"])
        .default("text"),
    )
    .addOption(
      new Option("--metrics <who>", "who may read /metrics: holders of a token for everything, anyone, or no one")
        .choices(["token", "open", "off"])
        .default("token"),
    )
    .addHelpText("after", HELP_END)
    .action(async (flags: ServeFlags, command: Command) => serve(flags, await workspaceOf(command)));
}

const HELP_END = `
  /                       the inspector: the memory in a browser
  /v1/chat/completions, /v1/responses, /v1/embeddings, /v1/models
                          for OpenAI's clients: set their base URL to http://127.0.0.1:${DEFAULT_PORT}/v1
  /v1/messages            for Anthropic's: set theirs to http://127.0.0.1:${DEFAULT_PORT}
  /api/…, /openapi.json   the JSON API and its description
  /mcp                    MCP over Streamable HTTP
  /healthz, /readyz       whether it is alive, and whether it should be sent requests; no token
  /metrics                figures for Prometheus

SIGTERM and SIGINT drain it: no new turns (503), those under way finish, then it leaves.`;

async function serve(flags: ServeFlags, workspace: string): Promise<void> {
  const { setFlagsFromString } = await import("node:v8");
  // A server lives long and keeps little: measured, this holds it at 170 MB instead of 470, for a few ms at p95.
  setFlagsFromString("--optimize-for-size");
  const { openMemory } = await import("../../memory.ts");
  const { createApp } = await import("../../server/create-app.ts");
  const { openInspector } = await import("../../server/inspector/open-inspector.ts");
  const { examine } = await import("../examine.ts");
  const { isLoopback } = await import("../../server/guard.ts");
  const { listen } = await import("../../server/listen.ts");
  const { openWatch } = await import("../../server/watch.ts");
  const { openServerLog } = await import("../server-log.ts");
  const { createUserMcp, openMcpHttp } = await import("../../mcp/open-mcp-http.ts");
  const { checkTokens, loadTokens } = await import("../../server/tokens.ts");
  const { DEFAULT_MAX_TOKENS } = await import("../../mcp/mcp-setup.ts");
  const version = readVersion();
  const token = (flags.token ?? process.env["TIDEMARK_TOKEN"]) || undefined;
  const tokens = flags.tokens === undefined ? undefined : await loadTokens(flags.tokens);
  const { host, port, session, readOnly: isReadOnly = false } = flags;
  const log = openServerLog(flags.log);
  const note = (text: string): void => log.note(text);
  const memory = await openMemory({ workspace, isLongRunning: true, readOnly: isReadOnly, onNotice: note });
  const watch = await openWatch(memory, { version, metrics: flags.metrics, onRequest: log.request });
  const setup = { memory, session, maxTokens: DEFAULT_MAX_TOKENS, version, isReadOnly };
  const mcp = await openMcpHttp(setup, ({ message }) => note(message));
  const ofUsers = createUserMcp(setup, ({ message }) => note(message));
  const inspector = openInspector(memory, {
    version,
    token,
    tokens,
    isReadOnly,
    examine: () => examine({ workspace, environment: process.env, now: new Date(), fix: false }),
  });
  try {
    checkTokens(memory, tokens);
    const app = createApp(memory, {
      version,
      token,
      tokens,
      inspector,
      allowedHosts: [host, ...(flags.allowHost ?? [])],
      allowsAddresses: !isLoopback(host),
      allowedOrigins: flags.allowOrigin,
      mcp: async (request, caller) =>
        caller.scope === undefined && caller.canWrite
          ? mcp.fetch(request)
          : (await ofUsers.open(caller)).fetch(request),
      onError: note,
      watch,
    });
    const server = await listen(app, { host, port, token: token ?? flags.tokens });
    process.stdout.write(`${server.url}\n`);
    log.step("listening", "", { url: server.url, version });
    await untilSignal();
    const turns = watch.turns.underWay;
    log.step("draining", `stopping; ${countOf(turns, "turn")} under way`, { turns });
    const areOver = await watch.turns.drain(flags.drain * 1000);
    const brokenOff = watch.turns.underWay;
    inspector.close();
    const closing = server.close(areOver ? CLOSE_MS : 0);
    await mcp.close();
    await ofUsers.close();
    await closing;
    // What is left of turns that were broken off is stored before the memory closes.
    if (!areOver) await watch.turns.drain(CLOSE_MS);
    await app.finish();
    log.step("stopped", brokenOff === 0 ? "" : `${countOf(brokenOff, "turn")} broken off`, { brokenOff });
  } finally {
    watch.metrics?.close();
    await memory.close();
  }
}

/** A port, or 0 for any that is free. */
export function parsePort(text: string): number {
  const port = text === "0" ? 0 : parseCount(text);
  if (port > HIGHEST_PORT) throw new InvalidArgumentError(`It must be ${HIGHEST_PORT} at most.`);
  return port;
}
