/** Finds a folded text in another: "12 Elm Street" is not in "112 Elm Street". */
export function textPattern(wanted: string): RegExp {
  return new RegExp(
    `${/^\d/.test(wanted) ? "(?<!\\d)" : ""}${escape(wanted)}${/\d$/.test(wanted) ? "(?!\\d)" : ""}`,
    "u",
  );
}

/** Finds a folded name in another text, as a word of its own where words stand apart. */
export function namePattern(wanted: string): RegExp {
  const before = beginsUnspaced(wanted) ? "" : "(?<![\\p{L}\\p{N}])";
  const after = endsUnspaced(wanted) ? "" : "s?(?![\\p{L}\\p{N}])";
  return new RegExp(`${before}${escape(wanted)}${after}`, "u");
}

/** Whether a name is only found as a word of its own. */
export function isWordOfItsOwn(wanted: string): boolean {
  return !beginsUnspaced(wanted) && !endsUnspaced(wanted);
}

// Words of these scripts stand without a space between them, or with their endings written on.
const UNSPACED = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]`;
const BEGINS_UNSPACED = new RegExp(`^${UNSPACED}`, "u");
const ENDS_UNSPACED = new RegExp(`${UNSPACED}$`, "u");

function beginsUnspaced(text: string): boolean {
  return BEGINS_UNSPACED.test(text);
}

function endsUnspaced(text: string): boolean {
  return ENDS_UNSPACED.test(text);
}

function escape(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}
