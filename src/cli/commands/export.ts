import type { Command } from "commander";
import { countOf, note, printResult } from "../print.ts";
import { createProgress } from "../terminal/progress.ts";
import { addWorkspaceOption, withMemory } from "../workspace.ts";

/** Adds `export`. */
export function addExportCommand(program: Command): void {
  addWorkspaceOption(program.command("export"))
    .description("write everything as plain files: sessions, memory, notes, and the log of changes and facts")
    .argument("<dir>", "an empty folder, or one that holds an earlier export")
    .option("--json", "print JSON")
    .action(async (dir: string, options: { json?: boolean }, command: Command) => {
      const { exportWorkspace } = await import("../../export/export-workspace.ts");
      await withMemory(command, { readOnly: true }, async (memory) => {
        const report = await exportWorkspace(memory, dir, () => new Date(), createProgress("Exporting sessions"));
        for (const { path, reason } of report.skipped) note(`${path} was skipped: ${reason}`);
        printResult(options.json, report, ({ sessions, archived, messages, changes, facts }) =>
          [
            `${countOf(messages, "message")} in ${countOf(sessions, "session")} and ${archived} archived`,
            `${countOf(changes, "change")}, ${countOf(facts, "fact")}`,
          ].join("; "),
        );
      });
    });
}
