// @module-tag long
import fc from "fast-check";
import { expect, it } from "vitest";
import { createWordList } from "../../src/model/word-list.ts";
import { runs } from "../support/runs.ts";

it("finds what a map would find, and nothing else", () => {
  const word = fc.string({ unit: "binary" }).filter((text) => !text.includes("\n"));
  fc.assert(
    fc.property(fc.uniqueArray(word, { minLength: 1 }), fc.array(word), (words, others) => {
      const list = createWordList(words.join("\n"), words.length);
      const map = new Map(words.map((each, row) => [each, row]));
      expect(list.size).toBe(words.length);
      for (const each of [...words, ...others]) expect(list.get(each)).toBe(map.get(each));
      expect(words.map((_, row) => list.at(row))).toEqual(words);
    }),
    runs(300),
  );
});

it("counts one more than it holds where there are more words than were announced", () => {
  expect(createWordList("a\nb\nc\nd", 2).size).toBe(3);
});
