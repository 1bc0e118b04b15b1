import type { Run, State } from "../state/state.ts";
import { listChanges, toChanges } from "./find-target.ts";
import type { HistoryEntry } from "./find-target.ts";

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
  // What is older than the newest `limit` runs and changes cannot be among the newest entries.
  const runs = await state.listRuns({ limit, ...(session === undefined ? {} : { session }) });
  const made = await state.revisionsOf(runs.map(({ id }) => id));
  const changed = new Set(made.map(({ run }) => run));
  const changes = session === undefined ? await newestChanges(state, limit) : await toChanges(state, made);
  const known = new Set(runs.map(({ id }) => id));
  const others = changes.flatMap(({ revision: { run } }) => (run === null || known.has(run) ? [] : [run]));
  const byId = new Map([...runs, ...(await state.runsOf(others))].map((run) => [run.id, run]));
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

async function newestChanges(state: State, limit: number): Promise<HistoryEntry[]> {
  const scopes = await state.listScopes();
  return (await Promise.all(scopes.map((scope) => listChanges(state, scope, limit)))).flat();
}

function instant({ at }: LogEntry): number {
  return Date.parse(at) || 0;
}
