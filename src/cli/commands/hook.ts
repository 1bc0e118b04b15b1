import type { Command } from "commander";
import { note } from "../print.ts";
import { addWorkspaceOption, isAddressLike, workspaceOf } from "../workspace.ts";

/** Adds `hook`. */
export function addHookCommand(program: Command): void {
  addWorkspaceOption(program.command("hook"))
    .description("what the hooks of a client run; tidemark connect sets them up")
    .argument("[event]", "SessionStart, UserPromptSubmit, Stop, PreCompact or SessionEnd, or the client's name for it")
    .option("--client <name>", "whose hook it is", "claude-code")
    .option("--stay", "stay and answer the hooks of this workspace until nobody asks any more")
    .addHelpText(
      "after",
      "\nThe client's input comes on stdin. It never fails: what went wrong is shown by tidemark status.",
    )
    .action(async (event: string | undefined, options: { client: string; stay?: boolean }, command: Command) => {
      const workspace = await workspaceOf(command);
      if (isAddressLike(workspace)) {
        note("hooks need a workspace in a folder; clients reach this one by MCP: tidemark connect CLIENT --mcp");
        return;
      }
      const { hookMain, programId } = await import("../hook-main.ts");
      if (options.stay) {
        const { runHost } = await import("../../hook/open-host.ts");
        const { loadConfig } = await import("../../config.ts");
        const { idleMinutes } = loadConfig(workspace).hooks;
        await runHost({ workspace, program: programId(), idleMs: idleMinutes * 60_000 });
        return;
      }
      if (event === undefined) command.error("error: missing required argument 'event'");
      await hookMain({ event, client: options.client, workspace });
    });
}
