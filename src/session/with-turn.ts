import { MemoryError } from "../errors.ts";
import { encodeKey } from "./file-name.ts";
import type { Lock, Locks } from "../store/locks.ts";

// Who waits is told within a second why.
const SOON_MS = 800;
// Short enough to see soon that whoever talks was stopped meanwhile.
const LOOK_MS = 400;

/** How a turn waits for another one of its session. */
export interface TurnWait {
  /** Ends the waiting. */
  signal: AbortSignal;
  /** Hears who is talking, and what this turn does about it. */
  tell: (text: string) => void;
}

/**
 * Runs one turn of a session, after the one that is under way in any process. The floor is no lock that a write needs:
 * it only keeps two answers from crossing. So a process that stands still in the middle of its turn is passed over.
 */
export async function withTurn<T>(
  locks: Locks,
  session: string,
  wait: TurnWait,
  work: (hasFloor: boolean) => Promise<T>,
): Promise<T> {
  const floor = await takeFloor(locks, session, wait);
  try {
    return await work(floor !== undefined);
  } finally {
    await floor?.release();
  }
}

/** A turn may take as long as its tools and its model do, so that there is no limit but the caller's patience. */
async function takeFloor(locks: Locks, session: string, { signal, tell }: TurnWait): Promise<Lock | undefined> {
  const name = `${encodeKey(session)}.turn`;
  for (let isTold = false; ;) {
    const lock = await takeWithin(locks, name, isTold ? LOOK_MS : SOON_MS, signal);
    if (lock) return lock;
    const holder = await locks.holder(name);
    const who = holder ? `${holder.who} has been talking in ${session} since ${holder.since}` : undefined;
    const said = who ?? `Another process is talking in ${session}`;
    if (signal.aborted) throw new MemoryError("LOCK_TIMEOUT", `${said}; stopped waiting for its answer`);
    if (holder?.isStopped) {
      tell(`${said} and is suspended; going on without it`);
      return undefined;
    }
    if (!isTold) tell(`${said}; waiting for its answer`);
    isTold = true;
  }
}

async function takeWithin(locks: Locks, name: string, waitMs: number, signal: AbortSignal): Promise<Lock | undefined> {
  try {
    return await locks.take(name, waitMs, signal);
  } catch (error) {
    if (error instanceof MemoryError && error.code === "LOCK_TIMEOUT") return undefined;
    throw error;
  }
}
