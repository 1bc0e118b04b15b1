import type { Command } from "commander";
import type { SyncProgress } from "../../search/search.ts";
import { countOf, note, printResult } from "../print.ts";
import { createProgress } from "../terminal/progress.ts";
import type { ShowProgress } from "../terminal/progress.ts";
import { addWorkspaceOption } from "../workspace.ts";
import type { WithRecall } from "./search.ts";

/** Adds `index`. */
export function addIndexCommand(program: Command, withRecall: WithRecall): void {
  addWorkspaceOption(program.command("index"))
    .description("bring the search index up to date; searching does it by itself, this shows how far it is")
    .option("--rebuild", "throw the index away and make it again")
    .option("--json", "print JSON")
    .action(async (flags: { rebuild?: boolean; json?: boolean }, command: Command) => {
      await withRecall(command, async (recall) => {
        const report = await recall.index({ rebuild: flags.rebuild ?? false, onProgress: showProgress() });
        for (const text of report.notes) note(text);
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

function showProgress(): (progress: SyncProgress) => void {
  const bars = new Map<string, ShowProgress>();
  return ({ phase, done, total }) => {
    const show = bars.get(phase) ?? createProgress(phase);
    bars.set(phase, show);
    show(done, total);
  };
}
