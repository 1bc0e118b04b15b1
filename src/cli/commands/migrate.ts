import type { Command } from "commander";
import { printResult } from "../print.ts";
import { addWorkspaceOption, chooseWorkspace } from "../workspace.ts";

/** Adds `migrate`. */
export function addMigrateCommand(program: Command): void {
  addWorkspaceOption(program.command("migrate"))
    .description("bring the tables of a database up to date; every command does so by itself when it starts")
    .option("--json", "print JSON")
    .action(async (options: { json?: boolean }, command: Command) => {
      const { MemoryError } = await import("../../errors.ts");
      const { isAddress, readAddress } = await import("../../store/address.ts");
      const { path } = await chooseWorkspace(command);
      if (!isAddress(path))
        throw new MemoryError(
          "CONFIG_INVALID",
          "Only a database is migrated: name it with --store postgres://… or TIDEMARK_STORE; a folder needs no such step",
        );
      const { migrateDatabase } = await import("../../store/postgres/postgres-source.ts");
      const migrated = await migrateDatabase(readAddress(path));
      printResult(options.json, { ...migrated, store: path }, ({ from, to }) =>
        from === to
          ? `The tables are up to date (schema ${to})`
          : `The tables are at schema ${to} now (before: ${from})`,
      );
    });
}
