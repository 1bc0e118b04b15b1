/** The candidate that is spelled most like `word`, if one is near enough to be meant. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const [best] = candidates
    .map((candidate) => ({ candidate, slips: countSlips(word.toLowerCase(), candidate.toLowerCase()) }))
    .toSorted((one, other) => one.slips - other.slips);
  // Two changed letters of four make another word.
  const most = Math.max(word.length < 5 ? 1 : 2, Math.floor(word.length / 3));
  return best && best.slips <= most ? best.candidate : undefined;
}

/** A word that was broken off is one slip, however much of it is missing. */
function countSlips(typed: string, meant: string): number {
  const distance = editDistance(typed, meant);
  return typed.length > 2 && meant.startsWith(typed) ? Math.min(1, distance) : distance;
}

/** How many letters were put in, left out, changed, or swapped with the next. */
function editDistance(one: string, other: string): number {
  const [letters, opposites] = [[...one], [...other]];
  let before: number[] = [];
  let row = Array.from({ length: opposites.length + 1 }, (_, index) => index);
  for (const [index, letter] of letters.entries()) {
    const next = [index + 1];
    for (const [column, opposite] of opposites.entries()) {
      const changed = (row[column] ?? 0) + (letter === opposite ? 0 : 1);
      const isSwapped = letter === opposites[column - 1] && letters[index - 1] === opposite;
      const swapped = isSwapped ? (before[column - 1] ?? 0) + 1 : Infinity;
      next.push(Math.min(changed, swapped, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    [before, row] = [row, next];
  }
  return row.at(-1) ?? 0;
}
