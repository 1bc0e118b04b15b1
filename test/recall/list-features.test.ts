import { describe, expect, it } from "vitest";
import { describeAmong, LIST_FEATURES } from "../../src/recall/list-features.ts";
import type { Ranking } from "../../src/recall/rank-candidates.ts";
import type { Candidate } from "../../src/search/search.ts";

const HOUR_MS = 3_600_000;

function rankingOf(path: string, ordinal: number, wallMs: number | undefined, score: number, text = ""): Ranking {
  const candidate: Candidate = {
    passage: ordinal,
    source: { path, project: "", session: path },
    ordinal,
    wallMs,
    voice: "person",
    kind: "statement",
    isStanding: false,
    speaker: "",
    size: 10,
    words: [],
    similarity: undefined,
    isAllowed: true,
    previous: undefined,
    next: undefined,
  };
  const parts = {
    keyword: 0,
    vector: 0,
    bm25: 0,
    cosine: null,
    speaker: 1,
    voice: 1,
    kind: 1,
    period: 1,
    age: 1,
    learned: 1,
  };
  return { candidate, score, parts, text, vector: undefined };
}

function describeRanking(ranking: readonly Ranking[], question: readonly string[] = []) {
  const rows = describeAmong(
    ranking,
    ranking.map(({ score }) => score),
    ranking.map(({ text }) => text.split(" ")),
    new Set(question),
  );
  const valueOf = (row: number, name: (typeof LIST_FEATURES)[number]) => rows[row]?.[name];
  return { rows, valueOf };
}

describe("what a candidate's place among the others tells", () => {
  it("is a number for each feature, also for a single candidate without a time, and for none", () => {
    const { rows } = describeRanking([rankingOf("one", 0, undefined, 1)]);
    expect(rows).toHaveLength(1);
    expect(Object.keys(rows[0] ?? {})).toEqual([...LIST_FEATURES]);
    expect(Object.values(rows[0] ?? {}).every((value) => Number.isFinite(value))).toBe(true);
    expect(describeRanking([]).rows).toEqual([]);
  });

  it("sees who speaks in the same hour, on the same day elsewhere, and right before", () => {
    const noon = Date.UTC(2025, 2, 3, 12);
    const { valueOf } = describeRanking([
      rankingOf("sms", 7, noon, 2),
      rankingOf("sms", 8, noon + HOUR_MS / 4, 1),
      rankingOf("notes", 1, noon + 5 * HOUR_MS, 0.5),
      rankingOf("notes", 2, noon + 50 * HOUR_MS, 0.4),
    ]);
    expect(valueOf(1, "bestNear")).toBe(1);
    expect(valueOf(1, "scoreBefore")).toBe(1);
    expect(valueOf(0, "bestNear")).toBe(0.5);
    expect(valueOf(2, "bestNear")).toBe(0);
    expect(valueOf(2, "bestSameDay")).toBe(1);
    expect(valueOf(3, "bestSameDay")).toBe(0);
    expect(valueOf(3, "opens")).toBe(1);
    expect(valueOf(1, "opens")).toBe(0);
    expect(valueOf(2, "rankInDay")).toBeCloseTo(Math.log(3));
  });

  it("finds what shares the rarer words of the first, and counts no word of the question", () => {
    const ranking = [
      rankingOf("a", 0, undefined, 1, "goal baking madeleine"),
      rankingOf("a", 10, undefined, 0.9, "goal first madeleine"),
      ...Array.from({ length: 6 }, (_, index) => rankingOf("b", 10 * index, undefined, 0.5, `goal other${index}`)),
      rankingOf("c", 0, undefined, 0.1, "madeleine recipe"),
    ];
    const { valueOf } = describeRanking(ranking, ["goal"]);
    expect(valueOf(8, "feedbackTop")).toBe(1);
    expect(valueOf(4, "feedback")).toBe(0);
  });
});
