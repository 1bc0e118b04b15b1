const UTF_16 = [
  { name: "utf-16le", mark: [0xff, 0xfe] },
  { name: "utf-16be", mark: [0xfe, 0xff] },
] as const;
const LOST = /\uFFFD/g;
// eslint-disable-next-line no-control-regex
const READ = /[^\x00-\x7f\uFFFD]/g;

/**
 * The text of a file: UTF-8 as a rule, UTF-16 where it begins with the mark of one, and Windows' Latin letters where it
 * is neither. Empty for something else with a text's name.
 */
export function decodeText(bytes: Buffer): string {
  const wide = UTF_16.find(({ mark }) => mark.every((byte, index) => bytes[index] === byte));
  if (wide) return new TextDecoder(wide.name).decode(bytes);
  if (bytes.includes(0)) return "";
  const text = bytes.toString("utf8");
  if (!text.includes("\uFFFD")) return text;
  // In a text of UTF-8 with some damage most of the letters beyond ASCII can be read.
  const isDamaged = (text.match(READ)?.length ?? 0) >= (text.match(LOST)?.length ?? 0);
  return isDamaged ? text : new TextDecoder("windows-1252").decode(bytes);
}
