import type { Command } from "commander";
import { MemoryError } from "../../errors.ts";
import { isAddress } from "../../store/address.ts";
import { countOf, note, printResult } from "../print.ts";
import { addWorkspaceOption, existingWorkspace, workspaceOf } from "../workspace.ts";

/** Adds `backup` and `backup restore`. */
export function addBackupCommand(program: Command): void {
  const backup = addWorkspaceOption(program.command("backup"))
    .description("write the whole workspace to one file, while others go on working in it")
    .argument("<file>", "where to write it, such as tidemark.tar.gz; any tar can read it")
    .option("--json", "print JSON")
    .action(async (file: string, options: { json?: boolean }, command: Command) => {
      const { backUp } = await import("../../export/back-up.ts");
      const done = await backUp(needFolder(await existingWorkspace(command)), file, () => new Date(), note);
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
      const workspace = needFolder(await workspaceOf(command));
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
function needFolder(workspace: string): string {
  if (!isAddress(workspace)) return workspace;
  throw new MemoryError(
    "CONFIG_INVALID",
    `${workspace} is not a folder: back the database up with pg_dump, or copy the workspace (tidemark copy --from ADDRESS --to DIR) and back that up`,
  );
}
