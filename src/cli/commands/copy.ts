import type { Command } from "commander";
import { countOf, note, printResult } from "../print.ts";
import { createProgress } from "../terminal/progress.ts";
import { resolvePlace } from "../workspace-path.ts";

/** Adds `copy`. */
export function addCopyCommand(program: Command): void {
  program
    .command("copy")
    .description("copy a workspace whole to another place, folder or database, and compare both; nothing is merged")
    .requiredOption("--from <place>", "a folder, or postgres://…?workspace=NAME")
    .requiredOption("--to <place>", "the same; it must be empty, or hold an earlier copy that was broken off")
    .option("--json", "print JSON")
    .addHelpText("after", "\nStop what works in either of them first. Broken off, the same command goes on.")
    .action(async (options: { from: string; to: string; json?: boolean }) => {
      const { openStore } = await import("../../open-store.ts");
      const { copyWorkspace } = await import("../../export/copy-workspace.ts");
      const { needPlace } = await import("../need-workspace.ts");
      const from = await openStore(await needPlace(await resolvePlace(options.from)), note);
      try {
        const to = await openStore(await resolvePlace(options.to), note);
        try {
          const report = await copyWorkspace(from, to, createProgress("Copying"));
          printResult(options.json, report, ({ documents, sessions, messages, changes, isResumed }) =>
            [
              `${countOf(documents, "document")}, ${countOf(messages, "message")} in ${countOf(sessions, "session")}, ${countOf(changes, "change")}`,
              isResumed ? `; an earlier copy was gone on with` : "",
              report.differences.length === 0 ? "; both are the same" : "",
            ].join(""),
          );
          for (const name of report.differences) note(`${name} differs`);
          if (report.differences.length === 0) return;
          note("something changed while it was copied; run the same command again");
          process.exitCode = 1;
        } finally {
          await to.store.close();
        }
      } finally {
        await from.store.close();
      }
    });
}
