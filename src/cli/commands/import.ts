import { createWriteStream } from "node:fs";
import { join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Command } from "commander";
import type { Memory } from "../../index.ts";
import { countOf, note, printResult } from "../print.ts";
import { addWorkspaceOption, withMemory } from "../workspace.ts";

/** Adds `import`. */
export function addImportCommand(program: Command): void {
  addWorkspaceOption(program.command("import"))
    .description("read messages from JSON Lines into sessions; a second import adds nothing")
    .argument("<file>", "lines {session, id?, role, name?, content, timestamp?}; - reads stdin")
    .option("--json", "print JSON")
    .addHelpText("after", "\nThe whole file is checked before the first message is written.")
    .action(async (file: string, options: { json?: boolean }, command: Command) => {
      // Passive: what comes in by the thousand is digested when that is asked for.
      await withMemory(command, { passive: true }, async (memory) => {
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

async function importFile(memory: Memory, path: string, name: string) {
  const { importMessages } = await import("../../session/import-messages.ts");
  return importMessages({
    path,
    name,
    timezone: memory.config.agents.defaults.timezone,
    openSession: (key) => memory.session(key),
    onProgress: (done, total) => note(`${done.toLocaleString("en-US")} of ${countOf(total, "line")}`),
  });
}

/** The file is read twice, which a pipe cannot be: it is put into a private file first. */
async function importStdin(memory: Memory) {
  const { removeIfThere } = await import("../../disk.ts");
  const path = join(memory.workspace, ".tidemark", `import-${process.pid}.jsonl`);
  try {
    await pipeline(process.stdin, createWriteStream(path, { mode: 0o600 }));
    return await importFile(memory, path, "stdin");
  } finally {
    await removeIfThere(path);
  }
}
