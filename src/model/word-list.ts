/** Words and where each of them stands; as much of a map as is asked for. */
export interface WordList {
  readonly size: number;
  get(word: string): number | undefined;
  /** The word that stands there. */
  at(row: number): string | undefined;
}

const NEWLINE = 10;
// FNV-1a over the UTF-16 units.
const SEED = 0x811c9dc5;
const PRIME = 0x01000193;

/**
 * A list of at most `most` words, as one text with a line each, found by a table of hashes. A map of as many strings takes
 * several times as long to make, and is much of what a single question costs.
 */
export function createWordList(text: string, most: number): WordList {
  const mask = 2 ** Math.ceil(Math.log2(2 * most + 2)) - 1;
  // The row that a slot holds, and one; 0 where it is free.
  const slots = new Int32Array(mask + 1);
  const starts = new Int32Array(most + 2);
  let size = 0;
  let sum = SEED;
  for (let at = 0; at <= text.length; at++) {
    const code = at < text.length ? text.charCodeAt(at) : NEWLINE;
    if (code !== NEWLINE) {
      sum = Math.imul(sum ^ code, PRIME);
      continue;
    }
    if (++size > most) break;
    let slot = fold(sum) & mask;
    while (slots[slot] !== 0) slot = (slot + 1) & mask;
    slots[slot] = size;
    starts[size] = at + 1;
    sum = SEED;
  }
  return {
    size,
    at: (row) => (row < size ? text.slice(starts[row], (starts[row + 1] ?? 0) - 1) : undefined),
    get(word) {
      for (let slot = hash(word) & mask; slots[slot] !== 0; slot = (slot + 1) & mask) {
        const row = (slots[slot] ?? 0) - 1;
        const start = starts[row] ?? 0;
        const isAsLong = (starts[row + 1] ?? 0) - 1 - start === word.length;
        if (isAsLong && text.startsWith(word, start)) return row;
      }
      return undefined;
    },
  };
}

function hash(word: string): number {
  let sum = SEED;
  for (let at = 0; at < word.length; at++) sum = Math.imul(sum ^ word.charCodeAt(at), PRIME);
  return fold(sum);
}

/** The slot is taken from the lower half alone. */
function fold(sum: number): number {
  return sum ^ (sum >>> 16);
}
