export { countOf, formatCount } from "../language/count-of.ts";
import { maskAddresses } from "./mask-addresses.ts";
import { showInvisible, showJson } from "../visible-text.ts";
import { page } from "./terminal/page.ts";
import type { Paint } from "./terminal/paint.ts";

/** Writes a result: one value as JSON, or the text that `render` makes of it, coloured by `paint` for a person. */
export function printResult<T>(
  isJson: boolean | undefined,
  value: T,
  render: (value: T) => string,
  paint: Paint = (text) => text,
): void {
  if (isJson) process.stdout.write(`${showJson(JSON.stringify(value, undefined, 2))}\n`);
  else page(`${paint(printable(render(value)))}\n`);
}

/** What was said may hold anything; nothing of it may steer the terminal or hide from the reader. */
export function printable(text: string): string {
  return showInvisible(text);
}

/** Says something that is no result, where it does not get into a pipe. */
export function note(text: string): void {
  process.stderr.write(`tidemark: ${printable(maskAddresses(oneLine(text)))}\n`);
}

/** Lays rows out in columns; the last column is left ragged. */
export function formatTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [header, ...rows];
  const widths = header.map((_, column) =>
    all.reduce((widest, row) => Math.max(widest, (row[column] ?? "").length), 0),
  );
  return all
    .map((row) =>
      row
        .map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** A text as one line, so that a reader of the log can rely on it. */
export function oneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, " ").trim();
}
