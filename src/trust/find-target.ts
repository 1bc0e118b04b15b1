import { settleOutsideEdits } from "../change/outside-edits.ts";
import { MemoryError } from "../errors.ts";
import type { ChangeHead } from "../history/change.ts";
import type { History } from "../history/history.ts";
import type { Workspace } from "../workspace.ts";

/** A change, and what it did to the facts. */
export interface HistoryEntry {
  change: ChangeHead;
  added: string[];
  removed: string[];
}

/** What changes did to the facts. */
export async function withFacts(history: History, changes: readonly ChangeHead[]): Promise<HistoryEntry[]> {
  const facts = await history.factChangesIn(changes.map(({ id }) => id));
  return changes.map((change) => ({ change, ...(facts.get(change.id) ?? { added: [], removed: [] }) }));
}

/** Finds a change by its id, or by the beginning of it, to do something about it: it may be a save that is not on record. */
export async function findTarget(workspace: Workspace, id: string): Promise<ChangeHead> {
  const { history } = workspace;
  if (id !== "" && (await history.find(id)).length === 0)
    for (const scope of new Set(["", ...(await history.scopes())])) {
      const files = workspace.filesOfScope(scope);
      await files.exclusively(() => settleOutsideEdits(workspace, files));
    }
  return findChange(history, id);
}

/** Finds a change by its id, or by the beginning of it. */
export async function findChange(history: History, id: string): Promise<ChangeHead> {
  const found = id === "" ? [] : await history.find(id);
  const change = found.find((each) => each.id === id) ?? found[0];
  if (change === undefined) throw new MemoryError("NOT_FOUND", `There is no change ${id}; \`tidemark log\` lists them`);
  if (found.length > 1 && change.id !== id)
    throw new MemoryError("NOT_FOUND", `${id} could be any of ${found.map((each) => each.id).join(", ")}`);
  return change;
}
