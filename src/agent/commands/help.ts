import type { Command } from "../command.ts";

/** /help lists the other commands. */
export function createHelpCommand(others: readonly Command[]): Command {
  const help: Command = {
    name: "help",
    summary: "lists the commands",
    async run() {
      const rows = [...others, help].map(({ name, argument, summary }) => ({
        call: argument === undefined ? `/${name}` : `/${name} ${argument}`,
        summary,
      }));
      const width = Math.max(...rows.map(({ call }) => call.length));
      return rows.map(({ call, summary }) => `${call.padEnd(width)}  ${summary}`).join("\n");
    },
  };
  return help;
}
