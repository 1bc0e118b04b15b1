import type { Outcome } from "../outcome.ts";
import { countOf } from "../language/count-of.ts";

/** What came of a consolidation, in one line for the user. */
export function describeOutcome(outcome: Outcome): string {
  if (outcome.kind === "nothing-due") return "There is nothing to digest.";
  if (outcome.kind === "consolidated") {
    return `Digested ${countOf(outcome.to - outcome.from, "message")}: ${describeCounts(outcome.counts)}.`;
  }
  if (outcome.kind === "refused") {
    return `Not digested (attempt ${outcome.failures} of 3): ${outcome.reason}. Nothing is lost; it will be tried again.`;
  }
  if (outcome.kind === "held") return `Held for you to decide, because ${outcome.reason}.`;
  return `Archived as it was said, in HISTORY.md, because digesting failed three times: ${outcome.reason}.`;
}

/** `+2 facts, 1 reworded, 1 retired`; says so when nothing changed. */
export function describeCounts({
  added,
  reworded,
  retired,
  unproven = 0,
}: {
  added: number;
  reworded: number;
  retired: number;
  unproven?: number | undefined;
}): string {
  const proven = added - unproven;
  const parts = [
    proven > 0 ? `+${proven} ${proven === 1 ? "fact" : "facts"}` : "",
    unproven > 0 ? `${unproven} unproven: nothing said supports ${unproven === 1 ? "it" : "them"}` : "",
    reworded > 0 ? `${reworded} reworded` : "",
    retired > 0 ? `${retired} retired` : "",
  ].filter((part) => part !== "");
  return parts.length === 0 ? "no new facts" : parts.join(", ");
}
