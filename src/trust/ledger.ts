import { parseFacts } from "../change/read-outline.ts";
import { MEMORY_FILE } from "../layout.ts";
import type { FactCounts, State } from "../state/state.ts";

/** What became of every fact that ever was in memory. */
export interface Ledger {
  /** Facts that ever entered. */
  entered: number;
  /** Still there, word for word. */
  standing: number;
  /** There in a later wording. */
  reworded: number;
  /** In a dated note, because MEMORY.md was over its budget. */
  moved: number;
  /** Taken out with a reason, or by a person or an undo. */
  retired: number;
  /** Gone without any reason on record; this must be 0. */
  lost: string[];
  /** The share that stands, in its words or in later ones, or in a note; 1 while nothing has entered. */
  survival: number;
  /** What all runs did together. */
  runs: Omit<FactCounts, "kept" | "unproven"> & { count: number };
}

/** Accounts for every fact, from the revisions; nothing is taken on a model's word. */
export async function readLedger(state: State): Promise<Ledger> {
  const ledger: Ledger = {
    entered: 0,
    standing: 0,
    reworded: 0,
    moved: 0,
    retired: 0,
    lost: [],
    survival: 1,
    runs: await state.sumRuns(),
  };
  for (const scope of await state.listScopes()) await addScope(state, scope, ledger);
  if (ledger.entered > 0) ledger.survival = (ledger.standing + ledger.reworded + ledger.moved) / ledger.entered;
  return ledger;
}

async function addScope(state: State, scope: string, ledger: Ledger): Promise<void> {
  const latest = await state.latestRevision(scope, MEMORY_FILE);
  const standing = new Set(parseFacts(latest?.text ?? "").map(({ text }) => text));
  const account = await state.accountFor(scope, MEMORY_FILE, [...standing]);
  const { entered, reworded, moved } = account;
  ledger.entered += entered;
  ledger.standing += account.standing;
  ledger.reworded += reworded;
  ledger.moved += moved;
  ledger.retired += entered - account.standing - reworded - moved;
  for (const fact of account.lost) ledger.lost.push(fact);
}
