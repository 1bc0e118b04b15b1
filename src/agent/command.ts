import type { Memory } from "../memory.ts";

/** What a slash command works with. */
export interface CommandCall {
  memory: Memory;
  session: string;
  /** Stops the turn that is under way; false when there is none. */
  stop: () => boolean;
}

/** A slash command. */
export interface Command {
  name: string;
  /** What may follow it. */
  argument?: string;
  summary: string;
  run(argument: string, call: CommandCall): Promise<string>;
}
