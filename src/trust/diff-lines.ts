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

/** By a longest common subsequence; memory files are short. */
function diffMiddle(one: readonly string[], other: readonly string[]): DiffLine[] {
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
