import { describe, expect, it } from "vitest";
import { momentsOf } from "../../src/ui/views/memory/moments.ts";

const state = (id: string, at: string, facts: number, added = 0, removed = 0) => {
  return { id, at, author: "model" as const, cause: "digest", facts, added, removed };
};

describe("the moments of a memory", () => {
  it("are the days from the first one to now, each with how it stood at its end", () => {
    const moments = momentsOf(
      [
        state("a1", "2026-03-01T10:00:00", 2, 2),
        state("b2", "2026-03-01T11:00:00", 3, 1),
        state("c3", "2026-03-04T09:00:00", 2, 0, 1),
      ],
      new Date("2026-03-05T12:00:00"),
    );
    expect(moments.map(({ key, change, facts, added, removed }) => [key, change, facts, added, removed])).toEqual([
      ["2026-03-01", "b2", 3, 3, 0],
      ["2026-03-02", "b2", 3, 0, 0],
      ["2026-03-03", "b2", 3, 0, 0],
      ["2026-03-04", "c3", 2, 0, 1],
      ["now", "c3", 2, 0, 0],
    ]);
  });

  it("are the changes themselves where there are no two days yet", () => {
    const moments = momentsOf(
      [state("a1", "2026-03-05T10:00:00", 1, 1), state("b2", "2026-03-05T11:00:00", 2, 1)],
      new Date("2026-03-05T12:00:00"),
    );
    expect(moments.map(({ key }) => key)).toEqual(["a1", "now"]);
    expect(momentsOf([], new Date())).toEqual([]);
  });

  it("skip no day where the clocks change", () => {
    const moments = momentsOf([state("a1", "2026-03-27T23:30:00", 1, 1)], new Date("2026-04-02T00:10:00"));
    expect(moments).toHaveLength(7);
    expect(new Set(moments.map(({ key }) => key)).size).toBe(7);
  });
});
