/** A text without what it ends in: one look at each character, where `[…]+$` would look at every run from each of its places. */
export function trimEnd(text: string, isEnding: RegExp): string {
  let end = text.length;
  while (end > 0) {
    const last = lastCharacter(text, end);
    if (!isEnding.test(last)) break;
    end -= last.length;
  }
  return text.slice(0, end);
}

function lastCharacter(text: string, end: number): string {
  const unit = text.charCodeAt(end - 1);
  const isPair = end > 1 && unit >= 0xdc_00 && unit <= 0xdf_ff;
  return text.slice(end - (isPair ? 2 : 1), end);
}
