import type { StoredMessage } from "./message.ts";

/** What makes a message the same one as another; undefined for one that is always new. */
export type NameOf = (message: StoredMessage) => string | undefined;

/** The id alone: what doors go by. */
export function nameById({ id }: StoredMessage): string {
  return id;
}

/**
 * What was said under a key: lines are only ever added. What is read at once is what was known at the last look; a
 * store that cannot look without waiting is asked to by `load`.
 */
export interface SessionLog {
  /** Where people find it. */
  readonly path: string;
  readonly key: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly metadata: Record<string, unknown>;
  readonly cursor: number;
  readonly length: number;
  /** The bytes of what is not digested yet, as stored; more than its words can have. */
  readonly waitingBytes: number;
  /** Tells this log from the one that /new begins under the same key. */
  readonly identity: string;
  /** Brings what is known up to date; from this ordinal on (the cursor, where none is given) `messages` has them all. */
  load(from?: number): Promise<void>;
  /** Messages from this ordinal on; those before the cursor are read only when asked for. */
  messages(from?: number): readonly StoredMessage[];
  /** Messages from the cursor on, with the log and the cursor that they belong to: all from one look. */
  waiting(): { identity: string; cursor: number; messages: readonly StoredMessage[] };
  /** Up to `count` messages before an ordinal, read from the end of what lies before; none if this is another log by now. */
  before(ordinal: number, count: number, identity: string): Promise<readonly StoredMessage[]>;
  /**
   * Adds messages. `heard` is the last forgetting when they came in: what was forgotten since is not stored, which is
   * decided while nobody can append or forget.
   */
  append(messages: readonly StoredMessage[], heard?: string): Promise<void>;
  /**
   * Stores those that the log does not hold yet, by their name, and returns them; it holds across processes. A log that
   * begins with them begins with this metadata.
   */
  appendNew(
    messages: readonly StoredMessage[],
    nameOf: NameOf,
    metadata?: Record<string, unknown>,
    heard?: string,
  ): Promise<StoredMessage[]>;
  /**
   * Moves the cursor forward in the log of this identity; one that is there already stays. False, with nothing written,
   * when another log lies here by now.
   */
  moveCursor(to: number, identity: string, metadata?: Record<string, unknown>): Promise<boolean>;
  setMetadata(patch: Record<string, unknown>): Promise<void>;
  /**
   * Puts the log away under the name that `prepare` says and begins an empty one; where it lies now comes back. `prepare`
   * runs while no one can append or rotate, within a transaction where the store has them: what it writes goes through
   * the same one. An empty log stays where it is, and undefined comes back.
   */
  rotate(prepare: (isTaken: (name: string) => Promise<boolean>) => Promise<string>): Promise<string | undefined>;
}
