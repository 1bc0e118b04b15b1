import { longestRising } from "../lines.ts";

/**
 * Pairs two lists in their order, so that the pairs weigh as much as they can: for each of `wanted` the place of its
 * partner in `tail`, or undefined. Where several ways weigh the same, the later partners are taken. What is the same has
 * the same weight. Between lists of thousands, what stands once in both is paired first, and the rest between.
 */
export function alignMessages(
  tail: readonly string[],
  wanted: readonly string[],
  weigh: (index: number) => number,
): (number | undefined)[] {
  const partners: (number | undefined)[] = wanted.map(() => undefined);
  const numbers = new Map<string, number>();
  const numberAll = (prints: readonly string[]) =>
    Int32Array.from(prints, (print) => numbers.get(print) ?? numbers.set(print, numbers.size).size - 1);
  const lists = { tail: numberAll(tail), wanted: numberAll(wanted), weigh };
  alignBetween(lists, partners, { from: 0, to: wanted.length, tailFrom: 0, tailTo: tail.length });
  return partners;
}

interface Lists {
  tail: Int32Array;
  wanted: Int32Array;
  weigh: (index: number) => number;
}

interface Window {
  from: number;
  to: number;
  tailFrom: number;
  tailTo: number;
}

type Partners = (number | undefined)[];

// A byte each, and some ten milliseconds in all.
const MOST_CELLS = 2_000_000;

function alignBetween(lists: Lists, partners: Partners, window: Window): void {
  const end = trimEnd(lists, partners, window);
  if (hasRoom(end)) return alignClosely(lists, partners, end);
  const gap = trimStart(lists, partners, end);
  if (hasRoom(gap)) return alignClosely(lists, partners, gap);
  const anchors = findAnchors(lists, gap);
  // Long and without anything that stands once: what is the same far apart is so by chance.
  const cuts =
    anchors.length > 0 ? anchors : [{ at: (gap.from + gap.to) >> 1, tailAt: (gap.tailFrom + gap.tailTo) >> 1 }];
  let { from, tailFrom } = gap;
  for (const { at, tailAt } of cuts) {
    alignBetween(lists, partners, { from, to: at, tailFrom, tailTo: tailAt });
    [from, tailFrom] = [at, tailAt];
  }
  alignBetween(lists, partners, { from, to: gap.to, tailFrom, tailTo: gap.tailTo });
}

function hasRoom({ from, to, tailFrom, tailTo }: Window): boolean {
  return (to - from) * (tailTo - tailFrom) <= MOST_CELLS;
}

function trimEnd({ tail, wanted }: Lists, partners: Partners, { from, tailFrom, ...ends }: Window): Window {
  let { to, tailTo } = ends;
  while (to > from && tailTo > tailFrom && wanted[to - 1] === tail[tailTo - 1]) partners[--to] = --tailTo;
  return { from, to, tailFrom, tailTo };
}

function trimStart({ tail, wanted }: Lists, partners: Partners, { to, tailTo, ...starts }: Window): Window {
  let { from, tailFrom } = starts;
  while (from < to && tailFrom < tailTo && wanted[from] === tail[tailFrom]) partners[from++] = tailFrom++;
  return { from, to, tailFrom, tailTo };
}

const BOTH = 1;
const PAST_WANTED = 2;
const PAST_TAIL = 3;

/** The best of all ways; of the weights only the last row is needed again. */
function alignClosely({ tail, wanted, weigh }: Lists, partners: Partners, window: Window): void {
  const { from, to, tailFrom, tailTo } = window;
  const width = tailTo - tailFrom;
  const steps = new Uint8Array((to - from) * width);
  let above = new Float64Array(width + 1);
  let row = new Float64Array(width + 1);
  for (let index = from; index < to; index++) {
    const weight = weigh(index);
    for (let column = 0; column < width; column++) {
      const past = above[column + 1] ?? 0;
      const before = row[column] ?? 0;
      const paired = wanted[index] === tail[tailFrom + column] ? (above[column] ?? 0) + weight : -1;
      const best = Math.max(past, before, paired);
      row[column + 1] = best;
      steps[(index - from) * width + column] = paired === best ? BOTH : past === best ? PAST_WANTED : PAST_TAIL;
    }
    [above, row] = [row, above];
  }
  let index = to;
  let column = width;
  while (index > from && column > 0) {
    const step = steps[(index - 1 - from) * width + column - 1];
    if (step === BOTH) partners[--index] = tailFrom + --column;
    else if (step === PAST_WANTED) index -= 1;
    else column -= 1;
  }
}

interface Anchor {
  at: number;
  tailAt: number;
}

/** What stands exactly once on each side, in the longest run that has the same order on both. */
function findAnchors({ tail, wanted }: Lists, { from, to, tailFrom, tailTo }: Window): Anchor[] {
  const places = placesOfSingle(tail, tailFrom, tailTo);
  const pairs = [...placesOfSingle(wanted, from, to)].flatMap(([print, at]) => {
    const tailAt = places.get(print) ?? -1;
    return at < 0 || tailAt < 0 ? [] : [{ at, tailAt }];
  });
  return longestRising(pairs, ({ tailAt }) => tailAt);
}

function placesOfSingle(prints: Int32Array, from: number, to: number): Map<number, number> {
  const places = new Map<number, number>();
  for (let at = from; at < to; at++) places.set(prints[at] ?? -1, places.has(prints[at] ?? -1) ? -1 : at);
  return places;
}
