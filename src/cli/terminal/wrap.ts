import stringWidth from "fast-string-width";
import { wrapAnsi } from "fast-wrap-ansi";

/** Breaks lines between words; continuation lines stand under the first one's text. Styles go on over the break. */
export function wrapText(text: string, width: number, indent = ""): string {
  if (width < 20) return text;
  return text
    .split("\n")
    .map((line) => wrapLine(line, width, indent))
    .join("\n");
}

function wrapLine(line: string, width: number, indent: string): string {
  if (shownWidth(line) <= width) return line;
  const lead = /^\s*/.exec(line)?.[0] ?? "";
  const hanging = `${lead}${indent}`;
  const body = wrapAnsi(line.slice(lead.length), Math.max(10, width - shownWidth(hanging)), { hard: true, trim: true });
  return body
    .split("\n")
    .map((part, index) => (index === 0 ? `${lead}${part}` : `${hanging}${part}`))
    .join("\n");
}

/** How many cells a text takes on a terminal: wide characters take two, escape codes none. */
export function shownWidth(text: string): number {
  return stringWidth(text);
}
