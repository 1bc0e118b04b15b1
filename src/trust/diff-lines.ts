/** A line of a diff: kept, added or removed. */
export interface DiffLine {
  kind: " " | "+" | "-";
  text: string;
}

const CONTEXT_LINES = 2;

/** The difference of two texts, line by line. */
export function diffLines(before: string, after: string): DiffLine[] {
  const one = splitLines(before);
  const other = splitLines(after);
  let start = 0;
  while (start < one.length && start < other.length && one[start] === other[start]) start++;
  let end = 0;
  while (end < one.length - start && end < other.length - start && one.at(-1 - end) === other.at(-1 - end)) end++;
  const kept = (lines: readonly string[]) => lines.map((text): DiffLine => ({ kind: " ", text }));
  return [
    ...kept(one.slice(0, start)),
    ...diffMiddle(one.slice(start, one.length - end), other.slice(start, other.length - end)),
    ...kept(one.slice(one.length - end)),
  ];
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

function splitLines(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

// Below this many pairs of lines a table of all of them is quick.
const MOST_LINE_PAIRS = 1 << 20;

/**
 * By a longest common subsequence where that is small enough. Else lines that stand once in both texts hold the place,
 * and what lies between them is compared; a stretch without any such line is shown as taken out and put in.
 */
function diffMiddle(one: readonly string[], other: readonly string[]): DiffLine[] {
  if (one.length * other.length <= MOST_LINE_PAIRS) return diffByTable(one, other);
  const anchors = findAnchors(one, other);
  if (anchors.length === 0) return [...mark("-", one), ...mark("+", other)];
  const lines: DiffLine[][] = [];
  let row = 0;
  let column = 0;
  for (const anchor of [...anchors, { row: one.length, column: other.length }]) {
    lines.push(diffBetween(one.slice(row, anchor.row), other.slice(column, anchor.column)));
    lines.push(mark(" ", one.slice(anchor.row, anchor.row + 1)));
    row = anchor.row + 1;
    column = anchor.column + 1;
  }
  return lines.flat();
}

function diffBetween(one: readonly string[], other: readonly string[]): DiffLine[] {
  const isSmall = one.length * other.length <= MOST_LINE_PAIRS;
  return isSmall ? diffByTable(one, other) : [...mark("-", one), ...mark("+", other)];
}

function mark(kind: DiffLine["kind"], lines: readonly string[]): DiffLine[] {
  return lines.map((text) => ({ kind, text }));
}

interface Anchor {
  row: number;
  column: number;
}

/** The lines that both texts have once, as many as stand in the same order in both. */
function findAnchors(one: readonly string[], other: readonly string[]): Anchor[] {
  const rows = singles(one);
  const shared: Anchor[] = [];
  for (const [text, column] of singles(other)) {
    const row = rows.get(text);
    if (row !== undefined) shared.push({ row, column });
  }
  return longestRise(shared.toSorted((a, b) => a.column - b.column));
}

function singles(lines: readonly string[]): Map<string, number> {
  const places = new Map<string, number>();
  const repeated = new Set<string>();
  for (const [index, line] of lines.entries()) {
    if (places.has(line)) repeated.add(line);
    places.set(line, index);
  }
  for (const line of repeated) places.delete(line);
  return places;
}

/** The longest part of the list whose rows rise, by piles as in patience. */
function longestRise(anchors: readonly Anchor[]): Anchor[] {
  const tops: Chain[] = [];
  for (const anchor of anchors) {
    let low = 0;
    for (let high = tops.length; low < high;) {
      const middle = (low + high) >> 1;
      if ((tops[middle]?.anchor.row ?? 0) < anchor.row) low = middle + 1;
      else high = middle;
    }
    tops[low] = { anchor, before: tops[low - 1] };
  }
  const rise: Anchor[] = [];
  for (let link = tops.at(-1); link; link = link.before) rise.push(link.anchor);
  return rise.toReversed();
}

interface Chain {
  anchor: Anchor;
  before: Chain | undefined;
}

function diffByTable(one: readonly string[], other: readonly string[]): DiffLine[] {
  const lengths = Array.from({ length: one.length + 1 }, () => new Uint32Array(other.length + 1));
  const at = (row: number, column: number) => lengths[row]?.[column] ?? 0;
  for (let row = one.length - 1; row >= 0; row--) {
    for (let column = other.length - 1; column >= 0; column--) {
      const isSame = one[row] === other[column];
      const longest = isSame ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
      lengths[row]?.fill(longest, column, column + 1);
    }
  }
  const lines: DiffLine[] = [];
  for (let row = 0, column = 0; row < one.length || column < other.length;) {
    const old = one[row];
    const next = other[column];
    if (old !== undefined && old === next) {
      lines.push({ kind: " ", text: old });
      row++;
      column++;
    } else if (old !== undefined && (next === undefined || at(row + 1, column) >= at(row, column + 1))) {
      lines.push({ kind: "-", text: old });
      row++;
    } else if (next !== undefined) {
      lines.push({ kind: "+", text: next });
      column++;
    }
  }
  return lines;
}
