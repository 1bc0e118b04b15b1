/** How a file is laid out. */
export interface Layout {
  indent: string;
  eol: string;
}

/** Indents and ends lines as the file does. */
export function layoutOf(text: string): Layout {
  const indent = /^([ \t]+)\S/m.exec(text.replaceAll(/\/\*[\s\S]*?\*\//g, ""))?.[1] ?? "  ";
  return { indent, eol: text.includes("\r\n") ? "\r\n" : "\n" };
}

/** A value as text, its further lines behind `base`. */
export function renderJson(value: unknown, { indent, eol }: Layout, base: string): string {
  return JSON.stringify(value, undefined, indent).split("\n").join(`${eol}${base}`);
}

/** The white space before the first thing on the line of a place. */
export function indentOf(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf("\n", offset - 1) + 1);
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}

/** Where a node ends. */
export function endOf({ offset, length }: { offset: number; length: number }): number {
  return offset + length;
}

/** Where the comma stands between two places; those in comments do not count. */
export function commaBetween(text: string, start: number, end: number): number | undefined {
  const code = text.slice(start, end).replaceAll(/\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (found) => " ".repeat(found.length));
  const index = code.indexOf(",");
  return index < 0 ? undefined : start + index;
}

/** Cuts a stretch, with the line that would be left empty, or the space before it. */
export function cutLines(text: string, start: number, end: number): string {
  const lead = /[ \t]*$/.exec(text.slice(0, start))?.[0].length ?? 0;
  const from = start - lead;
  const isLineStart = from === 0 || text[from - 1] === "\n";
  const rest = /^[ \t]*\r?\n/.exec(text.slice(end))?.[0].length;
  if (isLineStart && rest !== undefined) return `${text.slice(0, from)}${text.slice(end + rest)}`;
  return `${text.slice(0, from)}${text.slice(end)}`;
}
