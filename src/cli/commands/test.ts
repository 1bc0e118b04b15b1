import type { Command } from "commander";
import { countOf, printResult } from "../print.ts";
import { addWorkspaceOption, withMemory } from "../workspace.ts";

/** Adds `test`. */
export function addTestCommand(program: Command): void {
  addWorkspaceOption(program.command("test"))
    .description("check MEMORY.md against memory/expect.yaml (`- knows: …`, `- never: …`)")
    .option("--session <key>", "use this session's memory, where sessions or users have their own")
    .option("--json", "print JSON")
    .action(async (options: { session?: string; json?: boolean }, command: Command) => {
      await withMemory(command, { readOnly: true }, async ({ trust }) => {
        const checks = await trust.test(options.session);
        const failed = checks.filter(({ holds }) => !holds).length;
        printResult(options.json, { checks, failed }, () =>
          [
            ...checks.map(({ kind, text, holds, fact }) => {
              const found = fact === undefined ? "" : `  (${fact})`;
              return `${holds ? "ok  " : "FAIL"}  ${kind}: ${text}${found}`;
            }),
            checks.length === 0
              ? "There is nothing to check: write lines such as `- knows: lives in Lisbon` into memory/expect.yaml."
              : `${countOf(failed, "failure")} of ${checks.length}`,
          ].join("\n"),
        );
        if (failed > 0 || checks.length === 0) process.exitCode = 1;
      });
    });
}
