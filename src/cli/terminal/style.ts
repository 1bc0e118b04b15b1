/** Puts colour and weight on text; the plain one leaves it as it is. */
export interface Style {
  readonly isPlain: boolean;
  bold(text: string): string;
  dim(text: string): string;
  accent(text: string): string;
  warn(text: string): string;
}

const escape = (on: number, off: number) => (text: string) => (text === "" ? "" : `\u001B[${on}m${text}\u001B[${off}m`);
const same = (text: string): string => text;

const COLOURED: Style = {
  isPlain: false,
  bold: escape(1, 22),
  dim: escape(2, 22),
  accent: escape(36, 39),
  warn: escape(33, 39),
};
const PLAIN: Style = { isPlain: true, bold: same, dim: same, accent: same, warn: same };

/** Colours only on a terminal that can show them, and only where nobody asked for none (no-color.org). */
export function chooseStyle(
  stream: { isTTY?: boolean | undefined },
  environment: Readonly<Record<string, string | undefined>>,
): Style {
  const isWanted = !environment["NO_COLOR"] && environment["TERM"] !== "dumb";
  return stream.isTTY === true && isWanted ? COLOURED : PLAIN;
}

/** Text from elsewhere without what could move the cursor or change the terminal. */
export function withoutControls(text: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what is taken out
  return text.replaceAll(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g, "");
}
