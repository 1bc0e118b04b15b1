import type { Command } from "commander";

/** Adds `help`: commander's own prints everything, and no word of why, for a name that it does not know. */
export function addHelpCommand(program: Command): void {
  program
    .helpCommand(false)
    .command("help")
    .description("print a command's help; `help all` lists every command")
    .argument("[command...]", "the command, such as status or sessions show, or all")
    .action(async (words: string[], _, command: Command) => {
      let found = program;
      for (const word of words[0] === "all" ? [] : words) {
        const next = found.commands.find((each) => [each.name(), ...each.aliases()].includes(word));
        if (next === undefined) return refuse(command, found, word);
        found = next;
      }
      found.outputHelp();
    });
}

async function refuse(command: Command, parent: Command, word: string): Promise<void> {
  const { nearest } = await import("../../nearest.ts");
  const names = parent.commands.flatMap((each) => [each.name(), ...each.aliases()]);
  const meant = nearest(word, names);
  const path = parent.parent === null ? "" : `${parent.name()} `;
  if (meant !== undefined) command.error(`unknown command '${path}${word}'; did you mean ${path}${meant}?`);
  if (names.length === 0) command.error(`unknown command '${path}${word}'; ${parent.name()} has no commands`);
  command.error(`unknown command '${path}${word}'; tidemark ${path}--help lists the commands`);
}
