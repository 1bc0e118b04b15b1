import type { Command } from "commander";
import type { ConnectOptions } from "../connect-client.ts";
import { printResult } from "../print.ts";
import { addWorkspaceOption, workspaceOf } from "../workspace.ts";

interface Options extends ConnectOptions {
  list?: boolean;
  json?: boolean;
}

/** Adds `connect`. */
export function addConnectCommand(program: Command): void {
  addWorkspaceOption(program.command("connect"))
    .description("connect an agent you use: its MCP server, and its hooks where it has any")
    .argument("[client]", "claude-code, codex, cursor, vscode, opencode and others; --list shows them all")
    .option("--mcp", "only the MCP server")
    .option("--hooks", "only the hooks: memory works on its own")
    .option("--project", "for the current folder only, not for everything you do")
    .option("--dry-run", "show what would be written")
    .option("-y, --yes", "ask nothing")
    .option("--list", "list the clients: which are installed, which are connected")
    .option("--json", "print the list as JSON")
    .addHelpText(
      "after",
      "\nA copy of each changed file is kept next to it; tidemark disconnect removes what was added.",
    )
    .action(async (client: string | undefined, options: Options, command: Command) => {
      if (options.list) return list(options.json);
      if (client === undefined) command.error("error: missing required argument 'client' (--list shows them all)");
      const { connectClient } = await import("../connect-client.ts");
      await connectClient(client, await workspaceOf(command), options);
    });
}

async function list(isJson: boolean | undefined): Promise<void> {
  const { homedir } = await import("node:os");
  const { listConnections, renderConnections } = await import("../list-connections.ts");
  const { thisMachine } = await import("../program-launch.ts");
  printResult(isJson, listConnections(thisMachine(homedir())), renderConnections);
}
