import type { Run, State } from "../state/state.ts";
import { listChanges } from "./find-target.ts";

/** One line of the log: a change of MEMORY.md, a run that changed nothing, or both. */
export interface LogEntry {
  at: string;
  scope: string;
  author: "run" | "agent" | "person" | "undo";
  cause: string;
  revision: number | null;
  run: Run | null;
  added: string[];
  removed: string[];
}

/** What happened to memory, newest first: each run, and each change by the agent, a person's editor or an undo. */
export async function readLog(
  state: State,
  { limit = 20, session }: { limit?: number | undefined; session?: string | undefined } = {},
): Promise<LogEntry[]> {
  const runs = await state.listRuns({ limit: 1_000_000 });
  const byId = new Map(runs.map((run) => [run.id, run]));
  const scopes = await state.listScopes();
  // What is older than the newest `limit` changes cannot be among the newest entries; of one session it can.
  const last = session === undefined ? limit : undefined;
  const changes = (await Promise.all(scopes.map((scope) => listChanges(state, scope, last)))).flat();
  const changed = new Set(changes.map(({ revision }) => revision.run));
  const entries: LogEntry[] = [
    ...changes.map(({ revision, added, removed }) => ({
      at: revision.at,
      scope: revision.scope,
      author: revision.author,
      cause: revision.cause,
      revision: revision.id,
      run: byId.get(revision.run ?? "") ?? null,
      added,
      removed,
    })),
    ...runs
      .filter(({ id }) => !changed.has(id))
      .map((run) => ({
        at: run.finishedAt,
        scope: run.scope,
        author: "run" as const,
        cause: run.cause,
        revision: null,
        run,
        added: [],
        removed: [],
      })),
  ];
  return entries
    .filter(({ run }) => session === undefined || run?.session === session)
    .toSorted((one, other) => instant(other) - instant(one) || (other.revision ?? 0) - (one.revision ?? 0))
    .slice(0, limit);
}

function instant({ at }: LogEntry): number {
  return Date.parse(at) || 0;
}
