import { join } from "node:path";
import type { Embedder } from "./embedder.ts";
import { createWordPiece, splitWords, uncasedRules } from "./word-piece.ts";
import type { WordPiece } from "./word-piece.ts";
import { loadWordTable } from "./word-table.ts";
import type { WordTable } from "./word-table.ts";

/** The name of the table's file in the package's data folder. */
export const tableFile = "word-table.bin";

const cjk = /^[\u3400-\u9fff\uf900-\ufaff\u{20000}-\u{2fa1f}]$/u;
// Words that the table cannot spell get a vector made of their characters; most rows are about this long.
const hashedWeight = 1;
// Long texts are cut: what an index keeps is far shorter, and a pasted log should not cost seconds.
const maxCharacters = 20_000;

/** Opens the embedder that is shipped with the package: a table of word pieces, no runtime, no network. */
export async function openStaticEmbedder(dataFolder: string): Promise<Embedder> {
  const table = await loadWordTable(join(dataFolder, tableFile));
  const wordPiece = createWordPiece(table.pieces);
  return {
    id: `local/${table.name}`,
    dimensions: table.dimensions,
    embed: async (texts, options) => {
      options?.signal?.throwIfAborted();
      return texts.map((text) => embedText(text, table, wordPiece));
    },
    close: async () => undefined,
  };
}

function embedText(text: string, table: WordTable, wordPiece: WordPiece): Float32Array {
  const sum = new Float32Array(table.dimensions);
  const words = splitWords(text.slice(0, maxCharacters), uncasedRules);
  let previous = "";
  for (const word of words) {
    const isCjk = cjk.test(word);
    const pieces = wordPiece.pieces(word);
    if (pieces !== undefined) {
      addPieces(sum, pieces, table);
    } else {
      addHashed(sum, isCjk ? [word] : characterRuns(word));
    }
    // Two neighbouring characters say more than each of them alone.
    if (isCjk && previous !== "") {
      addHashed(sum, [previous + word]);
    }
    previous = isCjk ? word : "";
  }
  return toUnitLength(sum);
}

function addPieces(sum: Float32Array, pieces: readonly number[], table: WordTable): void {
  const { dimensions, rows, scales } = table;
  for (const piece of pieces) {
    const scale = scales[piece] ?? 0;
    const offset = piece * dimensions;
    for (let index = 0; index < dimensions; index++) {
      sum[index] = (sum[index] ?? 0) + scale * (rows[offset + index] ?? 0);
    }
  }
}

/** The runs of three characters in a word, its ends marked. */
function characterRuns(word: string): string[] {
  const characters = [..."<", ...word, ">"];
  return characters.slice(2).map((_, index) => characters.slice(index, index + 3).join(""));
}

/** Adds to the sum a direction for each text that depends on nothing but its characters. */
function addHashed(sum: Float32Array, texts: readonly string[]): void {
  const size = hashedWeight / Math.sqrt(sum.length * texts.length);
  for (const text of texts) {
    let state = hash(text);
    for (let index = 0; index < sum.length; index++) {
      state = nextRandom(state);
      sum[index] = (sum[index] ?? 0) + ((state & 0x10000) === 0 ? size : -size);
    }
  }
}

// FNV-1a over the UTF-16 units: short, and the same everywhere.
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return value | 1;
}

// Xorshift: never zero when its seed is not.
function nextRandom(state: number): number {
  let value = state ^ (state << 13);
  value ^= value >>> 17;
  return value ^ (value << 5);
}

function toUnitLength(sum: Float32Array): Float32Array {
  let square = 0;
  for (const value of sum) {
    square += value * value;
  }
  if (square === 0) {
    // A text without words is like no other text: it gets the direction of the empty word.
    addHashed(sum, [""]);
    return sum;
  }
  const factor = 1 / Math.sqrt(square);
  return sum.map((value) => value * factor);
}
