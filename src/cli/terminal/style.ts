import { stripInvisible } from "../../visible-text.ts";

/** Puts colour and weight on text; the plain one leaves it as it is. */
export interface Style {
  readonly isPlain: boolean;
  bold(text: string): string;
  dim(text: string): string;
  accent(text: string): string;
  warn(text: string): string;
  good(text: string): string;
  bad(text: string): string;
}

const escape = (on: number, off: number) => (text: string) => (text === "" ? "" : `\u001B[${on}m${text}\u001B[${off}m`);
const same = (text: string): string => text;

const COLOURED: Style = {
  isPlain: false,
  bold: escape(1, 22),
  dim: escape(2, 22),
  accent: escape(36, 39),
  warn: escape(33, 39),
  good: escape(32, 39),
  bad: escape(31, 39),
};
const PLAIN: Style = {
  isPlain: true,
  bold: same,
  dim: same,
  accent: same,
  warn: same,
  good: same,
  bad: same,
};

/** Colours only on a terminal that can show them, and only where nobody asked for none (no-color.org). */
export function chooseStyle(
  stream: { isTTY?: boolean | undefined },
  environment: Readonly<Record<string, string | undefined>>,
): Style {
  const isWanted = !environment["NO_COLOR"] && environment["TERM"] !== "dumb";
  return stream.isTTY === true && isWanted ? COLOURED : PLAIN;
}

/** Text from elsewhere without what could move the cursor, change the terminal or hide from the reader. */
export function withoutControls(text: string): string {
  return stripInvisible(text);
}
