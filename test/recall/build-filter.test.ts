import { describe, expect, it } from "vitest";
import { buildFilter } from "../../src/recall/build-filter.ts";

const wall = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms).toISOString().slice(0, -1));
const bounds = (text: string, timezone: string) => {
  const { sinceMs, untilMs } = buildFilter({ since: text, until: text, timezone });
  return [wall(sinceMs), wall(untilMs)];
};

describe("the bounds of a question", () => {
  it.each([
    ["2026", "2026-01-01T00:00:00.000", "2026-12-31T23:59:59.999"],
    ["2026-02", "2026-02-01T00:00:00.000", "2026-02-28T23:59:59.999"],
    ["2026-03-01", "2026-03-01T00:00:00.000", "2026-03-01T23:59:59.999"],
    ["2026-03-01 15:00", "2026-03-01T15:00:00.000", "2026-03-01T15:00:59.999"],
    ["2026-03-01T15:00:30.25", "2026-03-01T15:00:30.000", "2026-03-01T15:00:30.999"],
  ])("are what the wall shows, wherever it is: %s", (text, since, until) => {
    for (const timezone of ["UTC", "America/Los_Angeles"]) expect(bounds(text, timezone)).toEqual([since, until]);
  });

  it.each([
    ["2026-03-01T20:00:00Z", "2026-03-01T12:00:00.000", "2026-03-01T12:00:00.999"],
    ["2026-03-01T20:00z", "2026-03-01T12:00:00.000", "2026-03-01T12:00:59.999"],
    ["2026-03-01T05:30:00+01:00", "2026-02-28T20:30:00.000", "2026-02-28T20:30:00.999"],
    ["2026-07-01T00:00:00-0330", "2026-06-30T20:30:00.000", "2026-06-30T20:30:00.999"],
    ["2026-03Z", "2026-02-28T16:00:00.000", "2026-03-31T16:59:59.999"],
    ["2026-03-01Z", "2026-02-28T16:00:00.000", "2026-03-01T15:59:59.999"],
  ])("are brought to the wall where they have an offset: %s", (text, since, until) => {
    expect(bounds(text, "America/Los_Angeles")).toEqual([since, until]);
  });

  it.each([
    "2026-02-30",
    "2026-13",
    "2026-03-01T10:75",
    "2026-03-01T24:00",
    "2026-03-01T23:59:60",
    "2026-03-01T10:00+25:00",
    "2026-03-01T10:00+01:75",
    "soon",
  ])("are refused where there is no such time: %s", (text) => {
    expect(() => bounds(text, "UTC")).toThrow(/for since/);
  });
});
