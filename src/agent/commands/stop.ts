import type { Command } from "../command.ts";

/** /stop ends the turn that is under way. */
export const stopCommand: Command = {
  name: "stop",
  summary: "stops the current answer; what was said is kept",
  async run(_, { stop }) {
    return stop() ? "Stopped." : "Nothing is running.";
  },
};
