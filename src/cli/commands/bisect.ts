import type { Command } from "commander";
import { printResult } from "../print.ts";
import { addWorkspaceOption, withMemory } from "../workspace.ts";

/** Adds `bisect`. */
export function addBisectCommand(program: Command): void {
  addWorkspaceOption(program.command("bisect"))
    .description("say where a belief entered MEMORY.md, and where it left")
    .argument("<fact...>", "the fact, or words of it")
    .option("--session <key>", "the memory of this session, where sessions or users have their own")
    .option("--json", "print JSON")
    .action(async (words: string[], options: { session?: string; json?: boolean }, command: Command) => {
      const { shortTime } = await import("../trust/render.ts");
      await withMemory(command, { passive: true }, async ({ trust }) => {
        const events = await trust.bisect(words.join(" "), options.session);
        const render = () =>
          events
            .map(
              ({ kind, fact, revision, at, author, cause, run }) =>
                `${shortTime(at)}  r${revision}${run === null ? "" : ` ${run}`}  ${kind}  ${author} (${cause}): ${fact}`,
            )
            .join("\n");
        printResult(options.json, { events }, () => render() || "MEMORY.md never said so.");
        if (events.length === 0) process.exitCode = 1;
      });
    });
}
