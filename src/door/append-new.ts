import type { Memory } from "../memory.ts";
import type { MessageInput } from "../session/message.ts";

/** What became of messages that may be known already. */
export interface Appended {
  /** The ids of those that were stored. */
  stored: string[];
  /** How many were left out. */
  known: number;
  /** How many messages the session holds now. */
  length: number;
}

/** Stores the messages whose id the session does not hold yet, each id once, through whichever door and process they come. */
export async function appendNew(memory: Memory, key: string, messages: readonly MessageInput[]): Promise<Appended> {
  const session = await memory.session(key, await memory.hear());
  const stored = await session.appendNew(messages);
  return { stored: stored.map(({ id }) => id), known: messages.length - stored.length, length: session.length };
}
