import type { FactCounts } from "../state/state.ts";

/** What came of a request to consolidate. */
export type Outcome =
  | {
      kind: "consolidated";
      session: string;
      from: number;
      to: number;
      runs: string[];
      model: string;
      counts: FactCounts;
    }
  | { kind: "nothing-due"; session: string }
  | { kind: "refused"; session: string; reason: string; failures: number }
  | { kind: "held"; session: string; from: number; to: number; run: string; reason: string }
  | { kind: "archived-raw"; session: string; from: number; to: number; run: string; reason: string };

/** What happens inside, for whoever listens. */
export type MemoryEvent =
  | { type: "consolidated"; outcome: Exclude<Outcome, { kind: "nothing-due" }> }
  | { type: "started"; session: string; cause: string }
  | { type: "notice"; text: string };
