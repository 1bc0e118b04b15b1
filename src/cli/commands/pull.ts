import type { Command } from "commander";
import type { PulledFolder } from "../../export/pull-folder.ts";
import { countOf, note, printResult } from "../print.ts";
import { addWorkspaceOption, withMemory } from "../workspace.ts";
import { expandPath } from "../workspace-path.ts";

/** Adds `pull` and `push`. */
export function addPullCommands(program: Command): void {
  addWorkspaceOption(program.command("pull"))
    .description("write the workspace as a folder of files, to read and edit; again later, to bring them up to date")
    .argument("<dir>", "an empty folder, or one that was pulled before")
    .option("--json", "print JSON")
    .action(async (dir: string, options: { json?: boolean }, command: Command) => {
      const { pullFolder } = await import("../../export/pull-folder.ts");
      await withMemory(command, { readOnly: true }, async ({ store, workspace }) => {
        tell(options.json, await pullFolder(store, workspace, expandPath(dir)), "written");
      });
    });
  addWorkspaceOption(program.command("push"))
    .description("bring what was edited in a pulled folder back, merged with what changed meanwhile")
    .argument("<dir>", "a folder that was pulled")
    .option("--json", "print JSON")
    .action(async (dir: string, options: { json?: boolean }, command: Command) => {
      const { pushFolder } = await import("../../export/pull-folder.ts");
      await withMemory(command, { passive: true }, async ({ store, workspace, trust }) => {
        const pushed = await pushFolder(store, workspace, expandPath(dir));
        // On record at once: those who only look next cannot put it there, but in a folder.
        if (pushed.changed.length > 0) await trust.log({ limit: 1 });
        tell(options.json, pushed, "pushed");
      });
    });
}

function tell(isJson: boolean | undefined, folder: PulledFolder, verb: string): void {
  printResult(isJson, folder, ({ changed, merged, removed, same }) =>
    [
      `${countOf(changed.length, "file")} ${verb}, ${merged.length} of them merged; ${removed.length} removed, ${same} as they were`,
      ...changed.map((path) => `  ${merged.includes(path) ? "merged " : ""}${path}`),
      ...removed.map((path) => `  removed ${path}`),
    ].join("\n"),
  );
  for (const path of folder.refused) note(`${path} is left alone: what was said is never changed`);
  for (const { path, ours, theirs } of folder.conflicts)
    note(
      ours === undefined || theirs === undefined
        ? `conflict in ${path}: one side removed it, and the other changed it; both are as they were`
        : `conflict in ${path}: here "${ours}", there "${theirs}"; make the file say what it shall say, pull, and push again`,
    );
  if (folder.conflicts.length > 0) process.exitCode = 1;
}
