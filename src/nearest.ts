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

function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, character] of [...one].entries()) {
    const next = [index + 1];
    for (const [column, opposite] of [...other].entries()) {
      const replaced = (row[column] ?? 0) + (character === opposite ? 0 : 1);
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
