import { sortByOrigin } from "../change/origin.ts";
import type { ToolRules } from "../change/origin.ts";
import type { SessionLogs } from "../store/session-logs.ts";

// More than lies between two digests.
const NEWEST_MESSAGES = 200;
const MOST_LOGS = 500;

/** A hit in what was said. */
interface SaidHit {
  readonly path: string;
  readonly session: string;
  readonly messages: readonly string[];
}

/** Tells of a hit in a session whether it came from outside, or retells what did. */
export type FreshOutside = (hit: SaidHit) => Promise<boolean>;

/**
 * Knows what came from outside in the newest part of each session: digests note it, and no digest may have been there yet.
 * What was found of a log is kept for as long as nothing is added to it.
 */
export function createFreshOutside(logs: SessionLogs, rules: ToolRules): FreshOutside {
  const known = new Map<string, { state: string; ids: ReadonlySet<string> }>();
  return async ({ path, session, messages }) => {
    if (session === "" || messages.length === 0) return false;
    const [, archive] = /\/archive\/([^/]+)$/.exec(path) ?? [];
    const log = archive === undefined ? await logs.open(session) : await logs.openArchived(archive, session);
    if (log === undefined) return false;
    const state = `${log.identity} ${log.length}`;
    const before = known.get(path);
    const read = async () => sortByOrigin(await log.before(log.length, NEWEST_MESSAGES, log.identity), rules).ids;
    const found = before?.state === state ? before : { state, ids: new Set(await read()) };
    if (known.size >= MOST_LOGS) known.clear();
    known.set(path, found);
    return messages.some((message) => found.ids.has(message));
  };
}
