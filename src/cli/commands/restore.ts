import type { Command } from "commander";
import { printResult } from "../print.ts";
import { addWorkspaceOption, withMemory } from "../workspace.ts";

/** Adds `restore`. */
export function addRestoreCommand(program: Command): void {
  addWorkspaceOption(program.command("restore"))
    .description("bring MEMORY.md back to an earlier revision; `tidemark undo` reverts this")
    .argument("<revision>", "a revision such as r12, or a run")
    .option("--json", "print JSON")
    .action(async (id: string, { json }: { json?: boolean }, command: Command) => {
      await withMemory(command, { passive: true }, async ({ trust }) => {
        const restored = await trust.restore(id, "user");
        printResult(json, restored, ({ kind, revision, added, removed }) =>
          [
            kind === "nothing"
              ? `MEMORY.md is already as it was at r${revision}.`
              : `MEMORY.md is back at r${revision}.`,
            ...removed.map((fact) => `  - ${fact}`),
            ...added.map((fact) => `  + ${fact}`),
          ].join("\n"),
        );
      });
    });
}
