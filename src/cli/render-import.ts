import type { ImportOutcome } from "../import/import-from.ts";
import type { Skipped } from "../import/found.ts";
import { countOf, formatCount } from "./print.ts";

const MOST_NAMED = 5;

/** What came, and a line for each reason why something did not; all of it, place by place, when asked for. */
export function renderImport(outcome: ImportOutcome, isVerbose: boolean): string {
  const { from, dryRun, messages, sessions, notes, facts, proposal, skipped } = outcome;
  const decide = proposal && !dryRun ? `; decide with: tidemark review ${proposal}` : "";
  const lost = skipped.filter(({ isDamage }) => isDamage);
  const left = skipped.filter(({ isDamage }) => !isDamage);
  return [
    ...(dryRun ? ["Nothing was written. This would be imported:"] : []),
    `${countOf(messages.added, "message")} to ${countOf(sessions, "session")} from ${from}${known(messages.known)}`,
    ...(notes.added + notes.known > 0
      ? [`${countOf(notes.added, "note")} to memory/imported/${known(notes.known)}`]
      : []),
    ...(facts.proposed + facts.known > 0
      ? [`${countOf(facts.proposed, "fact")} proposed${known(facts.known)}${decide}`]
      : []),
    ...(isVerbose ? lost.map(line) : renderDamage(lost)),
    ...(isVerbose ? left.map(line) : renderLeft(left)),
  ].join("\n");
}

/** One entry for each reason, with the sum. */
export function summariseSkipped(skipped: readonly Skipped[]): Skipped[] {
  const groups = Map.groupBy(skipped, ({ what, why, isDamage }) => JSON.stringify([what, why, isDamage]));
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    const places = new Set(group.map(({ place }) => place));
    const place = places.size === 1 ? (first?.place ?? "") : `${places.size} places`;
    return first ? [{ ...first, place, count: group.reduce((sum, { count }) => sum + count, 0) }] : [];
  });
}

function line({ place, count, what, why, isDamage }: Skipped): string {
  return `${isDamage ? "damaged" : "left out"}: ${place}: ${countOf(count, what)}: ${why}`;
}

/** What could not be read is named, where it is not too much. */
function renderDamage(lost: readonly Skipped[]): string[] {
  if (lost.length === 0) return [];
  const named = lost.slice(0, MOST_NAMED).map(({ place, why }) => `${place} (${why})`);
  const more = lost.length > MOST_NAMED ? [`and ${lost.length - MOST_NAMED} more: --verbose names them`] : [];
  return [`damaged, the rest was imported: ${[...named, ...more].join(", ")}`];
}

function renderLeft(left: readonly Skipped[]): string[] {
  if (left.length === 0) return [];
  const reasons = summariseSkipped(left).map(({ count, what, why }) => `${countOf(count, what)} (${why})`);
  return [`left out: ${reasons.join("; ")}`, "--verbose names each place"];
}

function known(count: number): string {
  return count > 0 ? ` (already there: ${formatCount(count)})` : "";
}
