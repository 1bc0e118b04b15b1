import type { Command } from "commander";
import { printResult } from "../print.ts";
import { addWorkspaceOption, withMemory } from "../workspace.ts";

/** Adds `diff`. */
export function addDiffCommand(program: Command): void {
  addWorkspaceOption(program.command("diff"))
    .description("show what a run or revision changed in MEMORY.md, or how two revisions differ")
    .argument("<id>", "a run, or a revision such as r12, as `tidemark log` shows them")
    .argument("[other]", "a later revision to compare it with")
    .option("--json", "print JSON")
    .action(async (id: string, other: string | undefined, { json }: { json?: boolean }, command: Command) => {
      const { diffLines, renderDiff } = await import("../../trust/diff-lines.ts");
      const { diffFacts } = await import("../../trust/change.ts");
      await withMemory(command, { passive: true }, async ({ trust }) => {
        const one = (await trust.find(id)).change;
        const two = other === undefined ? one : (await trust.find(other)).change;
        const before = (other === undefined ? one?.before : one?.revision.text) ?? "";
        const after = two?.revision.text ?? before;
        const value = {
          before: one?.revision.id ?? null,
          after: two?.revision.id ?? null,
          ...diffFacts(before, after),
        };
        const lines = diffLines(before, after).filter(({ kind }) => kind !== " ");
        printResult(json, { ...value, lines }, () => renderDiff(before, after) || "MEMORY.md was not changed.");
      });
    });
}
