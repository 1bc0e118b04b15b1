import type { Command } from "commander";
import { addWorkspaceOption, workspaceOf } from "../workspace.ts";

/** Adds `hook`. */
export function addHookCommand(program: Command): void {
  addWorkspaceOption(program.command("hook"))
    .description("run by a client's hooks; tidemark connect sets them up")
    .argument("[event]", "SessionStart, UserPromptSubmit, Stop, PreCompact or SessionEnd, or the client's name for it")
    .option("--client <name>", "whose hook it is", "claude-code")
    .option("--stay", "keep running and answer this workspace's hooks until they go quiet")
    .addHelpText(
      "after",
      "\nThe client's input comes on stdin. It always exits 0; tidemark status shows what went wrong.",
    )
    .action(async (event: string | undefined, options: { client: string; stay?: boolean }, command: Command) => {
      const workspace = await workspaceOf(command);
      const { canHook, hookMain, programId } = await import("../hook-main.ts");
      if (options.stay) {
        if (!canHook(workspace)) return;
        await stay(workspace, programId());
        return;
      }
      if (event === undefined) command.error("error: missing required argument 'event'");
      await hookMain({ event, client: options.client, workspace });
    });
}

/** Nobody sees what a process apart from its client says: what keeps it from staying is put on record. */
async function stay(workspace: string, program: string): Promise<void> {
  const { runHost } = await import("../../hook/run-host.ts");
  const { loadConfig } = await import("../../config.ts");
  try {
    const { idleMinutes } = loadConfig(workspace).hooks;
    await runHost({ workspace, program, idleMs: idleMinutes * 60_000 });
  } catch (error) {
    const { describeError } = await import("../../errors.ts");
    const { putOnRecord } = await import("../../hook/run-hook.ts");
    putOnRecord(workspace, {
      at: new Date().toISOString(),
      client: "tidemark",
      event: "--stay",
      reason: describeError(error),
    });
    throw error;
  }
}
