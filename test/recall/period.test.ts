import { describe, expect, it } from "vitest";
import { findPeriod } from "../../src/recall/period.ts";

// A Sunday.
const NOW = Date.parse("2026-11-15T12:00:00Z");
const isIn = (question: string, day: string) =>
  findPeriod(question, NOW)?.closeness(Date.parse(`${day}T12:00:00Z`)) === 1;

describe("findPeriod", () => {
  it.each([
    ["What did I do yesterday?", "2026-11-14", "2026-11-13"],
    ["last week", "2026-11-04", "2026-11-10"],
    ["this week", "2026-11-10", "2026-11-04"],
    ["last month", "2026-10-31", "2026-11-01"],
    ["two weeks ago", "2026-11-01", "2026-11-10"],
    ["a year ago", "2025-11-15", "2024-11-15"],
    ["letzte Woche", "2026-11-04", "2026-11-10"],
    ["vor 3 Tagen", "2026-11-12", "2026-11-10"],
    ["vor zwei Wochen", "2026-11-01", "2026-11-10"],
    ["vor einem Jahr", "2025-11-15", "2024-11-15"],
    ["il y a trois jours", "2026-11-12", "2026-11-10"],
    ["hace dos semanas", "2026-11-01", "2026-11-10"],
    ["one week ago", "2026-11-08", "2026-11-15"],
    ["eleven days ago", "2026-11-04", "2026-11-14"],
    ["两周前", "2026-11-01", "2026-11-10"],
    ["十二天前", "2026-11-03", "2026-11-13"],
    ["Qu'est-ce que j'ai dit hier ?", "2026-11-14", "2026-11-13"],
    ["la semaine dernière", "2026-11-04", "2026-11-10"],
    ["el mes pasado", "2026-10-15", "2026-11-02"],
    ["上周我做了什么", "2026-11-04", "2026-11-10"],
    ["3天前", "2026-11-12", "2026-11-10"],
    ["in March", "2025-03-31", "2025-04-01"],
    ["on 24 December 2025", "2025-12-24", "2024-12-24"],
    ["during 2024年", "2024-06-01", "2025-06-01"],
  ])("understands %s", (question, inside, outside) => {
    expect(isIn(question, inside)).toBe(true);
    expect(isIn(question, outside)).toBe(false);
  });

  it("falls off with the days between", () => {
    const period = findPeriod("on 10 November 2026", NOW);
    const closeness = ["10", "11", "12", "20"].map(
      (day) => period?.closeness(Date.parse(`2026-11-${day}T12:00:00Z`)) ?? 0,
    );
    expect(closeness).toEqual(closeness.toSorted((one, other) => other - one));
    expect(closeness[3]).toBeLessThan(0.02);
  });

  it.each(["Wer war hier?", "Was liegt hier auf dem Tisch?", "What is my name?", "may I march", "the last one"])(
    "sees no time in %s",
    (question) => {
      expect(findPeriod(question, NOW)).toBeUndefined();
    },
  );
});
