import { createWriteStream } from "node:fs";
import { resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { Option } from "commander";
import type { Command } from "commander";
import type { ImportOutcome } from "../../import/import-from.ts";
import type { Memory } from "../../index.ts";
import { countOf, note, printResult } from "../print.ts";
import { createProgress } from "../progress.ts";
import { addWorkspaceOption, withMemory } from "../workspace.ts";
import { ownPath } from "../../layout.ts";

interface ImportFlags {
  from?: string;
  dryRun?: boolean;
  json?: boolean;
}

// As in src/import/sources.ts, which is loaded only when it is needed.
const AGENTS = ["nanobot", "autobot", "openclaw", "claude-code", "chatgpt", "claude", "mem0"];

/** Adds `import`. */
export function addImportCommand(program: Command): void {
  addWorkspaceOption(program.command("import"))
    .description("read messages from JSON Lines into sessions, or another agent's folder; a second import adds nothing")
    .argument(
      "<path>",
      "lines {session, id?, role, name?, content, timestamp?}; - reads stdin; with --from a folder or export",
    )
    .addOption(new Option("--from <agent>", "whose folder or export it is").choices(AGENTS))
    .option("--dry-run", "with --from: tell what would come, and write nothing")
    .option("--json", "print JSON")
    .addHelpText("after", HELP_END)
    .action(async (file: string, options: ImportFlags, command: Command) => {
      if (options.dryRun && options.from === undefined) command.error("--dry-run goes with --from");
      // Passive: what comes in by the thousand is digested when that is asked for.
      await withMemory(command, { passive: true }, async (memory) => {
        if (options.from !== undefined) return importAgent(memory, options.from, file, options);
        const report = await (file === "-" ? importStdin(memory) : importFile(memory, resolve(file), file));
        printResult(options.json, report, ({ added, known, empty, sessions }) => {
          const rest = [
            ...(known > 0 ? [`there already: ${known.toLocaleString("en-US")}`] : []),
            ...(empty > 0 ? [`left out, as they say nothing: ${empty.toLocaleString("en-US")}`] : []),
          ];
          return [`${countOf(added, "message")} added to ${countOf(sessions, "session")}`, ...rest].join("; ");
        });
      });
    });
}

const HELP_END = `
The whole file is checked before the first message is written. With --from, conversations become sessions, notes go to
memory/imported/, and facts become a proposal that waits for you: tidemark review. The original is only read.`;

/** Tells what came, and what did not and why; the reasons are no result. */
async function importAgent(
  memory: Memory,
  from: string,
  path: string,
  { dryRun = false, json }: ImportFlags,
): Promise<void> {
  const { importFrom } = await import("../../import/import-from.ts");
  const outcome = await importFrom(memory, { from, path, dryRun, now: () => new Date() });
  printResult(json, outcome, renderOutcome);
}

function renderOutcome({ dryRun, messages, sessions, notes, facts, proposal, skipped }: ImportOutcome): string {
  return [
    ...(dryRun ? ["Nothing was written. This would come:"] : []),
    `${countOf(messages.added, "message")} to ${countOf(sessions, "session")}${known(messages.known)}`,
    `${countOf(notes.added, "note")} to memory/imported/${known(notes.known)}`,
    `${countOf(facts.proposed, "fact")} proposed${known(facts.known)}${proposal && !dryRun ? `; decide with: tidemark review ${proposal}` : ""}`,
    ...skipped.map(({ what, why }) => `left out: ${what}: ${why}`),
  ].join("\n");
}

function known(count: number): string {
  return count > 0 ? ` (there already: ${count.toLocaleString("en-US")})` : "";
}

async function importFile(memory: Memory, path: string, name: string) {
  const { importMessages } = await import("../../session/import-messages.ts");
  const bar = process.stderr.isTTY ? createProgress("lines") : undefined;
  const report = await importMessages({
    path,
    name,
    timezone: memory.config.agents.defaults.timezone,
    openSession: (key) => memory.session(key),
    onProgress: bar ?? ((done, total) => note(`${done.toLocaleString("en-US")} of ${countOf(total, "line")}`)),
  });
  bar?.(report.lines, report.lines);
  return report;
}

/** The file is read twice, which a pipe cannot be: it is put into a private file first. */
async function importStdin(memory: Memory) {
  const { removeIfThere } = await import("../../store/files/disk.ts");
  const path = ownPath(memory.workspace, `import-${process.pid}.jsonl`);
  try {
    await pipeline(process.stdin, createWriteStream(path, { mode: 0o600 }));
    return await importFile(memory, path, "stdin");
  } finally {
    await removeIfThere(path);
  }
}
