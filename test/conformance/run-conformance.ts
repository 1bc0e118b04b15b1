import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openMemory } from "../../src/index.ts";
import { openMcpHttp } from "../../src/mcp/open-mcp-http.ts";
import { createApp } from "../../src/server/create-app.ts";
import { listen } from "../../src/server/listen.ts";
import { addFixtures } from "./fixtures.ts";

const SUITE = "@modelcontextprotocol/conformance@0.1.16";

/** Runs the conformance suite of MCP against the server as it is shipped, with what the suite needs added to it. */
const workspace = mkdtempSync(join(tmpdir(), "tidemark-conformance-"));
const memory = await openMemory({ workspace, isLongRunning: true });
const world = { memory, session: "mcp:main", maxTokens: 4000, version: "0.0.0", addMore: addFixtures };
const mcp = await openMcpHttp(world, (error) => process.stderr.write(`${error.message}\n`));
const app = createApp(memory, { version: "0.0.0", mcp: (request) => mcp.fetch(request) });
const server = await listen(app, { host: "127.0.0.1", port: 0 });
try {
  const suite = ["--yes", SUITE, "server", "--url", `${server.url}/mcp`, "--output-dir", join(workspace, "results")];
  // Pending scenarios as well, unless something else is asked for.
  const asked = process.argv.length > 2 ? process.argv.slice(2) : ["--suite", "all"];
  const child = spawn("npx", [...suite, ...asked], { stdio: "inherit", cwd: workspace });
  process.exitCode = await new Promise<number>((resolve) => child.once("exit", (code) => resolve(code ?? 1)));
} finally {
  await server.close(0);
  await mcp.close();
  await app.finish();
  await memory.close();
  rmSync(workspace, { recursive: true, force: true });
}
