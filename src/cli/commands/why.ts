import type { Command } from "commander";
import { printResult } from "../print.ts";
import { addWorkspaceOption, withMemory } from "../workspace.ts";

/** Adds `why`. */
export function addWhyCommand(program: Command): void {
  addWorkspaceOption(program.command("why"))
    .description(
      "explain why something is or was believed: session, message, quote, change, model; when it entered and left",
    )
    .argument("<fact...>", "the fact, or some of its words")
    .option("--session <key>", "use this session's memory, where sessions or users have their own")
    .option("--json", "print JSON")
    .action(async (words: string[], options: { session?: string; json?: boolean }, command: Command) => {
      const { renderStory } = await import("../trust/render.ts");
      await withMemory(command, { readOnly: true }, async ({ trust }) => {
        const stories = await trust.why(words.join(" "), options.session);
        printResult(
          options.json,
          { stories },
          () => stories.map(renderStory).join("\n\n") || "No such fact is on record, now or earlier.",
        );
        if (stories.length === 0) process.exitCode = 1;
      });
    });
}
