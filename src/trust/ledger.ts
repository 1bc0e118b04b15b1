import { parseFacts } from "../change/read-outline.ts";
import { MEMORY_FILE } from "../layout.ts";
import type { FactCounts } from "../history/change.ts";
import type { History } from "../history/history.ts";

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
  /** What all changes did together. */
  changes: Omit<FactCounts, "kept" | "unproven"> & { count: number };
}

/** Accounts for every fact, from the log of changes; nothing is taken on a model's word. */
export async function readLedger(history: History): Promise<Ledger> {
  const ledger: Ledger = {
    entered: 0,
    standing: 0,
    reworded: 0,
    moved: 0,
    retired: 0,
    lost: [],
    survival: 1,
    changes: await history.sum(),
  };
  for (const scope of await history.scopes()) await addScope(history, scope, ledger);
  if (ledger.entered > 0) ledger.survival = (ledger.standing + ledger.reworded + ledger.moved) / ledger.entered;
  return ledger;
}

async function addScope(history: History, scope: string, ledger: Ledger): Promise<void> {
  const latest = await history.latest(scope, MEMORY_FILE);
  const standing = new Set(parseFacts(latest?.text ?? "").map(({ text }) => text));
  const account = await history.accountFor(scope, MEMORY_FILE, [...standing]);
  const { entered, reworded, moved } = account;
  ledger.entered += entered;
  ledger.standing += account.standing;
  ledger.reworded += reworded;
  ledger.moved += moved;
  ledger.retired += entered - account.standing - reworded - moved;
  for (const fact of account.lost) ledger.lost.push(fact);
}
