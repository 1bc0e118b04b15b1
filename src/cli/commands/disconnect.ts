import type { Command } from "commander";
import type { ConnectOptions } from "../connect-client.ts";
import { addWorkspaceOption, workspaceOf } from "../workspace.ts";

/** Adds `disconnect`. */
export function addDisconnectCommand(program: Command): void {
  addWorkspaceOption(program.command("disconnect"))
    .description("remove what connect added to a client's configuration; memory stays")
    .argument("<client>", "the client, as shown by tidemark connect --list")
    .option("--mcp", "only the MCP server")
    .option("--hooks", "only the hooks")
    .option("--project", "in the current folder")
    .option("--dry-run", "show what would be written")
    .option("-y, --yes", "ask nothing")
    .action(async (client: string, options: ConnectOptions, command: Command) => {
      const { disconnectClient } = await import("../connect-client.ts");
      await disconnectClient(client, await workspaceOf(command), options);
    });
}
