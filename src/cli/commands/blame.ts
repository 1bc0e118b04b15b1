import type { Command } from "commander";
import { printResult } from "../print.ts";
import { addWorkspaceOption, withMemory } from "../workspace.ts";

/** Adds `blame`. */
export function addBlameCommand(program: Command): void {
  addWorkspaceOption(program.command("blame"))
    .description("show where each fact in MEMORY.md comes from: when, which change, by whom, message, quote")
    .argument("[file]", "MEMORY.md, the only file with facts")
    .option("--session <key>", "use this session's memory, where sessions or users have their own")
    .option("--json", "print JSON")
    .action(async (file: string | undefined, options: { session?: string; json?: boolean }, command: Command) => {
      if (file !== undefined && !/(?:^|\/)MEMORY\.md$/i.test(file))
        command.error(`only MEMORY.md has facts; ${file} has none`);
      const { renderSource } = await import("../trust/render.ts");
      await withMemory(command, { readOnly: true }, async ({ trust }) => {
        const facts = await trust.blame(options.session);
        const render = () =>
          facts.map((story) => `${story.line}: ${story.fact}\n    ${renderSource(story)}`).join("\n");
        printResult(options.json, { facts }, () => render() || "MEMORY.md holds no facts yet.");
      });
    });
}
