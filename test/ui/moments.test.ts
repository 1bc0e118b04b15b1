import { describe, expect, it } from "vitest";
import { momentsOf } from "../../src/ui/views/memory/moments.ts";

const revision = (id: number, at: string, facts: number, added = 0, removed = 0) => {
  return { id, at, author: "run" as const, cause: "all", run: null, facts, added, removed };
};

describe("the moments of a memory", () => {
  it("are the days from the first one to now, each with how it stood at its end", () => {
    const moments = momentsOf(
      [
        revision(1, "2026-03-01T10:00:00", 2, 2),
        revision(2, "2026-03-01T11:00:00", 3, 1),
        revision(3, "2026-03-04T09:00:00", 2, 0, 1),
      ],
      new Date("2026-03-05T12:00:00"),
    );
    expect(moments.map(({ key, revision: id, facts, added, removed }) => [key, id, facts, added, removed])).toEqual([
      ["2026-03-01", 2, 3, 3, 0],
      ["2026-03-02", 2, 3, 0, 0],
      ["2026-03-03", 2, 3, 0, 0],
      ["2026-03-04", 3, 2, 0, 1],
      ["now", 3, 2, 0, 0],
    ]);
  });

  it("are the changes themselves where there are no two days yet", () => {
    const moments = momentsOf(
      [revision(1, "2026-03-05T10:00:00", 1, 1), revision(2, "2026-03-05T11:00:00", 2, 1)],
      new Date("2026-03-05T12:00:00"),
    );
    expect(moments.map(({ key }) => key)).toEqual(["r1", "now"]);
    expect(momentsOf([], new Date())).toEqual([]);
  });

  it("skip no day where the clocks change", () => {
    const moments = momentsOf([revision(1, "2026-03-27T23:30:00", 1, 1)], new Date("2026-04-02T00:10:00"));
    expect(moments).toHaveLength(7);
    expect(new Set(moments.map(({ key }) => key)).size).toBe(7);
  });
});
