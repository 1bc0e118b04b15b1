/** A text as its lines, each with the line end that it has; joined again they are the same bytes. */
export interface Lines {
  lines: string[];
  /** The end of each line: `\n`, `\r\n`, `\r`, or nothing for a last line without one. */
  ends: string[];
}

const LINE_END = /\r\n|\n|\r/g;

/** Splits a text where Markdown does. A text that ends with a line end has no empty line behind it. */
export function splitLines(text: string): Lines {
  const lines: string[] = [];
  const ends: string[] = [];
  let at = 0;
  for (const { index, 0: end } of text.matchAll(LINE_END)) {
    lines.push(text.slice(at, index));
    ends.push(end);
    at = index + end.length;
  }
  if (at < text.length) {
    lines.push(text.slice(at));
    ends.push("");
  }
  return { lines, ends };
}

/** The text that these lines are. */
export function joinLines({ lines, ends }: Lines): string {
  return lines.map((line, index) => `${line}${ends[index] ?? "\n"}`).join("");
}
