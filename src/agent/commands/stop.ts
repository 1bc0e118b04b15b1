import type { Command } from "../command.ts";

/** /stop ends the turn that is under way. */
export const stopCommand: Command = {
  name: "stop",
  summary: "stops the answer that is under way; what was said is kept",
  async run(_, { stop }) {
    return stop() ? "Stopped." : "Nothing is under way.";
  },
};
