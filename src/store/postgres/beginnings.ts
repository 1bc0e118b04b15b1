import type { Query } from "./tenant.ts";

// Any number will do that nobody else locks by.
const BEGINNINGS = 5_870_223;

/**
 * Keeps a forget from being written down until the transaction ends, for whoever begins a log: one that is not there yet
 * cannot be locked. A forget that comes later finds the log; one that came before is known now.
 */
export async function holdForgets(ask: Query): Promise<void> {
  await ask(`SELECT $1::text AS workspace, pg_advisory_xact_lock_shared(hashtextextended($1, ${BEGINNINGS}))`);
}

/** Waits until every log that is about to begin is there, or will never be; none begins until the transaction ends. */
export async function awaitBeginnings(ask: Query): Promise<void> {
  await ask(`SELECT $1::text AS workspace, pg_advisory_xact_lock(hashtextextended($1, ${BEGINNINGS}))`);
}
