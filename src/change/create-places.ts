import { align } from "../lines.ts";
import { nameOf } from "./read-outline.ts";
import type { Fact } from "./read-outline.ts";

/** Names the gap in which a fact stands: behind which fact that both versions have, in order. */
export function createPlaces(base: readonly Fact[], proposed: readonly Fact[]): (fact: Fact) => string {
  const common = align(base.map(nameOf), proposed.map(nameOf));
  const places = new Map<Fact, string>();
  const shared = new Map([...common].flatMap((place, index) => (place < 0 ? [] : [[place, index] as const])));
  const walk = (facts: readonly Fact[], gapOf: (index: number) => number | undefined): void => {
    let gap = "";
    for (const [index, fact] of facts.entries()) {
      const known = gapOf(index);
      if (known === undefined) places.set(fact, gap);
      else gap = String(known);
    }
  };
  walk(base, (index) => ((common[index] ?? -1) < 0 ? undefined : index));
  walk(proposed, (index) => shared.get(index));
  return (fact) => places.get(fact) ?? "";
}

/** Places where more went than came: that is no rewording of each, it is a cut, and cuts need reasons. Equals are one. */
export function countCuts(
  dropped: readonly Fact[],
  fresh: readonly Fact[],
  placeOf: (fact: Fact) => string,
): Set<string> {
  const balance = new Map<string, number>();
  const count = (fact: Fact, by: number) => balance.set(placeOf(fact), (balance.get(placeOf(fact)) ?? 0) + by);
  for (const fact of new Map(dropped.map((each) => [each.name, each])).values()) count(fact, 1);
  for (const fact of fresh) count(fact, -1);
  return new Set([...balance].filter(([, more]) => more > 0).map(([place]) => place));
}
