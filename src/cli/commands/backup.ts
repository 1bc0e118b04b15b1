import type { Command } from "commander";
import { countOf, note, printResult } from "../print.ts";
import { addWorkspaceOption, existingWorkspace, isAddressLike, workspaceOf } from "../workspace.ts";

/** Adds `backup` and `backup restore`. */
export function addBackupCommand(program: Command): void {
  const backup = addWorkspaceOption(program.command("backup"))
    .description("write the whole workspace to one file, while others go on working in it")
    .argument("<file>", "where to write it, such as tidemark.tar.gz; any tar can read it")
    .option("--json", "print JSON")
    .action(async (file: string, options: { json?: boolean }, command: Command) => {
      const { backUp } = await import("../../export/back-up.ts");
      const done = await backUp(await needFolder(await existingWorkspace(command)), file, () => new Date(), note);
      printResult(
        options.json,
        done,
        ({ path, files, bytes }) => `${countOf(files, "file")}, ${countOf(bytes, "byte")} in ${path}`,
      );
    });
  addWorkspaceOption(backup.command("restore"))
    .description("restore a workspace from a backup; an existing one is never touched")
    .argument("<file>", "what `tidemark backup` wrote")
    .option("--json", "print JSON")
    .action(async (file: string, options: { json?: boolean }, command: Command) => {
      const { restoreBackup } = await import("../../export/restore-backup.ts");
      const workspace = await needFolder(await workspaceOf(command));
      const manifest = await restoreBackup(file, workspace);
      printResult(
        options.json,
        { ...manifest, workspace },
        ({ files, at }) =>
          `${countOf(files, "file")} in ${workspace}, as they were at ${at}; what happened since then is not in it`,
      );
    });
}

/** A database is backed up by its own means. */
async function needFolder(workspace: string): Promise<string> {
  if (!isAddressLike(workspace)) return workspace;
  const { MemoryError } = await import("../../errors.ts");
  throw new MemoryError(
    "CONFIG_INVALID",
    `${workspace} is not a folder: back the database up with pg_dump, or copy the workspace (tidemark copy --from ADDRESS --to DIR) and back that up`,
  );
}
