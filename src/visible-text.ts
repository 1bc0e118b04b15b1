// What no reader sees: controls, format characters (tags, zero-width, bidi, soft hyphens), variation selectors, fillers, blank
// patterns and lone halves of characters. Some signs of Arabic, Syriac and Kaithi count as format, and are seen.
const SEEN_FORMATS = String.raw`(?![\n\t\u0600-\u0605\u06DD\u070F\u0890\u0891\u08E2\u{110BD}\u{110CD}])`;
const NOTHING = String.raw`\p{Cc}\p{Cf}\p{Cs}\u034F\u115F\u1160\u17B4\u17B5\u180B-\u180F\u2028\u2029\u2800\u3164\uFE00-\uFE0F\uFFA0\u{E0000}-\u{E0FFF}`;
const UNSEEN = new RegExp(`${SEEN_FORMATS}[${NOTHING}]`, "gu");
// Private and unassigned characters mean nothing that we could tell: a font may show nothing for them, or anything. They are
// kept, as a newer system may know them, and shown by their numbers.
const UNCLEAR = new RegExp(String.raw`${SEEN_FORMATS}[${NOTHING}\p{Co}\p{Cn}]`, "gu");

/** A text without what no reader sees; what emoji and scripts need to be written stays. */
export function stripInvisible(text: string): string {
  return text.replaceAll(UNSEEN, (unseen, offset: number) => (isNeeded(text, unseen, offset) ? unseen : ""));
}

/** A text with what no reader sees, or nobody could name, written out, so that it can do nothing to a terminal or a page. */
export function showInvisible(text: string): string {
  return text.replaceAll(UNCLEAR, (unseen, offset: number) =>
    isNeeded(text, unseen, offset) ? unseen : `\\u{${(unseen.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

/** The same of a text whose lines may end in any way, for a page. */
export function showPlain(text: string): string {
  return showInvisible(text.replaceAll(/\r\n?/g, "\n"));
}

/** A name (a session's, a file's, a heading) as part of a line: nothing in it ends the line, or hides. */
export function showName(name: string): string {
  return showInvisible(name).replaceAll(/[\n\t]/g, (sign) => `\\u{${sign.charCodeAt(0).toString(16)}}`);
}

/** JSON in which nothing is invisible; it means the same. */
export function showJson(json: string): string {
  return json.replaceAll(UNCLEAR, (unseen) =>
    Array.from({ length: unseen.length }, (_, at) => `\\u${unseen.charCodeAt(at).toString(16).padStart(4, "0")}`).join(
      "",
    ),
  );
}

const JOINERS = new Set(["\u200C", "\u200D"]);
// Scripts in which a joiner or non-joiner changes how a word is written.
const JOINED =
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const FLAGS = ["gbeng", "gbsct", "gbwls"].map(
  (name) =>
    `\u{1F3F4}${[...name].map((letter) => String.fromCodePoint(0xe0000 + (letter.codePointAt(0) ?? 0))).join("")}\u{E007F}`,
);

function isNeeded(text: string, unseen: string, offset: number): boolean {
  const before = text.slice(Math.max(0, offset - 4), offset);
  const after = text.slice(offset + unseen.length, offset + unseen.length + 2);
  if (unseen === "\u200D" && /[\p{Extended_Pictographic}\p{Emoji_Modifier}]\uFE0F?$/u.test(before)) {
    return /^[\p{Extended_Pictographic}\u2640\u2642]/u.test(after);
  }
  if (JOINERS.has(unseen)) {
    // One between two letters; a row of them would be a message of its own.
    return JOINED.test([...before].at(-1) ?? "") && (JOINED.test([...after][0] ?? "") || isWordEnd(before, after));
  }
  if (unseen === "\uFE0F" || unseen === "\uFE0E") return /[\p{Emoji}\p{Extended_Pictographic}]$/u.test(before);
  const code = unseen.codePointAt(0) ?? 0;
  if (code >= 0xe0100 && code <= 0xe01ef) return /\p{Script=Han}$/u.test(before);
  if (code >= 0xfe00 && code <= 0xfe02) return /\p{Script=Han}$/u.test(before);
  if (code >= 0xe0020 && code <= 0xe007f) {
    const from = text.lastIndexOf("\u{1F3F4}", offset);
    return (
      from >= 0 &&
      offset - from < 14 &&
      FLAGS.some((flag) => text.startsWith(flag, from) && offset < from + flag.length)
    );
  }
  return false;
}

/** Indic words may end in a joiner that shapes their last letter. */
function isWordEnd(before: string, after: string): boolean {
  return /\p{M}$/u.test(before) && /^(?:[\s\p{P}]|$)/u.test(after);
}

/** A text of at most `most` characters: a longer one is cut, not through the middle of a character, and ends in three dots. */
export function shorten(text: string, most: number): string {
  if (text.length <= most) return text;
  const cut = text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, "");
  return `${cut.trimEnd()}…`;
}
