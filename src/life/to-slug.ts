const LONGEST_SLUG = 40;

/** Words as part of a file name: lower case, ASCII, hyphens, never a path; `session` where nothing is left. */
export function toSlug(words: string): string {
  const plain = words
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/['’]/g, "")
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");
  return cutAtWord(plain) || "session";
}

function cutAtWord(slug: string): string {
  if (slug.length <= LONGEST_SLUG) return slug;
  const cut = slug.slice(0, LONGEST_SLUG);
  const isWhole = slug[LONGEST_SLUG] === "-";
  const end = isWhole ? LONGEST_SLUG : cut.lastIndexOf("-");
  return (end > 0 ? cut.slice(0, end) : cut).replace(/-$/, "");
}

/** The first free name of this day and slug: `2026-11-15-slug.md`, then `-2`, `-3`; letter case does not make it free. */
export function freeNoteName(day: string, slug: string, taken: readonly string[]): string {
  const names = new Set(taken.map((name) => name.toLowerCase()));
  for (let count = 1; ; count++) {
    const name = `${day}-${slug}${count === 1 ? "" : `-${count}`}.md`;
    if (!names.has(name)) return name;
  }
}
