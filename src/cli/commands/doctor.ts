import type { Command } from "commander";
import type { Examination } from "../examine.ts";
import { printResult } from "../print.ts";
import { addWorkspaceOption, workspaceOf } from "../workspace.ts";

/** Adds `doctor`. */
export function addDoctorCommand(program: Command): void {
  addWorkspaceOption(program.command("doctor"))
    .description("check for problems: configuration, permissions, damaged files, jobs, model")
    .option("--fix", "fix what can be fixed safely")
    .option("--json", "print JSON")
    .action(async (options: { fix?: boolean; json?: boolean }, command: Command) => {
      const { examine } = await import("../examine.ts");
      const examination = await examine({
        workspace: await workspaceOf(command),
        environment: process.env,
        now: new Date(),
        fix: options.fix === true,
      });
      printResult(options.json, examination, renderExamination);
      if (examination.findings.some(({ isFixed }) => !isFixed)) process.exitCode = 1;
    });
}

function renderExamination({ workspace, findings, notes }: Examination): string {
  const lines = findings.map(({ check, problem, fix, isFixable, isFixed }) => {
    if (isFixed) return `fixed  ${check}: ${problem}`;
    return `wrong  ${check}: ${problem}; fix: ${fix}${isFixable ? " (or --fix)" : ""}`;
  });
  const verdict = findings.length === 0 ? [`All is well in ${workspace}`] : lines;
  return [...verdict, ...notes.map((text) => `note   ${text}`)].join("\n");
}
