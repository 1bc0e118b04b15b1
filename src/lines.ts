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
  return longestRising(
    single.map(([, { at, otherAt }]) => ({ at, otherAt })),
    ({ otherAt }) => otherAt,
  );
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

/** The longest part of a list, in its order, in which a number rises from each to the next. */
export function longestRising<T>(list: readonly T[], numberOf: (one: T) => number): T[] {
  const ends: Link<T>[] = [];
  for (const one of list) {
    const number = numberOf(one);
    let low = 0;
    for (let high = ends.length; low < high;) {
      const middle = (low + high) >> 1;
      if ((ends[middle]?.number ?? 0) < number) low = middle + 1;
      else high = middle;
    }
    ends[low] = { one, number, before: ends[low - 1] };
  }
  const run: T[] = [];
  for (let link = ends.at(-1); link; link = link.before) run.push(link.one);
  return run.toReversed();
}

interface Link<T> {
  one: T;
  number: number;
  before: Link<T> | undefined;
}

/** A line of a diff: kept, added or removed. */
export interface DiffLine {
  kind: " " | "+" | "-";
  text: string;
}

const CONTEXT_LINES = 2;

/** The difference of two texts, line by line. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [one, other] = [linesIn(before), linesIn(after)];
  const lines: DiffLine[] = [];
  let told = 0;
  const tellAdded = (end: number): void => {
    for (; told < end; told++) lines.push({ kind: "+", text: other[told] ?? "" });
  };
  align(one, other).forEach((place, at) => {
    const text = one[at] ?? "";
    if (place < 0) lines.push({ kind: "-", text });
    else {
      tellAdded(place);
      lines.push({ kind: " ", text });
      told = place + 1;
    }
  });
  tellAdded(other.length);
  return lines;
}

/** The same as text, with a little of what stands around each change. */
export function renderDiff(before: string, after: string): string {
  const lines = diffLines(before, after);
  const isNear = lines.map((_, index) =>
    lines.slice(Math.max(0, index - CONTEXT_LINES), index + CONTEXT_LINES + 1).some(({ kind }) => kind !== " "),
  );
  const shown = lines.flatMap(({ kind, text }, index) => {
    if (!isNear[index]) return isNear[index - 1] ? ["…"] : [];
    return [`${kind} ${text}`.trimEnd()];
  });
  return shown.at(-1) === "…" ? shown.slice(0, -1).join("\n") : shown.join("\n");
}

function linesIn(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}
