import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { align, diffLines, longestRising, renderDiff } from "../src/lines.ts";
import { runs } from "./support/runs.ts";

const lines = fc.array(fc.constantFrom("a", "b", "c", "d", "", "one", "two"), { maxLength: 20 });
const toText = (some: readonly string[]) => some.map((line) => `${line}\n`).join("");

describe("the difference of two texts", () => {
  it("gives either of them back", () => {
    fc.assert(
      fc.property(lines, lines, (one, other) => {
        const diff = diffLines(toText(one), toText(other));
        const side = (left: "+" | "-") => diff.filter(({ kind }) => kind !== left).map(({ text }) => text);
        expect(side("+")).toEqual(one);
        expect(side("-")).toEqual(other);
      }),
      runs(500),
    );
  });

  it("shows what was there before what came, with a little around it", () => {
    const before = "a\nb\nc\nd\ne\nf\ng\nh\n";
    expect(renderDiff(before, before.replace("d", "D"))).toBe("  b\n  c\n- d\n+ D\n  e\n  f");
    expect(renderDiff(before, before)).toBe("");
    expect(renderDiff("", "x\n")).toBe("+ x");
  });
});

describe("two lists", () => {
  it("are aligned where they are the same, in order on both sides", () => {
    fc.assert(
      fc.property(lines, lines, (one, other) => {
        const places = align(one, other);
        const pairs = [...places].flatMap((place, at) => (place < 0 ? [] : [{ at, place }]));
        expect(pairs.every(({ at, place }) => one[at] === other[place])).toBe(true);
        expect(pairs.map(({ place }) => place)).toEqual(
          longestRising(pairs, ({ place }) => place).map((pair) => pair.place),
        );
      }),
      runs(500),
    );
  });
});

it("finds a longest rising part of a list", () => {
  const longest = (list: readonly number[]): number => {
    const lengths: number[] = [];
    list.forEach((each, at) => {
      const before = list.slice(0, at).map((other, index) => (other < each ? (lengths[index] ?? 0) : 0));
      lengths.push(1 + Math.max(0, ...before));
    });
    return Math.max(0, ...lengths);
  };
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 25 }), (list) => {
      const rising = longestRising(list, (each) => each);
      expect(rising.every((each, at) => at === 0 || (rising[at - 1] ?? each) < each)).toBe(true);
      expect(rising).toHaveLength(longest(list));
    }),
    runs(500),
  );
});
