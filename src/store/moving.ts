import type { StoredMessage } from "../session/message.ts";

/** What a column of a record may hold. */
export type RecordValue = string | number | null;

/** A record in the form that every store knows. */
export type RecordRow = Readonly<Record<string, RecordValue>>;

/**
 * The records that are moved, with their columns, each list in the order in which it is put. Numbers that nothing names
 * are given anew; what a store derives from the others it makes itself.
 */
export const RECORD_TABLES = {
  runs: ["id", "session", "payload"],
  revisions: ["id", "scope", "file", "text", "patch", "edits", "author", "cause", "run", "at"],
  heads: ["scope", "file", "revision", "text"],
  facts: [
    "scope",
    "text",
    "path",
    "run",
    "session",
    "message",
    "quote",
    "proof",
    "added_at",
    "retired_at",
    "retired_by",
    "retired_reason",
    "replaced_by",
    "origin",
  ],
  held: ["run", "payload"],
  answers: ["run", "payload"],
  decided: ["run", "proposal", "verdict", "payload"],
  journal: ["run", "scope", "payload", "problem", "aside_at", "is_recorded"],
  failures: ["session", "count", "reason"],
  spend: ["day", "model", "calls", "input_tokens", "output_tokens", "cached_tokens", "cost"],
  jobs: [
    "kind",
    "name",
    "payload",
    "state",
    "attempts",
    "failures",
    "beginnings",
    "run_after",
    "owner",
    "lease_until",
    "last_error",
  ],
  flushes: ["log", "cursor"],
  outside_words: ["scope", "hash", "tool"],
  outside_messages: ["session", "message"],
  outside_files: ["path", "tool"],
  outside_salts: ["salt"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** A table of records. */
export type RecordTable = keyof typeof RECORD_TABLES;

/** A log as a whole. */
export interface MovedLog {
  readonly key: string;
  /** Its name among those that /new put away. */
  readonly archive: string | undefined;
  /** Its first line. */
  readonly identity: string;
  readonly cursor: number;
  readonly updatedAt: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly messages: readonly StoredMessage[];
}

/** Moving a workspace elsewhere, whole. Nobody else works in it meanwhile. */
export interface Moving {
  /** Everything in a table, in the order in which it came. */
  readRecords(table: RecordTable): Promise<RecordRow[]>;
  /** Makes a table hold exactly these, all of them or none. */
  replaceRecords(table: RecordTable, rows: readonly RecordRow[]): Promise<void>;
  /** Puts a log in its place; one that is there is replaced. */
  putLog(log: MovedLog): Promise<void>;
  /** Makes what is derived from the records, once all are there. */
  finish(): Promise<void>;
}

/** The line that ends a log that was moved: how far it was digested, and what is known of it. */
export function lastLine({ identity, cursor, updatedAt, metadata, key }: MovedLog): string {
  const first: unknown = identity.startsWith("{") ? JSON.parse(identity) : {};
  const begun = typeof first === "object" && first !== null ? first : {};
  return JSON.stringify({
    _type: "metadata",
    ...begun,
    key,
    updated_at: updatedAt,
    metadata,
    last_consolidated: cursor,
  });
}
