import type { Command } from "commander";
import type { UndoOutcome } from "../../change/plan-undo.ts";
import { printResult } from "../print.ts";
import { addWorkspaceOption, withMemory } from "../workspace.ts";

interface Options {
  partial?: boolean;
  session?: string;
  json?: boolean;
}

/** Adds `undo`. */
export function addUndoCommand(program: Command): void {
  addWorkspaceOption(program.command("undo"))
    .description("undo a change of MEMORY.md, yours too; later edits stay")
    .argument("[change]", "a change, as `tidemark log` shows them (an undo, too); the newest by default")
    .option("--partial", "where something has changed since, undo the rest")
    .option("--session <key>", "use this session's memory, where sessions or users have their own")
    .option("--json", "print JSON")
    .action(async (id: string | undefined, { partial, session, json }: Options, command: Command) => {
      await withMemory(command, { passive: true }, async (memory) => {
        const outcome = await memory.undo({ id, key: session, by: "user", partial });
        printResult(json, outcome, renderUndo);
        if (outcome.kind !== "undone") process.exitCode = 1;
      });
    });
}

function renderUndo(outcome: UndoOutcome): string {
  if (outcome.kind === "nothing") return "There is nothing to undo.";
  const conflicts = (outcome.kind === "conflict" ? outcome.conflicts : outcome.left).map(
    ({ fact, became, change }) => `  ${fact}\n    ${change} made it: ${became ?? "(gone)"}`,
  );
  if (outcome.kind === "conflict") {
    return [
      "Nothing was undone: these facts have changed since. Edit MEMORY.md, undo the later change first, or use --partial.",
      ...conflicts,
    ].join("\n");
  }
  return [
    `Undid ${outcome.change} (${outcome.cause}).`,
    ...outcome.removed.map((fact) => `  - ${fact}`),
    ...outcome.restored.map((fact) => `  + ${fact}`),
    ...(conflicts.length > 0 ? ["Left as they are:", ...conflicts] : []),
  ].join("\n");
}
