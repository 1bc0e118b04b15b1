import type { Command } from "../command.ts";

/** /new ends the conversation and begins another. */
export const newCommand: Command = {
  name: "new",
  summary: "starts a new conversation; the current one is archived and digested",
  async run(_, { memory, session }) {
    const { archive } = await memory.startNew(session);
    if (archive === undefined) return "This conversation is already new.";
    return "Started a new conversation. The previous one is archived and will be digested in the background.";
  },
};
