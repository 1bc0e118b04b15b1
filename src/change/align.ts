import { diffArrays } from "diff";

/** For each place of `one` the place in `other` that it is the same as, or -1; the places are in order on both sides. */
export function align(one: readonly string[], other: readonly string[]): Int32Array {
  const places = new Int32Array(one.length).fill(-1);
  alignBetween(one, other, places, { from: 0, to: one.length, otherFrom: 0, otherTo: other.length });
  return places;
}

interface Window {
  from: number;
  to: number;
  otherFrom: number;
  otherTo: number;
}

// Beyond so many differences in one gap, what is the same there by chance is not worth the time to find it.
const MOST_DIFFERENCES = 400;

/** What both begin and end with, then what stands once in both, then what lies between. */
function alignBetween(one: readonly string[], other: readonly string[], places: Int32Array, window: Window): void {
  const gap = trimEqual(one, other, places, window);
  if (gap.from === gap.to || gap.otherFrom === gap.otherTo) return;
  const anchors = findAnchors(one, other, gap);
  if (anchors.length === 0) {
    alignGap(one, other, places, gap);
    return;
  }
  let { from, otherFrom } = gap;
  for (const { at, otherAt } of [...anchors, { at: gap.to, otherAt: gap.otherTo }]) {
    alignBetween(one, other, places, { from, to: at, otherFrom, otherTo: otherAt });
    if (at < gap.to) places[at] = otherAt;
    from = at + 1;
    otherFrom = otherAt + 1;
  }
}

function trimEqual(one: readonly string[], other: readonly string[], places: Int32Array, window: Window): Window {
  let { from, to, otherFrom, otherTo } = window;
  while (from < to && otherFrom < otherTo && one[from] === other[otherFrom]) places[from++] = otherFrom++;
  while (to > from && otherTo > otherFrom && one[to - 1] === other[otherTo - 1]) places[--to] = --otherTo;
  return { from, to, otherFrom, otherTo };
}

/** What stands exactly once on each side, in the longest run that has the same order on both. */
function findAnchors(one: readonly string[], other: readonly string[], gap: Window): { at: number; otherAt: number }[] {
  const places = new Map<string, { at: number; otherAt: number; times: number; otherTimes: number }>();
  for (let at = gap.from; at < gap.to; at++) {
    const known = places.get(one[at] ?? "");
    if (known) known.times++;
    else places.set(one[at] ?? "", { at, otherAt: -1, times: 1, otherTimes: 0 });
  }
  for (let otherAt = gap.otherFrom; otherAt < gap.otherTo; otherAt++) {
    const known = places.get(other[otherAt] ?? "");
    if (known === undefined) continue;
    known.otherTimes++;
    known.otherAt = otherAt;
  }
  const single = [...places].filter(
    ([line, { times, otherTimes }]) => line.trim() !== "" && times === 1 && otherTimes === 1,
  );
  return longestRising(single.map(([, { at, otherAt }]) => ({ at, otherAt })));
}

/** The longest part of these pairs (given by their first place) whose second places rise, too. */
function longestRising(pairs: readonly { at: number; otherAt: number }[]): { at: number; otherAt: number }[] {
  const ends: number[] = [];
  const before = new Int32Array(pairs.length).fill(-1);
  for (const [index, { otherAt }] of pairs.entries()) {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[ends[middle] ?? 0]?.otherAt ?? 0) < otherAt) low = middle + 1;
      else high = middle;
    }
    if (low > 0) before[index] = ends[low - 1] ?? -1;
    ends[low] = index;
  }
  const run: { at: number; otherAt: number }[] = [];
  for (let index = ends.at(-1) ?? -1; index >= 0; index = before[index] ?? -1) {
    const pair = pairs[index];
    if (pair) run.push(pair);
  }
  return run.toReversed();
}

function alignGap(one: readonly string[], other: readonly string[], places: Int32Array, gap: Window): void {
  const parts = diffArrays(one.slice(gap.from, gap.to), other.slice(gap.otherFrom, gap.otherTo), {
    maxEditLength: MOST_DIFFERENCES,
  });
  let { from, otherFrom } = gap;
  for (const { added, removed, count } of parts ?? []) {
    if (added) otherFrom += count;
    else if (removed) from += count;
    else for (let index = 0; index < count; index++) places[from++] = otherFrom++;
  }
}
