import type { Command } from "commander";
import { countOf, note, printResult } from "../print.ts";
import { showIndexing } from "../show-indexing.ts";
import { addWorkspaceOption, workspaceOf } from "../workspace.ts";
import type { WithRecall } from "./search.ts";

/** Adds `index`. */
export function addIndexCommand(program: Command, withRecall: WithRecall): void {
  addWorkspaceOption(program.command("index"))
    .description("bring the search index up to date and show progress; every search does this too")
    .option("--rebuild", "delete the index and build it again")
    .option("--json", "print JSON")
    .action(async (flags: { rebuild?: boolean; json?: boolean }, command: Command) => {
      await withRecall(command, async (recall) => {
        const report = await recall.index({ rebuild: flags.rebuild ?? false, onProgress: showIndexing() });
        for (const text of report.notes) note(text);
        const { describeLeftOut } = await import("../left-out.ts");
        const leftOut = describeLeftOut(await workspaceOf(command));
        if (leftOut !== undefined) note(leftOut);
        printResult(flags.json, report, ({ changed, removed, embedded, waiting, size }) =>
          [
            `${countOf(changed, "file")} read, ${removed} gone, ${countOf(embedded, "passage")} embedded.`,
            ...(waiting > 0 ? [`${countOf(waiting, "passage")} still without a vector.`] : []),
            `Indexed: ${countOf(size.passages, "passage")} of ${countOf(size.sources, "file")}.`,
          ].join("\n"),
        );
      });
    });
}
