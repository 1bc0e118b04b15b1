import type { Command } from "../command.ts";
import { describeOutcome } from "../describe-outcome.ts";

/** /compact digests all that waits, now. */
export const compactCommand: Command = {
  name: "compact",
  argument: "[what to keep]",
  summary: "digests this conversation now, so that the next request is short",
  async run(argument, { memory, session }) {
    const guidance = argument === "" ? undefined : argument;
    return describeOutcome(await memory.consolidate(session, { all: true, trigger: "compact", guidance }));
  },
};
