import { costOf } from "../../state/cost-of.ts";
import type { Run } from "../../state/state.ts";
import type { LogEntry } from "../../trust/read-log.ts";
import type { ChangeLine } from "./change-shapes.ts";

/** Money per million tokens, by model. */
export type Prices = Readonly<Record<string, Parameters<typeof costOf>[1]>>;

// The line says what it was about; the whole of it is in the diff.
const MOST_TOLD = 20;

/** An entry of the log as the page shows it. */
export function toChangeLine(entry: LogEntry, prices: Prices): ChangeLine {
  const { run } = entry;
  const hasStretch = run !== null && run.to > run.from;
  return {
    id: entry.revision === null ? (run?.id ?? "") : `r${entry.revision}`,
    kind: kindOf(entry),
    at: entry.at,
    memory: entry.scope,
    author: entry.author,
    cause: entry.cause,
    model: run?.model ?? null,
    session: run?.session || null,
    from: hasStretch ? run.from : 0,
    to: hasStretch ? run.to : 0,
    reason: run?.reason ?? null,
    revision: entry.revision,
    added: entry.added.slice(0, MOST_TOLD),
    removed: entry.removed.slice(0, MOST_TOLD),
    addedCount: entry.added.length,
    removedCount: entry.removed.length,
    counts: run?.counts ?? null,
    usage: run?.usage ?? null,
    cost: run === null ? null : costOf(run.usage, prices[run.model]),
    files: [...new Set((run?.entries ?? []).map(({ file }) => file))],
  };
}

const BY_CAUSE: Readonly<Record<string, ChangeLine["kind"]>> = {
  flush: "flush",
  "session-note": "note",
  tidy: "tidy",
  remember: "remember",
  forget: "remember",
  replaced: "edit",
  "edited by the agent": "edit",
};

const BY_OUTCOME: Readonly<Record<Run["outcome"], ChangeLine["kind"]>> = {
  consolidated: "run",
  held: "held",
  refused: "refused",
  "archived-raw": "raw",
};

function kindOf({ author, cause, run }: LogEntry): ChangeLine["kind"] {
  if (author === "undo") return "undo";
  if (author === "person") return "edit";
  if (cause.startsWith("review of ")) return "review";
  if (cause.startsWith("forget (")) return "forget";
  if (cause.startsWith("restored revision ")) return "undo";
  return BY_CAUSE[cause] ?? (run === null ? "edit" : BY_OUTCOME[run.outcome]);
}
