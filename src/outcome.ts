import type { FactCounts, Usage } from "./history/change.ts";

/** What came of a request to consolidate. */
export type Outcome =
  | {
      kind: "consolidated";
      session: string;
      from: number;
      to: number;
      changes: string[];
      model: string;
      counts: FactCounts;
    }
  | { kind: "nothing-due"; session: string }
  | { kind: "refused"; session: string; reason: string; failures: number }
  | { kind: "held"; session: string; from: number; to: number; change: string; reason: string }
  | { kind: "archived-raw"; session: string; from: number; to: number; change: string; reason: string };

/**
 * What happens inside, for whoever listens (`memory.on(type, …)`):
 * - `started`, `progress`, `consolidated`: a digest of a session begins, goes on (piece by piece, when it takes several
 *   calls), ends. A digest that fails ends too; its outcome says so.
 * - `flushed`: bullets went to the day's note before the context ran full; `noted`: an ended session got its note.
 * - `tidied`: MEMORY.md was put in order; `moved`: facts went to a dated note because of the budget.
 * - `job`: a durable job is done, failed and waits, or was given up.
 * - `spent`: a model was asked, for a digest or by the agent, and what it took; `cost` is null where no price is known.
 * - `notice`: something that a person may want to know, in words.
 */
export type MemoryEvent =
  | { type: "consolidated"; outcome: Exclude<Outcome, { kind: "nothing-due" }> }
  | { type: "started"; session: string; cause: string }
  | { type: "progress"; session: string; done: number; total: number }
  | { type: "flushed"; session: string; file: string; bullets: string[] }
  | { type: "noted"; session: string; file: string; model: string }
  | { type: "tidied"; scope: string; merged: number; dated: number; moved: number; change: string }
  | { type: "moved"; scope: string; file: string; facts: string[] }
  | { type: "job"; kind: string; name: string; outcome: "done" | "failed" | "dead"; attempts: number; reason?: string }
  | { type: "spent"; model: string; usage: Usage; cost: number | null }
  | { type: "notice"; text: string };
