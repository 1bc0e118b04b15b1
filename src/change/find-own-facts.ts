import { isPlainPath } from "./find-duplicates.ts";
import { isSamePath } from "./read-outline.ts";
import type { Fact } from "./read-outline.ts";

/**
 * The facts in these words that are the user's own: under headings that say nothing of their own, else the only ones. The
 * same words under "## Ana" and under "## Ben" are about someone, and nobody said about whom: those are none.
 */
export function findOwnFacts(facts: readonly Fact[], words: string): Fact[] {
  const same = facts.filter(({ text }) => text === words);
  // The title of the file says as little.
  const plain = same.filter(({ path }) => isPlainPath(path) || (path.length === 2 && isPlainPath(path.slice(1))));
  if (plain.length > 0) return plain;
  return same.every(({ path }) => isSamePath(path, same[0]?.path ?? [])) ? same : [];
}
