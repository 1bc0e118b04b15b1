import type { Command } from "commander";
import { addWorkspaceOption, workspaceOf } from "../workspace.ts";

interface Options {
  message?: string;
  session: string;
  model?: string;
  json?: boolean;
}

/** Adds `chat`. */
export function addChatCommand(program: Command): void {
  addWorkspaceOption(program.command("chat"))
    .description("talk with an agent that remembers; piped lines are turns")
    .option("-m, --message <text>", "one turn, then exit")
    .option("-s, --session <key>", "the session to talk in", "cli:main")
    .option("--model <name>", "talk with this model, provider/model, this time")
    .option("--json", "print one JSON object per turn and event")
    .action(async ({ message, session, model, json }: Options, command: Command) => {
      const { runChat } = await import("../terminal/run-chat.ts");
      await runChat({ workspace: await workspaceOf(command), session, message, model, isJson: json === true });
    });
}
