import type { Command } from "commander";
import type { Tidied } from "../../life/tidy.ts";
import type { Memory } from "../../index.ts";
import { printResult } from "../print.ts";
import { addWorkspaceOption, withMemory } from "../workspace.ts";

interface Options {
  dryRun?: boolean;
  json?: boolean;
}

/** Adds `tidy`. */
export function addTidyCommand(program: Command): void {
  addWorkspaceOption(program.command("tidy"))
    .description("tidy MEMORY.md: duplicates, relative dates, facts over its budget")
    .option("--dry-run", "show what would change; writes nothing")
    .option("--json", "print JSON")
    .addHelpText("after", "\nNo model is used and nothing is lost: tidemark undo reverts it.")
    .action(async ({ dryRun = false, json }: Options, command: Command) => {
      await withMemory(command, { readOnly: dryRun }, async (memory) => {
        const tidied: Tidied[] = [];
        for (const key of await keysByScope(memory)) tidied.push(await memory.tidy({ key, dryRun }));
        printResult(json, { dryRun, tidied }, () => tidied.map((each) => renderTidied(each, dryRun)).join("\n\n"));
      });
    });
}

/** One session of each memory; everyone's memory needs none. */
async function keysByScope(memory: Memory): Promise<string[]> {
  const { scopeOf } = await import("../../session/scope-of.ts");
  const { sessions } = await memory.listSessions();
  const keys = new Map([
    ["", ""],
    ...sessions.map(({ key }) => [scopeOf(key, memory.config.memory.scope), key] as const),
  ]);
  return [...keys].map(([scope, key]) => (scope === "" ? "" : key));
}

function renderTidied({ scope, merged, dated, moved, note }: Tidied, isDry: boolean): string {
  const name = scope === "" ? "MEMORY.md" : `MEMORY.md of ${scope}`;
  if (merged.length + dated.length + moved.length === 0) return `${name}: in order`;
  const would = isDry ? "would be " : "";
  return [
    `${name}: ${merged.length} ${would}merged, ${dated.length} ${would}dated, ${moved.length} ${would}moved`,
    ...merged.map(({ dropped, kept }) => `- ${dropped}${dropped === kept ? "" : `\n  (covered by: ${kept})`}`),
    ...dated.map(({ before, after }) => `- ${before}\n+ ${after}`),
    ...(moved.length > 0 ? [`To ${note}:`, ...moved.map((fact) => `- ${fact}`)] : []),
  ].join("\n");
}
