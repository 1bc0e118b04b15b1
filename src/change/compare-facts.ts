import { align } from "../lines.ts";
import type { Fact } from "./read-outline.ts";

/** Which facts of one text are which of another. */
export interface Comparison {
  /** The fact in the later text, for each of the earlier one that is there under the same headings. */
  kept: Map<Fact, Fact>;
  /** The same words under other headings. */
  moved: Map<Fact, Fact>;
  gone: Fact[];
  fresh: Fact[];
}

/**
 * Pairs the facts of two texts: those that stand in the same order first, so that of two equal ones the right one is
 * found, then the same words under the same headings, then the same words elsewhere.
 */
export function compareFacts(before: readonly Fact[], after: readonly Fact[]): Comparison {
  const kept = new Map<Fact, Fact>();
  const taken = new Set<Fact>();
  for (const [index, place] of align(
    before.map(({ name }) => name),
    after.map(({ name }) => name),
  ).entries()) {
    const one = before[index];
    const other = after[place];
    if (place < 0 || !one || !other) continue;
    kept.set(one, other);
    taken.add(other);
  }
  pairBy(before, after, kept, taken, ({ name }) => name);
  const moved = new Map<Fact, Fact>();
  pairBy(
    before.filter((fact) => !kept.has(fact)),
    after,
    moved,
    taken,
    ({ text }) => text,
  );
  return {
    kept,
    moved,
    gone: before.filter((fact) => !kept.has(fact) && !moved.has(fact)),
    fresh: after.filter((fact) => !taken.has(fact)),
  };
}

function pairBy(
  before: readonly Fact[],
  after: readonly Fact[],
  pairs: Map<Fact, Fact>,
  taken: Set<Fact>,
  keyOf: (fact: Fact) => string,
): void {
  // Most often all are paired by now.
  if (taken.size === after.length) return;
  const free = Map.groupBy(
    after.filter((fact) => !taken.has(fact)),
    keyOf,
  );
  for (const fact of before) {
    if (pairs.has(fact)) continue;
    const match = free.get(keyOf(fact))?.shift();
    if (!match) continue;
    pairs.set(fact, match);
    taken.add(match);
  }
}
