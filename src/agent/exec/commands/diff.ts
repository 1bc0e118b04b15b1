import { misuse, readSources, toLines } from "../call.ts";
import type { BuiltIn } from "../call.ts";
import { readOptions } from "../read-options.ts";

// Beyond this many pairs of lines the middle is shown as replaced whole.
const MOST_PAIRS = 9_000_000;

/** diff: which lines of two files differ. */
export const diff: BuiltIn = (call) => {
  const options = readOptions(call.name, call.words, {
    flags: "uqiwbBN",
    long: { unified: "u", brief: "q", "ignore-case": "i" },
  });
  if (options.plain.length !== 2) throw misuse(call.name, "takes two files");
  const sources = readSources(call, options.plain);
  const [one, other] = sources;
  if (!one || !other || sources.length !== 2) return 2;
  const fold = (line: string): string => {
    const spaced = options.has("w")
      ? line.replaceAll(/\s+/g, "")
      : options.has("b")
        ? line.replaceAll(/\s+/g, " ").trimEnd()
        : line;
    return options.has("i") ? spaced.toLowerCase() : spaced;
  };
  const [before, after] = [toLines(one.text), toLines(other.text)];
  const hunks = compareLines(before.map(fold), after.map(fold));
  if (hunks.length === 0) return 0;
  if (options.has("q")) {
    call.write(`Files ${one.name} and ${other.name} differ\n`);
    return 1;
  }
  if (options.has("u")) call.write(`--- ${one.name}\n+++ ${other.name}\n`);
  for (const { from, to, start, end } of hunks) {
    const gone = before.slice(from, to);
    const come = after.slice(start, end);
    if (options.has("u")) {
      call.write(`@@ -${from + 1},${gone.length} +${start + 1},${come.length} @@\n`);
      call.write([...gone.map((line) => `-${line}\n`), ...come.map((line) => `+${line}\n`)].join(""));
      continue;
    }
    const kind = gone.length === 0 ? "a" : come.length === 0 ? "d" : "c";
    call.write(`${range(from, to)}${kind}${range(start, end)}\n`);
    call.write(gone.map((line) => `< ${line}\n`).join(""));
    if (kind === "c") call.write("---\n");
    call.write(come.map((line) => `> ${line}\n`).join(""));
  }
  return 1;
};

function range(from: number, to: number): string {
  if (to <= from) return String(from);
  return to - from === 1 ? String(to) : `${from + 1},${to}`;
}

interface Hunk {
  from: number;
  to: number;
  start: number;
  end: number;
}

function compareLines(before: readonly string[], after: readonly string[]): Hunk[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head++;
  let tail = 0;
  const room = Math.min(before.length, after.length) - head;
  while (tail < room && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  const [rows, columns] = [before.length - head - tail, after.length - head - tail];
  if (rows === 0 && columns === 0) return [];
  const whole = { from: head, to: head + rows, start: head, end: head + columns };
  if (rows === 0 || columns === 0 || rows * columns > MOST_PAIRS) return [whole];
  // The length of what both have in common, from each pair of lines on.
  const width = columns + 1;
  const common = new Uint16Array((rows + 1) * width);
  const at = (row: number, column: number): number => common[row * width + column] ?? 0;
  for (let row = rows - 1; row >= 0; row--) {
    for (let column = columns - 1; column >= 0; column--) {
      const isSame = before[head + row] === after[head + column];
      common[row * width + column] = isSame
        ? at(row + 1, column + 1) + 1
        : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const hunks: Hunk[] = [];
  let [row, column] = [0, 0];
  while (row < rows || column < columns) {
    if (row < rows && column < columns && before[head + row] === after[head + column]) {
      row++;
      column++;
      continue;
    }
    const hunk = { from: head + row, to: head + row, start: head + column, end: head + column };
    while (
      (row < rows || column < columns) &&
      !(row < rows && column < columns && before[head + row] === after[head + column])
    ) {
      if (column >= columns || (row < rows && at(row + 1, column) >= at(row, column + 1))) row++;
      else column++;
    }
    hunks.push({ ...hunk, to: head + row, end: head + column });
  }
  return hunks;
}
