import type { SessionLog } from "../session/log.ts";
import type { MovedLog } from "./moving.ts";

/** One line of the list of sessions. */
export interface SessionSummary {
  key: string;
  path: string;
  createdAt: string;
  updatedAt: string;
  messages: number;
  cursor: number;
  /** The bytes of what is not digested yet. */
  waitingBytes: number;
}

/** A log, without having read it. */
export interface LogHead {
  /** From the workspace, with forward slashes. */
  readonly path: string;
  /** The session that it belongs to. */
  readonly key: string;
  /** Its name among those that /new put away; undefined for the one that goes on. */
  readonly archive: string | undefined;
  /** Grows with each line. */
  readonly size: number;
}

/** Every log of a workspace. */
export interface SessionLogs {
  /** Opens the log of a key; it need not be there. */
  open(key: string): Promise<SessionLog>;
  openHead(head: LogHead): Promise<SessionLog>;
  /** Opens a log that /new put away; undefined if it never got there. */
  openArchived(name: string, key: string): Promise<SessionLog | undefined>;
  /** The log that was begun with this identity: the present one, or one that /new put away. */
  find(key: string, identity: string): Promise<SessionLog | undefined>;
  has(key: string): boolean | Promise<boolean>;
  /** Every session, newest first; `skipped` names those that could not be read. */
  list(): Promise<{ sessions: SessionSummary[]; skipped: { path: string; reason: string }[] }>;
  /** Whether an answer behind the cursor of a listed session may tell of its prompt; without this, any may. */
  mayTellPrompts?(path: string): boolean;
  /** The logs that go on, or those that were put away. */
  heads(which: "present" | "archived"): Promise<LogHead[]>;
  /** Puts a log in its place, whole; one that is there is replaced. Nobody else works in the workspace meanwhile. */
  put(log: MovedLog): Promise<void>;
  /** The log at a path, as the lines of its file, or no more than so many bytes of them; undefined where there is none. */
  readLines(path: string, maxBytes?: number): Promise<string | undefined>;
}
