import { hashEntry } from "../../history/change.ts";

// A flush is a heading and its bullets, a session's note a page of sections.
const MOST_BLOCKS = 12;

/** The entries of a diary or note that go by these hashes; those that were edited or moved since are not found. */
export function findWrittenEntries(text: string, hashes: readonly string[]): string[] {
  const wanted = new Set(hashes);
  if (wanted.has(hashEntry(text))) return [text.trim()];
  const blocks = text.split(/\n[ \t]*\n+/);
  const found: string[] = [];
  for (let start = 0; start < blocks.length && wanted.size > 0; start++) {
    for (let size = 1; size <= Math.min(MOST_BLOCKS, blocks.length - start); size++) {
      const entry = blocks
        .slice(start, start + size)
        .join("\n\n")
        .trim();
      if (!wanted.delete(hashEntry(entry))) continue;
      found.push(entry);
      break;
    }
  }
  return found;
}
