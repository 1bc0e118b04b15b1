import type { Command } from "../command.ts";

/** /new ends the conversation and begins another. */
export const newCommand: Command = {
  name: "new",
  summary: "begins a new conversation; the present one is archived and digested",
  async run(_, { memory, session }) {
    const { archive } = await memory.startNew(session);
    if (archive === undefined) return "This conversation is new already.";
    return "A new conversation begins. The one before is archived, and is digested in the background.";
  },
};
