import { createWriteStream } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { Option } from "commander";
import type { Command } from "commander";
import type { Memory } from "../../index.ts";
import { countOf, formatCount, note, printResult } from "../print.ts";
import { renderImport, summariseSkipped } from "../render-import.ts";
import { createProgress } from "../terminal/progress.ts";
import { addWorkspaceOption, withMemory } from "../workspace.ts";
import { ownPath } from "../../layout.ts";

interface ImportFlags {
  from?: string;
  dryRun?: boolean;
  verbose?: boolean;
  json?: boolean;
}

// As in src/import/sources.ts, which is loaded only when it is needed.
const AGENTS = [
  "autobot",
  "chatgpt",
  "claude",
  "claude-code",
  "cline",
  "codex",
  "continue",
  "copilot",
  "gemini-cli",
  "mem0",
  "nanobot",
  "openclaw",
  "opencode",
  "pi",
  "qwen-code",
];

/** Adds `import`. */
export function addImportCommand(program: Command): void {
  addWorkspaceOption(program.command("import"))
    .description(
      "bring in another agent's conversations and memory, or messages as JSON Lines; a second import adds nothing",
    )
    .argument(
      "<path>",
      "another agent's folder, an export (zip, folder or JSON), or lines {session, id?, role, name?, content, timestamp?}; - reads lines from stdin",
    )
    .addOption(
      new Option("--from <agent>", "which agent it comes from; recognised automatically by default").choices(AGENTS),
    )
    .option("--dry-run", "show what would be imported; writes nothing")
    .option("--verbose", "list everything that was left out, and where it is")
    .option("--json", "print JSON")
    .addHelpText("after", HELP_END)
    .action(async (path: string, options: ImportFlags, command: Command) => {
      const isLines = await holdsLines(path, options);
      if (isLines && options.dryRun) command.error("--dry-run is for other agents' folders and exports");
      // Passive: what comes in by the thousand is digested when that is asked for.
      await withMemory(command, { passive: true, readOnly: options.dryRun === true, mayCreate: true }, (memory) =>
        isLines ? importLines(memory, path, options) : importAgent(memory, path, options),
      );
    });
}

const HELP_END = `
Conversations become sessions, notes go to memory/imported/, and facts become a proposal for you to decide: tidemark
review. The original is only read. Ctrl-C stops between two conversations; run the same command to continue. A
file of lines is checked as a whole before the first message is written.`;

/** Lines in our own form, or a file that nobody else's form fits: its first bad line is then named. */
async function holdsLines(path: string, { from }: ImportFlags): Promise<boolean> {
  if (path === "-") return true;
  if (from !== undefined) return false;
  const { kindOf, readFirstLine } = await import("../../import/read-source.ts");
  if ((await kindOf(resolve(path))) !== "file") return false;
  const first = await readFirstLine(resolve(path));
  if (typeof first === "object" && first !== null && "session" in first && "role" in first) return true;
  if (typeof first !== "object" && !/\.(?:jsonl|ndjson)$/i.test(path)) return false;
  const { recogniseSource } = await import("../../import/choose-source.ts");
  return (await recogniseSource(resolve(path))) === undefined;
}

/** Tells what came, and what did not and why. */
async function importAgent(memory: Memory, path: string, options: ImportFlags): Promise<void> {
  const { from, dryRun = false, verbose = false, json } = options;
  const { importFrom } = await import("../../import/import-from.ts");
  const stop = new AbortController();
  const onSignal = (): void => {
    // A second one ends at once.
    process.once("SIGINT", () => process.exit(130));
    stop.abort();
  };
  process.once("SIGINT", onSignal);
  try {
    const bars = { reading: createProgress("Reading"), storing: createProgress("Storing conversations") };
    const outcome = await importFrom(memory, {
      from,
      path,
      dryRun,
      now: () => new Date(),
      signal: stop.signal,
      onProgress: (stage, done, total) => bars[stage](done, total),
    });
    // The bar stands where it was stopped.
    if (outcome.stopped && process.stderr.isTTY) process.stderr.write("\n");
    const shown = verbose ? outcome : { ...outcome, skipped: summariseSkipped(outcome.skipped) };
    printResult(json, shown, () => renderImport(outcome, verbose));
    if (!outcome.stopped) return;
    note("stopped; what is stored stays. Run the same command to continue");
  } finally {
    process.off("SIGINT", onSignal);
    if (stop.signal.aborted) process.exitCode = 130;
  }
}

async function importLines(memory: Memory, path: string, { json }: ImportFlags): Promise<void> {
  const heard = await memory.hear();
  const report = await (path === "-" ? importStdin(memory, heard) : importFile(memory, resolve(path), path, heard));
  printResult(json, report, ({ added, known, empty, sessions }) => {
    const rest = [
      ...(known > 0 ? [`already there: ${formatCount(known)}`] : []),
      ...(empty > 0 ? [`skipped, because they are empty: ${formatCount(empty)}`] : []),
    ];
    return [`${countOf(added, "message")} added to ${countOf(sessions, "session")}`, ...rest].join("; ");
  });
}

async function importFile(memory: Memory, path: string, name: string, heard: string | undefined) {
  const { importMessages } = await import("../../session/import-messages.ts");
  const bar = createProgress("Importing lines");
  const report = await importMessages({
    path,
    name,
    timezone: memory.config.agents.defaults.timezone,
    openSession: (key) => memory.session(key, heard),
    onProgress: bar,
  });
  bar(report.lines, report.lines);
  return report;
}

/** The file is read twice, which a pipe cannot be: it is put into a private file first. */
async function importStdin(memory: Memory, heard: string | undefined) {
  const { removeIfThere } = await import("../../store/files/disk.ts");
  const name = `import-${process.pid}.jsonl`;
  const { folder } = memory.store;
  const path = folder === undefined ? join(tmpdir(), `tidemark-${name}`) : ownPath(folder, name);
  try {
    await pipeline(process.stdin, createWriteStream(path, { mode: 0o600 }));
    return await importFile(memory, path, "stdin", heard);
  } finally {
    await removeIfThere(path);
  }
}
