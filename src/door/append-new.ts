import type { Memory } from "../memory.ts";
import type { MessageInput } from "../session/message.ts";
import type { Session } from "../session/session.ts";

/** What became of messages that may be known already. */
export interface Appended {
  /** The ids of those that were stored. */
  stored: string[];
  /** How many were left out. */
  known: number;
  /** How many messages the session holds now. */
  length: number;
}

const queues = new WeakMap<Memory, Map<string, Promise<unknown>>>();

/**
 * Stores the messages whose id the session does not hold yet, each id once. Appends to one session take turns within
 * this process, through whichever door they come; two processes that bring the same id at the same moment may both store
 * it.
 */
export async function appendNew(memory: Memory, key: string, messages: readonly MessageInput[]): Promise<Appended> {
  const turns = queues.get(memory) ?? new Map<string, Promise<unknown>>();
  queues.set(memory, turns);
  const turn = (turns.get(key) ?? Promise.resolve()).then(async () => store(await memory.session(key), messages));
  const settled = turn.catch(() => undefined);
  turns.set(key, settled);
  try {
    return await turn;
  } finally {
    if (turns.get(key) === settled) turns.delete(key);
  }
}

async function store(session: Session, messages: readonly MessageInput[]): Promise<Appended> {
  const hasIds = messages.some(({ id }) => id !== undefined);
  const known = new Set(hasIds ? session.messages().map(({ id }) => id) : []);
  const missing = messages.filter(({ id }) => {
    if (id === undefined) return true;
    const isNew = !known.has(id);
    known.add(id);
    return isNew;
  });
  const stored = await session.appendAll(missing);
  return { stored: stored.map(({ id }) => id), known: messages.length - missing.length, length: session.length };
}
