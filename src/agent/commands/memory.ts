import type { Command } from "../command.ts";

/** /memory shows what is kept. */
export const memoryCommand: Command = {
  name: "memory",
  summary: "shows MEMORY.md, the facts in every prompt",
  async run(_, { memory, session }) {
    // By rules a digest costs nothing: what was just said and kept is shown.
    if (!memory.chatModel) await memory.consolidate(session, { all: true });
    const text = (await memory.readMemory(session)).trim();
    const path = `${memory.pathsOf(session).memoryFolder}/MEMORY.md`;
    return text === "" ? `${path} is empty: no facts yet.` : `${text}\n\n(${path}; edit it as you like)`;
  },
};
