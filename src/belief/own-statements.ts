import { readClauses } from "./reader.ts";
import type { ReadClause } from "./reader.ts";

const SURELY_TOLD = 0.65;

/** What a message states in its writer's own voice, as it was said: no questions, orders, games, hearsay or pastes. */
export function ownStatements(said: string): string {
  const clauses = readClauses(said);
  if (clauses.slice(0, 3).some(({ classes }) => classes.has("plays"))) return "";
  const material = clauses.findIndex(({ opens }) => opens.has("works"));
  const asked = new Set(clauses.filter(({ isAsked }) => isAsked).map(({ sentence }) => sentence));
  const told = clauses.filter(
    (clause, index) =>
      isStated(clause) &&
      (material < 0 || index < material) &&
      // "The plumber we had, what was his name?" tells nothing.
      (!asked.has(clause.sentence) ||
        (clause.frames.a > SURELY_TOLD && clause.text.split(" ").length > (clause.pack.isSpaced ? 2 : 0))),
  );
  const stretches: { start: number; end: number; sentence: number }[] = [];
  for (const { start, end, sentence, index } of told) {
    const last = stretches.at(-1);
    if (last && last.sentence === sentence && clauses[index - 1]?.end === last.end) last.end = end;
    else stretches.push({ start, end, sentence });
  }
  return stretches.map(({ start, end }) => said.slice(start, end).replaceAll(/\s+/g, " ")).join(" ");
}

function isStated({ kind, isIntroduced, isQuoted, opens, classes, isAsked, frames }: ReadClause): boolean {
  if (kind === "code" || kind === "table" || kind === "quoted" || isQuoted) return false;
  if (isIntroduced && kind === "prose") return false;
  if (isAsked || opens.has("forgets")) return false;
  return !(classes.has("reports") && !classes.has("denies")) && frames.q < 0.7 && frames.w + frames.f < 0.9;
}
