import type { StoredMessage } from "../session/message.ts";

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
