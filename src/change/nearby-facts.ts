import type { Fact } from "./read-outline.ts";

// So many new facts are looked at for each old one, and so many of those that have one key in common with it.
const MOST_LOOKED_AT = 32;
const MOST_FOR_A_KEY = 8;

/**
 * Finds, for facts of a long list, the few new ones that may be the same: those with which they share the rarest keys,
 * and of equally good ones those that stand at the same place of the list, the nearest first.
 */
export function createNearby(
  dropped: readonly Fact[],
  fresh: readonly Fact[],
  keysOf: (fact: Fact) => readonly string[],
): (fact: Fact) => Fact[] {
  const places = placesByKey(fresh, keysOf);
  const expected = expectPlaces(dropped, places, keysOf);
  return (fact) => {
    const expectedAt = expected.get(fact) ?? 0;
    const found = new Set<number>();
    const known = keysOf(fact).map((key) => places.get(key) ?? []);
    for (const list of known.toSorted((one, other) => one.length - other.length)) {
      for (const place of nearest(list, expectedAt)) found.add(place);
      if (found.size >= MOST_LOOKED_AT) break;
    }
    const inOrder = [...found].toSorted((one, other) => Math.abs(one - expectedAt) - Math.abs(other - expectedAt));
    return inOrder.flatMap((place) => fresh[place] ?? []);
  };
}

/** Where the facts with a key stand, rising. */
function placesByKey(facts: readonly Fact[], keysOf: (fact: Fact) => readonly string[]): Map<string, number[]> {
  const places = new Map<string, number[]>();
  for (const [place, fact] of facts.entries()) {
    for (const key of keysOf(fact)) {
      const known = places.get(key);
      if (known === undefined) places.set(key, [place]);
      else if (known.at(-1) !== place) known.push(place);
    }
  }
  return places;
}

/** Where each old fact would stand now: it follows the last one that is known by a key of its own on both sides. */
function expectPlaces(
  dropped: readonly Fact[],
  places: ReadonlyMap<string, readonly number[]>,
  keysOf: (fact: Fact) => readonly string[],
): Map<Fact, number> {
  const before = placesByKey(dropped, keysOf);
  const shifts = dropped.map((fact, place) => {
    const own = keysOf(fact).find((key) => before.get(key)?.length === 1 && places.get(key)?.length === 1);
    const now = own === undefined ? undefined : places.get(own)?.[0];
    return now === undefined ? undefined : now - place;
  });
  const expected = new Map<Fact, number>();
  let shift = shifts.find((each) => each !== undefined) ?? 0;
  for (const [place, fact] of dropped.entries()) {
    shift = shifts[place] ?? shift;
    expected.set(fact, place + shift);
  }
  return expected;
}

/** The places next to one, of a rising list. */
function nearest(places: readonly number[], to: number): readonly number[] {
  if (places.length <= MOST_FOR_A_KEY) return places;
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle] ?? 0) < to) low = middle + 1;
    else high = middle;
  }
  const from = Math.min(Math.max(0, low - MOST_FOR_A_KEY / 2), places.length - MOST_FOR_A_KEY);
  return places.slice(from, from + MOST_FOR_A_KEY);
}
