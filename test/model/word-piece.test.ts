// @module-tag long
import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { createWordPiece, splitWords, uncasedRules } from "../../src/model/word-piece.ts";
import type { WordPiece } from "../../src/model/word-piece.ts";
import { openWordTable } from "../../src/model/word-table.ts";
import type { WordTable } from "../../src/model/word-table.ts";

const dataFolder = join(import.meta.dirname, "../../data");

describe("splitting words", () => {
  it("folds case and accents and parts punctuation", () => {
    expect(splitWords("Café naïve, ÜBER-Straße!", uncasedRules)).toEqual([
      "cafe",
      "naive",
      ",",
      "uber",
      "-",
      "straße",
      "!",
    ]);
    expect(splitWords("It's $5.99 & a_b?", uncasedRules)).toEqual([
      "it",
      "'",
      "s",
      "$",
      "5",
      ".",
      "99",
      "&",
      "a",
      "_",
      "b",
      "?",
    ]);
  });

  it("isolates Chinese characters, and those only", () => {
    expect(splitWords("东京2020夏 ひらがな", uncasedRules)).toEqual(["东", "京", "2020", "夏", "ひらかな"]);
  });

  it("drops characters that carry no text", () => {
    expect(splitWords("hap\u200bpy\u0000 now\ufffd\tthen", uncasedRules)).toEqual(["happy", "now", "then"]);
  });

  it("keeps case and accents for models that know them", () => {
    const cased = { lowercase: false, stripAccents: false, isolateCjk: true };
    expect(splitWords("Café Noir", cased)).toEqual(["Café", "Noir"]);
  });

  it("gives words without white space, whatever the input", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        for (const word of splitWords(text, uncasedRules)) {
          expect(word).toMatch(/^\S+$/u);
        }
      }),
    );
  });
});

describe("spelling words with pieces", () => {
  let wordPiece: WordPiece;
  let table: WordTable;
  const spell = (text: string): (string | undefined)[] =>
    splitWords(text, uncasedRules).flatMap(
      (word) => wordPiece.pieces(word)?.map((row) => table.pieces.at(row)) ?? [undefined],
    );

  beforeAll(async () => {
    table = openWordTable(join(dataFolder, "word-table.bin"));
    wordPiece = createWordPiece(table.pieces);
  });

  // What BertTokenizer of bge-small-en-v1.5 gives.
  it.each([
    ["embeddings are unaffable", ["em", "##bed", "##ding", "##s", "are", "una", "##ffa", "##ble"]],
    ["Tidemark remembers", ["tide", "##mark", "remembers"]],
    ["C++", ["c", "+", "+"]],
  ])("spells %s as its teacher does", (text, pieces) => {
    expect(spell(text)).toEqual(pieces);
  });

  it("says so when it cannot spell a word, also the second time", () => {
    expect(wordPiece.pieces("😀")).toBeUndefined();
    expect(wordPiece.pieces("😀")).toBeUndefined();
  });

  it("gives up on words of more than a hundred characters", () => {
    expect(wordPiece.pieces("a".repeat(100))).toBeDefined();
    expect(wordPiece.pieces("a".repeat(101))).toBeUndefined();
  });
});
