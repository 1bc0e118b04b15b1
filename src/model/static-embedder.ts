import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Embedder } from "./embedder.ts";
import { createWordPiece, splitWords, uncasedRules } from "./word-piece.ts";
import type { WordPiece } from "./word-piece.ts";
import { openWordTable } from "./word-table.ts";
import type { WordTable } from "./word-table.ts";

const tableFile = "word-table.bin";
const han = /^[\u3400-\u9fff\uf900-\ufaff\u{20000}-\u{2fa1f}]$/u;
const firstHan = 0x3400;
// The longest Chinese word of the table, in characters; the table was trained with the same number.
const longestHanWord = 4;
// Long texts are cut: what an index keeps is far shorter, and a pasted log should not cost seconds.
const maxCharacters = 20_000;
// After so many texts, whatever else the process has to do gets its turn.
const textsPerTurn = 256;

/** Opens the embedder that is shipped with the package: a table of word pieces, no runtime, no network. */
export async function openStaticEmbedder(dataFolder: string): Promise<Embedder> {
  const table = openWordTable(join(dataFolder, tableFile));
  const wordPiece = createWordPiece(table.pieces);
  return {
    id: `local/${table.name}`,
    dimensions: table.dimensions,
    isFree: true,
    embed: async (texts, options) => {
      const vectors: Float32Array[] = [];
      for (const text of texts) {
        if (vectors.length % textsPerTurn === textsPerTurn - 1) {
          await nextTurn();
        }
        options?.signal?.throwIfAborted();
        vectors.push(embedText(text, table, wordPiece));
      }
      return vectors;
    },
    close: async () => table.close(),
  };
}

/** The same vectors without waiting, for what reads many short texts at a time. */
export function openTextVectors(dataFolder: string): (text: string) => Float32Array {
  const table = openWordTable(join(dataFolder, tableFile));
  const wordPiece = createWordPiece(table.pieces);
  return (text) => embedText(text, table, wordPiece);
}

function embedText(text: string, table: WordTable, wordPiece: WordPiece): Float32Array {
  const sum = new Float32Array(table.dimensions);
  const rows: number[] = [];
  let run: string[] = [];
  for (const word of splitWords(text.slice(0, maxCharacters), uncasedRules)) {
    if (word.charCodeAt(0) >= firstHan && han.test(word)) {
      run.push(word);
      continue;
    }
    if (run.length > 0) addHanWords(sum, rows, run, table);
    run = [];
    const known = wordPiece.pieces(word);
    if (known === undefined) addHashed(sum, characterRuns(word));
    else for (const row of known) rows.push(row);
  }
  addHanWords(sum, rows, run, table);
  table.addRows(sum, rows);
  return toUnitLength(sum);
}

/** Adds every word of the table that stands anywhere in a run of Chinese characters, overlapping ones included. */
function addHanWords(sum: Float32Array, rows: number[], run: readonly string[], table: WordTable): void {
  for (let start = 0; start < run.length; start++) {
    let word = "";
    for (const character of run.slice(start, start + longestHanWord)) {
      word += character;
      const row = table.pieces.get(word);
      if (row !== undefined) {
        rows.push(row);
      } else if (word === character) {
        addHashed(sum, [character]);
      }
    }
  }
}

/** The runs of three characters in a word, its ends marked. */
function characterRuns(word: string): string[] {
  const characters = ["<", ...word, ">"];
  return characters.slice(2).map((_, index) => characters.slice(index, index + 3).join(""));
}

/**
 * Adds a direction that depends on nothing but the characters, for what the table cannot spell: words with the same
 * characters then still meet. All of them together are as long as one word of the table.
 */
function addHashed(sum: Float32Array, texts: readonly string[]): void {
  const size = 1 / Math.sqrt(sum.length * texts.length);
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
  let square = squaredLength(sum);
  if (square === 0) {
    // A text without words is like no other text: it gets the direction of the empty word.
    addHashed(sum, [""]);
    square = squaredLength(sum);
  }
  const factor = 1 / Math.sqrt(square);
  for (let index = 0; index < sum.length; index++) sum[index] = (sum[index] ?? 0) * factor;
  return sum;
}

function squaredLength(vector: Float32Array): number {
  let square = 0;
  for (let index = 0; index < vector.length; index++) square += (vector[index] ?? 0) ** 2;
  return square;
}
