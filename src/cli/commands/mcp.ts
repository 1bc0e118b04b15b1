import type { Command } from "commander";
import { parseCount } from "../parse-count.ts";
import { note } from "../print.ts";
import { readVersion } from "../read-version.ts";
import { addWorkspaceOption, workspaceOf } from "../workspace.ts";

/** Adds `mcp`. */
export function addMcpCommand(program: Command): void {
  addWorkspaceOption(program.command("mcp"))
    .description("serve memory to an MCP client over stdin and stdout")
    .option("--session <key>", "the session used by tools that name none", "mcp:main")
    .option("--max-tokens <count>", "what one result may take of the client's context (4000)", parseCount)
    .action(async (options: { session: string; maxTokens?: number }, command: Command) => {
      const { openMemory } = await import("../../memory.ts");
      const { serveMcpStdio } = await import("../../mcp/serve-mcp-stdio.ts");
      const { DEFAULT_MAX_TOKENS } = await import("../../mcp/mcp-setup.ts");
      const memory = await openMemory({ workspace: await workspaceOf(command), isLongRunning: true, onNotice: note });
      const { session, maxTokens = DEFAULT_MAX_TOKENS } = options;
      const [inputEnded, stopped] = [untilInputEnds(), untilSignal()];
      const served = await serveMcpStdio({ memory, session, maxTokens, version: readVersion() }, ({ message }) =>
        note(message),
      );
      await Promise.race([inputEnded, stopped]);
      await Promise.race([served.finish(LONGEST_FINISH_MS), stopped.then(() => served.finish(SHORT_FINISH_MS))]);
      await served.close();
      await memory.close();
    });
}

// A client that has closed the input may still read; one that sends a signal does not wait for long.
const LONGEST_FINISH_MS = 30_000;
const SHORT_FINISH_MS = 1000;

/** A client ends the server by closing its input, or by a signal. */
function untilInputEnds(): Promise<void> {
  return new Promise((resolve) => void process.stdin.once("close", resolve).once("end", resolve));
}

function untilSignal(): Promise<void> {
  return new Promise((resolve) => void process.once("SIGINT", resolve).once("SIGTERM", resolve));
}
