import { HeldChange } from "./edit.ts";
import type { Run } from "./state.ts";

/** What a person decided about a part of a change that waited. */
export interface Decided {
  /** The run on record for the decision. */
  run: string;
  /** The run that the change came from. */
  proposal: string;
  verdict: "accept" | "reject";
  held: HeldChange;
}

/** Decisions about what waits; each can be taken back. */
export interface Reviewing {
  /**
   * Ends the wait of these items of a change, and puts the decision on record. How many of it go on waiting; undefined,
   * with nothing on record, if none of them waits any more: someone else decided, or forgot them, first.
   */
  settleHeld(
    proposal: string,
    items: HeldChange["items"],
    decided?: Pick<Decided, "run" | "verdict">,
    record?: Run,
  ): Promise<number | undefined>;
  /** Newest first. */
  listDecided(): Promise<Decided[]>;
  /** Puts what was decided in a run back to what waits; undefined if there is no such decision. */
  returnDecided(run: string, record?: Run): Promise<Decided | undefined>;
}

/** Parts what waits by what was decided of it. */
export function partHeld(held: HeldChange, items: HeldChange["items"]): { found: HeldChange; rest: HeldChange } {
  const wanted = new Map<string, number>();
  for (const item of HeldChange.shape.items.parse(items)) {
    const name = JSON.stringify(item);
    wanted.set(name, (wanted.get(name) ?? 0) + 1);
  }
  const found: HeldChange["items"] = [];
  const rest: HeldChange["items"] = [];
  for (const item of held.items) {
    const name = JSON.stringify(item);
    const times = wanted.get(name) ?? 0;
    wanted.set(name, times - 1);
    (times > 0 ? found : rest).push(item);
  }
  return { found: { ...held, items: found }, rest: { ...held, items: rest } };
}
