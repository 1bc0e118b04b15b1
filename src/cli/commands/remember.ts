import type { Command } from "commander";
import type { FactReceipt } from "../../change/plan-remember.ts";
import type { Memory } from "../../memory.ts";
import { printResult } from "../print.ts";
import { addWorkspaceOption, withMemory } from "../workspace.ts";

interface Options {
  heading?: string;
  replaces?: string;
  session: string;
  json?: boolean;
}

type Work = (memory: Memory, fact: string, options: Options) => Promise<FactReceipt>;

/** Adds `remember`. */
export function addRememberCommand(program: Command): void {
  addFactCommand(program, "remember", (memory, fact, { session, heading, replaces }) =>
    memory.remember(session, { fact, heading, replaces, by: "user" }),
  )
    .description("put one fact into MEMORY.md, now")
    .option("--heading <name>", "the section of MEMORY.md (Facts)")
    .option("--replaces <fact>", "the fact that this one corrects, or some of its words");
}

/** Adds `retire`. */
export function addRetireCommand(program: Command): void {
  addFactCommand(program, "retire", (memory, fact, { session }) => memory.retire(session, fact, "user")).description(
    "take one fact out of MEMORY.md; what was said stays on record (forget removes that, too)",
  );
}

/** Adds `pin`. */
export function addPinCommand(program: Command): void {
  addFactCommand(program, "pin", (memory, fact, { session }) => memory.pin(session, fact, "user")).description(
    "keep one fact in MEMORY.md, under Pinned, whatever else has to make room",
  );
}

function addFactCommand(program: Command, name: string, work: Work): Command {
  return addWorkspaceOption(program.command(name))
    .argument(
      "<fact...>",
      name === "remember" ? "one sentence that makes sense in a year" : "the fact, or some of its words",
    )
    .option("-s, --session <key>", "use this session's memory, where sessions or users have their own", "cli:main")
    .option("--json", "print JSON")
    .action(async (words: string[], options: Options, command: Command) => {
      const wish = { passive: true, mayCreate: name === "remember" };
      await withMemory(command, wish, async (memory) => {
        const receipt = await work(memory, words.join(" "), options);
        printResult(options.json, receipt, renderReceipt);
        if (receipt.kind === "unclear") process.exitCode = 1;
      });
    });
}

function renderReceipt(receipt: FactReceipt): string {
  if (receipt.kind === "unclear")
    return [`Nothing changed: ${receipt.reason}`, ...receipt.candidates.map((each) => `  ${each}`)].join("\n");
  if (receipt.kind === "known") return `Already there: ${receipt.fact}`;
  if (receipt.kind === "retired") return `Taken out: ${receipt.fact}\ntidemark undo brings it back.`;
  const { fact, heading, replaced } = receipt;
  const old = replaced === undefined || replaced === fact ? "" : `\n  in place of: ${replaced}`;
  return `${heading}: ${fact}${old}`;
}
