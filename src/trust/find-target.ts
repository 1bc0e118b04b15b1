import { withEdits } from "../change/fill-history.ts";
import { wordsOf } from "../change/edit-records.ts";
import { MEMORY_FILE } from "../layout.ts";
import { MemoryError } from "../errors.ts";
import type { Revision, RevisionHead, Run, State } from "../state/state.ts";

/** One change of MEMORY.md: a revision, and what it did to the facts. */
export interface HistoryEntry {
  revision: RevisionHead;
  added: string[];
  removed: string[];
}

/** Every change of a scope's MEMORY.md, oldest first, or the newest `last` of them. */
export async function listChanges(state: State, scope: string, last?: number): Promise<HistoryEntry[]> {
  return toChanges(state, await state.listHeads(scope, MEMORY_FILE, last));
}

/** What revisions did to the facts. */
export async function toChanges(state: State, revisions: readonly RevisionHead[]): Promise<HistoryEntry[]> {
  const turns = await state.turnsOf(revisions.map(({ id }) => id));
  return Promise.all(
    revisions.map(async (revision) => ({
      revision,
      ...(turns.get(revision.id) ?? (await untoldTurns(state, revision))),
    })),
  );
}

/** What a revision did of which no turn is noted: no fact changed, or a version that did not note them wrote it. */
async function untoldTurns(state: State, { id }: RevisionHead): Promise<Omit<HistoryEntry, "revision">> {
  const revision = await state.findRevision(id);
  return revision === undefined ? { added: [], removed: [] } : wordsOf((await withEdits(state, revision)).edits);
}

/** What a person means by an id: a run (its id, or the beginning of it) or a revision's number. */
export interface Target {
  run: Run | undefined;
  revision: Revision | undefined;
}

/** Finds a run or a revision by what a person calls it. */
export async function findTarget(state: State, id: string): Promise<Target> {
  const number = /^r?(\d+)$/.exec(id)?.[1];
  const byNumber = number === undefined ? undefined : await state.findRevision(Number(number));
  if (byNumber) {
    const [run] = byNumber.run === null ? [] : await state.findRuns(byNumber.run);
    return { run, revision: byNumber };
  }
  const runs = id === "" ? [] : await state.findRuns(id);
  const exact = runs.find((run) => run.id === id) ?? runs[0];
  if (exact === undefined) {
    throw new MemoryError("NOT_FOUND", `There is no run or revision ${id}; \`tidemark log\` lists them`);
  }
  if (runs.length > 1 && exact.id !== id) {
    throw new MemoryError("NOT_FOUND", `${id} could be any of ${runs.map((run) => run.id).join(", ")}`);
  }
  return { run: exact, revision: (await state.revisionsOf([exact.id])).at(-1) };
}
