import type { Command } from "commander";
import { printResult } from "../print.ts";
import { addWorkspaceOption, withMemory } from "../workspace.ts";

/** Adds `restore`. */
export function addRestoreCommand(program: Command): void {
  addWorkspaceOption(program.command("restore"))
    .description("bring MEMORY.md back to what it was after a change; `tidemark undo` reverts this")
    .argument("<change>", "a change, as `tidemark log` shows them")
    .option("--json", "print JSON")
    .action(async (id: string, { json }: { json?: boolean }, command: Command) => {
      await withMemory(command, { passive: true }, async ({ trust }) => {
        const restored = await trust.restore(id, "user");
        printResult(json, restored, ({ kind, change, added, removed }) =>
          [
            kind === "nothing"
              ? `MEMORY.md is already as it was after ${change}.`
              : `MEMORY.md is back as it was after ${change}.`,
            ...removed.map((fact) => `  - ${fact}`),
            ...added.map((fact) => `  + ${fact}`),
          ].join("\n"),
        );
      });
    });
}
