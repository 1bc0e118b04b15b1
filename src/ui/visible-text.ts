// Control, format, private and unassigned characters, and what looks like nothing at all; line breaks and tabs may stay.
const HIDDEN = /[^\P{C}\n\t]|[\u034F\u115F\u1160\u17B4\u17B5\u2028\u2029\u2800\u3164\uFFA0]/gu;
const JOINER = /[\u200C\u200D]/;

/** Text from data with nothing hidden in it: what would steer or deceive the eye is shown by its number. */
export function visibleText(text: string): string {
  return text.replaceAll(/\r\n?/g, "\n").replaceAll(HIDDEN, (character, offset: number) => {
    if (JOINER.test(character) && isWithinWord(text, offset)) return character;
    // A variation selector belongs to the sign before it, and is no hidden text.
    const code = character.codePointAt(0) ?? 0;
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
  });
}

/** Persian, Indic scripts and emoji need joiners between their letters; nowhere else are they of any use. */
function isWithinWord(text: string, offset: number): boolean {
  const before = text.slice(0, offset).match(/(?:[\p{L}\p{M}]|\p{Extended_Pictographic}[\uFE0F\p{Emoji_Modifier}]?)$/u);
  const after = text.slice(offset + 1).match(/^(?:[\p{L}\p{M}]|\p{Extended_Pictographic})/u);
  const isLatin = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Han}]/u.test(
    `${before?.[0] ?? ""}${after?.[0] ?? ""}`,
  );
  return before !== null && after !== null && !isLatin;
}
