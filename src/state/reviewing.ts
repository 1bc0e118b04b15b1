import type { HeldChange } from "./edit.ts";
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
  /** Keeps what is left of a change that waits, or (null) ends the wait; what was decided goes on record with it. */
  settleHeld(
    proposal: string,
    rest: HeldChange | null,
    decided?: Omit<Decided, "proposal">,
    record?: Run,
  ): Promise<void>;
  /** Newest first. */
  listDecided(): Promise<Decided[]>;
  /** Puts what was decided in a run back to what waits; undefined if there is no such decision. */
  returnDecided(run: string, record?: Run): Promise<Decided | undefined>;
}
