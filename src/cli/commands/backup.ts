import type { Command } from "commander";
import type { CopyOptions } from "../../export/back-up.ts";
import { countOf, note, printResult } from "../print.ts";
import { createProgress } from "../terminal/progress.ts";
import { addWorkspaceOption, existingWorkspace, workspaceOf } from "../workspace.ts";
import { isAddressLike } from "../workspace-path.ts";

/** Adds `backup` and `backup restore`. */
export function addBackupCommand(program: Command): void {
  const backup = addWorkspaceOption(program.command("backup"))
    .description("write the whole workspace to one file, even while it is in use")
    .argument("<file>", "where to write it, such as tidemark.tar.gz; any tar can read it")
    .option("--json", "print JSON")
    .action(async (file: string, options: { json?: boolean }, command: Command) => {
      const { backUp } = await import("../../export/back-up.ts");
      const workspace = await needFolder(
        await existingWorkspace(command),
        "back the database up with pg_dump, or copy the workspace (tidemark copy --from ADDRESS --to DIR) and back that up",
      );
      const done = await whileShown("Backing up, MB", "nothing was written", (copy) =>
        backUp(workspace, file, () => new Date(), note, copy),
      );
      if (done === undefined) return;
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
      const workspace = await needFolder(
        await workspaceOf(command),
        "restore the backup into a folder (--workspace DIR), and copy that: tidemark copy --from DIR --to ADDRESS",
      );
      const manifest = await whileShown("Unpacking, MB", "nothing was restored", (copy) =>
        restoreBackup(file, workspace, copy),
      );
      if (manifest === undefined) return;
      printResult(
        options.json,
        { ...manifest, workspace },
        ({ files, at }) => `${countOf(files, "file")} in ${workspace}, as of ${at}; anything newer is not in it`,
      );
    });
}

/** A database is backed up by its own means. */
async function needFolder(workspace: string, instead: string): Promise<string> {
  if (!isAddressLike(workspace)) return workspace;
  const { MemoryError } = await import("../../errors.ts");
  throw new MemoryError("CONFIG_INVALID", `${workspace} is not a folder: ${instead}`);
}

const MEGABYTE = 1e6;

/** Shows how far a copy is; Ctrl-C stops it, and then nothing is left of it. */
async function whileShown<T>(
  label: string,
  outcome: string,
  work: (copy: CopyOptions) => Promise<T>,
): Promise<T | undefined> {
  const stop = new AbortController();
  const onSignal = (): void => stop.abort();
  const bar = createProgress(label);
  process.once("SIGINT", onSignal);
  try {
    const onProgress = (done: number, total: number): void => bar(done / MEGABYTE, total / MEGABYTE);
    return await work({ signal: stop.signal, onProgress });
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    if (process.stderr.isTTY) process.stderr.write("\r\u001B[K");
    note(`stopped; ${outcome}`);
    process.exitCode = 130;
    return undefined;
  } finally {
    process.off("SIGINT", onSignal);
  }
}
