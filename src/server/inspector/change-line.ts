import { costOf } from "../../history/cost-of.ts";
import { MEMORY_FILE } from "../../layout.ts";
import type { LogEntry } from "../../trust/read-log.ts";
import type { ChangeLine } from "./change-shapes.ts";

/** Money per million tokens, by model. */
export type Prices = Readonly<Record<string, Parameters<typeof costOf>[1]>>;

// The line says what it was about; the whole of it is in the diff.
const MOST_TOLD = 20;

/** An entry of the log as the page shows it. */
export function toChangeLine(entry: LogEntry, prices: Prices): ChangeLine {
  const { id, at, scope, author, cause, trigger, of, by, session, from, to, reason, usage, counts } = entry;
  const { kept, added, reworded, retired } = counts;
  return {
    id,
    kind: kindOf(entry),
    at,
    memory: scope,
    author,
    cause,
    trigger,
    of,
    name: by,
    session: session || null,
    from: to > from ? from : 0,
    to: to > from ? to : 0,
    reason,
    hasText: entry.file === MEMORY_FILE,
    added: entry.added.slice(0, MOST_TOLD),
    removed: entry.removed.slice(0, MOST_TOLD),
    addedCount: entry.added.length,
    removedCount: entry.removed.length,
    counts: { kept, added, reworded, retired },
    usage,
    cost: costOf(usage, prices[by]),
    files: [...new Set(entry.entries.map(({ file }) => file))],
  };
}

function kindOf({ cause, outcome }: LogEntry): ChangeLine["kind"] {
  if (cause === "retire") return "remember";
  if (cause !== "digest" || outcome === "consolidated") return cause;
  return outcome === "archived-raw" ? "raw" : outcome;
}
