import type { ChangeHead } from "../history/change.ts";
import type { History } from "../history/history.ts";
import { withFacts } from "./find-target.ts";

/** One line of the log: a change, with the facts that came and went. */
export interface LogEntry extends ChangeHead {
  added: string[];
  removed: string[];
}

/** What happened to memory, newest first. */
export async function readLog(
  history: History,
  { limit = 20, session }: { limit?: number | undefined; session?: string | undefined } = {},
): Promise<LogEntry[]> {
  const changes = (await history.list({ last: limit, session })).toReversed();
  const entries = await withFacts(history, changes);
  return entries.map(({ change, added, removed }) => ({ ...change, added, removed }));
}
