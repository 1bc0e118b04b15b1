import type { Style } from "./style.ts";
import { shownWidth, wrapText } from "./wrap.ts";

const NARROWEST = 6;

/** Whether a line may be a row of a table. */
export function isTableRow(line: string): boolean {
  return /^\s*\|.*\|\s*$/.test(line);
}

/** Lays the rows of a table out in columns, within the width; undefined if they are no table. */
export function renderTable(
  lines: readonly string[],
  style: Style,
  width: number,
  renderCell: (text: string) => string,
): string | undefined {
  const [, rule = ""] = lines;
  if (lines.length < 2 || !/^\s*\|(?:\s*:?-+:?\s*\|)+\s*$/.test(rule)) return undefined;
  const rows = [lines[0] ?? "", ...lines.slice(2)].map((line) => splitCells(line).map(renderCell));
  const columns = Math.max(...rows.map((row) => row.length));
  const alignments = splitCells(rule);
  const wanted = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((row) => shownWidth(row[column] ?? ""))),
  );
  const widths = fitColumns(wanted, width - 3 * (columns - 1));
  const shown = rows.map((row, index) =>
    renderRow(row, widths, alignments, index === 0 ? (text) => style.bold(text) : undefined, style),
  );
  const line = style.dim(widths.map((each) => "─".repeat(each)).join("─┼─"));
  return [shown[0], line, ...shown.slice(1)].join("\n");
}

function splitCells(line: string): string[] {
  return line
    .trim()
    .replace(/^\|/, "")
    .replace(/\|$/, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll("\\|", "|"));
}

/** The widest columns give way first. */
function fitColumns(wanted: readonly number[], room: number): number[] {
  const widths = [...wanted];
  for (;;) {
    const total = widths.reduce((sum, each) => sum + each, 0);
    const widest = Math.max(...widths);
    if (total <= room || widest <= NARROWEST) return widths;
    const column = widths.indexOf(widest);
    widths[column] = Math.max(NARROWEST, Math.min(widest - 1, widest - Math.ceil((total - room) / widths.length)));
  }
}

function renderRow(
  cells: readonly string[],
  widths: readonly number[],
  alignments: readonly string[],
  emphasise: ((text: string) => string) | undefined,
  style: Style,
): string {
  const blocks = widths.map((width, column) => wrapCell(cells[column] ?? "", width));
  const height = Math.max(...blocks.map((lines) => lines.length));
  return Array.from({ length: height }, (_, index) =>
    blocks
      .map((lines, column) => {
        const text = lines[index] ?? "";
        const padded = pad(text, widths[column] ?? 0, alignments[column] ?? "");
        return emphasise ? emphasise(padded) : padded;
      })
      .join(style.dim(" │ "))
      .trimEnd(),
  ).join("\n");
}

function wrapCell(text: string, width: number): string[] {
  return (shownWidth(text) <= width ? text : wrapText(text, width)).split("\n");
}

function pad(text: string, width: number, alignment: string): string {
  const room = Math.max(0, width - shownWidth(text));
  if (/^-+:$/.test(alignment)) return `${" ".repeat(room)}${text}`;
  if (/^:-+:$/.test(alignment)) return `${" ".repeat(Math.floor(room / 2))}${text}${" ".repeat(Math.ceil(room / 2))}`;
  return `${text}${" ".repeat(room)}`;
}
