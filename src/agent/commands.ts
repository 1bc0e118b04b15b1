import { describeError, MemoryError } from "../errors.ts";
import { nearest } from "../nearest.ts";
import type { Command, CommandCall } from "./command.ts";
import { compactCommand } from "./commands/compact.ts";
import { createHelpCommand } from "./commands/help.ts";
import { memoryCommand } from "./commands/memory.ts";
import { newCommand } from "./commands/new.ts";
import { searchCommand } from "./commands/search.ts";
import { statusCommand } from "./commands/status.ts";
import { stopCommand } from "./commands/stop.ts";
import { undoCommand } from "./commands/undo.ts";
import type { TurnResult } from "./turn.ts";

const OTHERS: readonly Command[] = [
  newCommand,
  compactCommand,
  memoryCommand,
  searchCommand,
  undoCommand,
  statusCommand,
  stopCommand,
];

/** Every slash command: those of any agent, and those that a door adds. */
export function listCommands(more: readonly Command[] = []): readonly Command[] {
  const all = [...OTHERS, ...more];
  return [...all, createHelpCommand(all)];
}

/** A line that is a slash command, taken apart. */
export interface CalledCommand {
  name: string;
  argument: string;
}

/** Reads a line as a slash command; `/etc/hosts` is none. */
export function findCommand(line: string): CalledCommand | undefined {
  const [, name, argument = ""] = /^\s*\/([a-z][\w-]*)(?:\s+([\s\S]*))?$/i.exec(line) ?? [];
  return name === undefined ? undefined : { name: name.toLowerCase(), argument: argument.trim() };
}

/** Carries out a slash command; an unknown one is told what was probably meant. */
export async function runCommand(
  { name, argument }: CalledCommand,
  call: CommandCall,
  commands: readonly Command[],
): Promise<TurnResult> {
  const result = { kind: "command" as const, command: name, notices: [] };
  const command = commands.find((each) => each.name === name);
  if (!command) {
    const meant = nearest(
      name,
      commands.map((each) => each.name),
    );
    const hint = meant === undefined ? "/help lists the commands" : `did you mean /${meant}?`;
    return { ...result, text: `There is no command /${name}; ${hint}`, isError: true };
  }
  try {
    return { ...result, text: await command.run(argument, call), isError: false };
  } catch (error) {
    if (!(error instanceof MemoryError)) throw error;
    return { ...result, text: describeError(error), isError: true };
  }
}
