import { Argument } from "commander";
import type { Command } from "commander";

/** Adds `completion`. */
export function addCompletionCommand(program: Command): void {
  program
    .command("completion")
    .description("print the completion script for a shell")
    .addArgument(new Argument("<shell>", "the shell").choices(["bash", "zsh", "fish"]))
    .action(async (shell: string) => {
      const { renderCompletion } = await import("../render-completion.ts");
      process.stdout.write(renderCompletion(program, shell));
    });
}
