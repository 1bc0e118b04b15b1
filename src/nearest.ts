/** The candidate that is spelled most like `word`, if one is near enough to be meant. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const ranked = candidates
    .map((candidate) => ({ candidate, distance: editDistance(word.toLowerCase(), candidate.toLowerCase()) }))
    .toSorted((one, other) => one.distance - other.distance);
  const best = ranked[0];
  // Two changed letters of three make another word.
  const most = Math.max(word.length < 4 ? 1 : 2, Math.floor(word.length / 3));
  return best && best.distance <= most ? best.candidate : undefined;
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
