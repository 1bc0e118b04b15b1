import { describe, expect, it } from "vitest";
import { findPeriod } from "../../src/recall/period.ts";
import type { Ranking } from "../../src/recall/rank-candidates.ts";
import { describeTimes, TIME_FEATURES } from "../../src/recall/time-features.ts";
import type { Candidate, Gathered } from "../../src/search/search.ts";

const MINUTE_MS = 60_000;
const NOON = Date.UTC(2025, 4, 8, 12);

interface Told {
  readonly path: string;
  readonly wallMs: number | undefined;
  readonly score: number;
  readonly words?: readonly number[];
  readonly text?: string;
}

/** Candidates in the order of their sources' messages; those of one source stand one after the other. */
function tell(told: readonly Told[], question = "") {
  const candidates = told.map(({ path, wallMs, words = [] }, index): Candidate => ({
    passage: index,
    source: { path, project: "", session: path },
    ordinal: index,
    wallMs,
    voice: "person",
    kind: "statement",
    isStanding: false,
    speaker: "",
    size: 10,
    words,
    similarity: undefined,
    isAllowed: true,
    previous: told[index - 1]?.path === path ? index - 1 : undefined,
    next: told[index + 1]?.path === path ? index + 1 : undefined,
  }));
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
  const ranking = candidates.flatMap((candidate, index): Ranking[] => {
    const one = told[index];
    return one && one.score > 0
      ? [{ candidate, score: one.score, parts, text: one.text ?? "", vector: undefined }]
      : [];
  });
  const gathered: Gathered = {
    candidates,
    known: [
      { word: "cocoa", rarity: 3 },
      { word: "brand", rarity: 1 },
    ],
    keywordCeiling: 4,
    similarityFloor: 0,
    terms: [],
    forms: [],
    words: 2,
    questionSize: 4,
    undated: 0,
    mode: "hybrid",
    notes: [],
  };
  const rows = describeTimes(gathered, ranking, findPeriod(question, Date.UTC(2026, 0, 1)));
  return {
    rows,
    valueOf: (row: number, name: (typeof TIME_FEATURES)[number]) => rows[row]?.[name],
  };
}

describe("what the time of a candidate tells", () => {
  it("is a number for each feature, whatever is missing", () => {
    const { rows } = tell([{ path: "a", wallMs: undefined, score: 1 }]);
    expect(Object.keys(rows[0] ?? {})).toEqual([...TIME_FEATURES]);
    expect(Object.values(rows[0] ?? {}).every((value) => Number.isFinite(value))).toBe(true);
    expect(tell([]).rows).toEqual([]);
  });

  it("takes the messages without a long pause between them as one talk, and what they say together", () => {
    const { valueOf } = tell([
      { path: "sms", wallMs: NOON, score: 1, words: [1, 0] },
      { path: "sms", wallMs: NOON + 2 * MINUTE_MS, score: 0.2 },
      { path: "sms", wallMs: NOON + 5 * MINUTE_MS, score: 0.1, words: [0, 1] },
      { path: "sms", wallMs: NOON + 90 * MINUTE_MS, score: 0.1 },
    ]);
    expect(valueOf(1, "talkBest")).toBe(1);
    expect(valueOf(1, "talkCovered")).toBe(1);
    expect(valueOf(1, "talkSize")).toBeCloseTo(Math.log(4));
    expect(valueOf(3, "talkSize")).toBeCloseTo(Math.log(2));
    expect(valueOf(3, "talkCovered")).toBe(0);
    expect(valueOf(3, "dayCovered")).toBe(1);
  });

  it("sees what went on elsewhere at the same time, and on that day", () => {
    const { valueOf } = tell([
      { path: "call", wallMs: NOON, score: 0.1 },
      { path: "note", wallMs: NOON + 20 * MINUTE_MS, score: 1, words: [1, 0] },
      { path: "photo", wallMs: NOON + 300 * MINUTE_MS, score: 0.5 },
      { path: "late", wallMs: NOON + 3_000 * MINUTE_MS, score: 0.5 },
    ]);
    expect(valueOf(0, "besideOther")).toBe(1);
    expect(valueOf(2, "besideOther")).toBe(0);
    expect(valueOf(2, "otherCovered")).toBe(0.75);
    expect(valueOf(1, "otherCovered")).toBe(0);
    expect(valueOf(3, "dayCovered")).toBe(0);
  });

  it("reads the days that a text names, where the question asks for a time", () => {
    const told = [
      { path: "a", wallMs: NOON, score: 1, text: "start: 2025-05-12 19:30, games with my daughter" },
      { path: "b", wallMs: NOON, score: 1, text: "start: 2025-08-12 19:30, games with my daughter" },
    ];
    const { valueOf } = tell(told, "What did we play on 12 May 2025?");
    expect(valueOf(0, "namedPeriod")).toBe(1);
    expect(valueOf(1, "namedPeriod")).toBeLessThan(0.01);
    expect(tell(told, "What did we play?").valueOf(0, "namedPeriod")).toBe(0);
  });
});
