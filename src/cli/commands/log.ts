import type { Command } from "commander";
import { parseCount } from "../parse-count.ts";
import { printResult } from "../print.ts";
import { addWorkspaceOption, withMemory } from "../workspace.ts";

interface Options {
  limit?: number;
  session?: string;
  masked?: boolean;
  json?: boolean;
}

/** Adds `log`. */
export function addLogCommand(program: Command): void {
  addWorkspaceOption(program.command("log"))
    .description("show what changed memory, newest first: digests, the agent, your editor, undos")
    .option("-n, --limit <count>", "how many entries (20)", parseCount)
    .option("--session <key>", "only changes from this session")
    .option("--masked", "list the secrets that were masked: kind and place, never the value")
    .option("--json", "print JSON")
    .action(async ({ limit, session, masked, json }: Options, command: Command) => {
      const { renderEntry } = await import("../trust/render.ts");
      const { paintLog } = await import("../terminal/paint.ts");
      await withMemory(command, { readOnly: true }, async ({ trust }) => {
        if (masked) {
          const secrets = await trust.masked();
          const render = () => secrets.map(({ path, line, kind }) => `${path}:${line}  ${kind}`).join("\n");
          printResult(json, { masked: secrets }, () => render() || "Nothing has been masked.");
          return;
        }
        const entries = await trust.log({ limit, session });
        const render = () => entries.map(renderEntry).join("\n") || "Nothing has happened yet.";
        printResult(json, { entries }, render, paintLog);
      });
    });
}
