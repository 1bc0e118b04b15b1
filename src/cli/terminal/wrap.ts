import stringWidth from "fast-string-width";
import { wrapAnsi } from "fast-wrap-ansi";

/** Breaks a text into lines of at most this width, between words where that is possible; styles go on over a break. */
export function wrapText(text: string, width: number): string {
  return wrapAnsi(text, Math.max(1, width), { hard: true, trim: true });
}

/** How many cells a text takes on a terminal: wide characters take two, escape codes none. */
export function shownWidth(text: string): number {
  return stringWidth(text);
}
