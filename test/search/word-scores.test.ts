import { describe, expect, it } from "vitest";
import { createOccurrences } from "../../src/search/occurrences.ts";
import { createWordScores } from "../../src/search/word-scores.ts";

describe("scores of words by passage", () => {
  it("are what a map for each word would hold, in the order in which passages came, with or without room for them", () => {
    let state = 3;
    const random = (below: number) => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((state / 2 ** 32) * below);
    };
    for (const expected of [0, 5_000]) {
      const maker = createWordScores(3, expected);
      const maps = [0, 1, 2].map(() => new Map<number, number>());
      const order = new Set<number>();
      for (const [word, map] of maps.entries())
        for (let row = 0; row < 300; row++) {
          // Close together, far apart, and beyond 32 bits.
          const passage = [random(3_000), random(2 ** 31), 2 ** 33 + random(50)][random(3)] ?? 0;
          const score = 1 + random(100) / 7;
          maker.raise(word, passage, score);
          map.set(passage, Math.max(map.get(passage) ?? 0, score));
          order.add(passage);
        }
      const scores = maker.finish();
      expect(scores.size).toBe(order.size);
      [...order].forEach((passage, place) => {
        const row = maps.map((map) => map.get(passage) ?? 0);
        expect(scores.passageAt(place)).toBe(passage);
        expect(scores.placeOf(passage)).toBe(place);
        expect(scores.scoresAt(place)).toEqual(row);
        expect(scores.totalAt(place)).toBe(row.reduce((sum, score) => sum + score, 0));
      });
      expect(scores.placeOf(4_000_000_000_000)).toBe(-1);
    }
  });

  it("of no words at all are none", () => {
    const scores = createWordScores(0, 0).finish();
    expect(scores.size).toBe(0);
    expect(scores.placeOf(1)).toBe(-1);
  });
});

describe("occurrences", () => {
  it("are added up by passage and put in order, however they come", () => {
    const maker = createOccurrences(0);
    for (const [passage, times] of [
      [7, 1],
      [7, 0.5],
      [9, 1],
      [3, 1],
      [7, 1],
      [9, 0.5],
    ] as const)
      maker.add(passage, times);
    const { passages, times } = maker.finish();
    expect([...passages]).toEqual([3, 7, 9]);
    expect([...times]).toEqual([1, 2.5, 1.5]);
  });

  it("of many passages find room", () => {
    const maker = createOccurrences(2);
    for (let passage = 1; passage <= 100; passage++) maker.add(passage, 1);
    expect(maker.finish().passages).toHaveLength(100);
  });
});
