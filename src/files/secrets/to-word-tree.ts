/** Many words as one pattern that tells them apart letter by letter; it matches the longest of them. */
export function toWordTree(words: readonly string[]): string {
  const groups = new Map<string, string[]>();
  for (const word of new Set(words)) {
    const first = word.charAt(0);
    groups.set(first, [...(groups.get(first) ?? []), word.slice(1)]);
  }
  const branches = [...groups].map(([first, rests]) => {
    const letter = first.replace(/[.*+?^${}()|[\]\\/]/, String.raw`\$&`);
    const longer = rests.filter((rest) => rest !== "");
    if (longer.length === 0) return letter;
    if (longer.length === rests.length) return `${letter}${toWordTree(longer)}`;
    return `${letter}(?:${toWordTree(longer)})?`;
  });
  return branches.length === 1 ? (branches[0] ?? "") : `(?:${branches.join("|")})`;
}
