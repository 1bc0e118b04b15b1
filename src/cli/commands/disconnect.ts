import type { Command } from "commander";
import type { ConnectOptions } from "../connect-client.ts";
import { addWorkspaceOption, workspaceOf } from "../workspace.ts";

/** Adds `disconnect`. */
export function addDisconnectCommand(program: Command): void {
  addWorkspaceOption(program.command("disconnect"))
    .description("take out of a client's configuration what connect put in; memory stays")
    .argument("<client>", "the client, as in tidemark connect --list")
    .option("--mcp", "only the MCP server")
    .option("--hooks", "only the hooks")
    .option("--project", "in the folder that you are in")
    .option("--dry-run", "show what would be written")
    .option("-y, --yes", "ask nothing")
    .action(async (client: string, options: ConnectOptions, command: Command) => {
      const { disconnectClient } = await import("../connect-client.ts");
      await disconnectClient(client, await workspaceOf(command), options);
    });
}
