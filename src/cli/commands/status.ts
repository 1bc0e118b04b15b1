import type { Command } from "commander";
import { printResult } from "../print.ts";
import { addWorkspaceOption, withMemory } from "../workspace.ts";

/** Adds `status`. */
export function addStatusCommand(program: Command): void {
  addWorkspaceOption(program.command("status"))
    .description("show sessions, what is due, memory, jobs and today's spending")
    .option("--json", "print JSON")
    .action(async (options: { json?: boolean }, command: Command) => {
      const { readStatus, renderStatus } = await import("../read-status.ts");
      const status = await withMemory(command, { readOnly: true }, (memory) => readStatus(memory, new Date()));
      printResult(options.json, status, renderStatus);
    });
}
