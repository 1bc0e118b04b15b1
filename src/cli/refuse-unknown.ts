import type { Command } from "commander";

/** For a command that does something by itself and has subcommands: another word is one of them, misspelt. */
export async function refuseUnknown(command: Command): Promise<void> {
  const [word] = command.args;
  if (word === undefined) return;
  const { nearest } = await import("../nearest.ts");
  const names = command.commands.map((each) => each.name());
  const meant = nearest(word, names);
  command.error(
    `unknown command '${word}'; ${meant === undefined ? `the commands are ${names.join(", ")}` : `did you mean ${meant}?`}`,
  );
}
