// @module-tag long
import fc from "fast-check";
import { expect, it } from "vitest";
import { readDate } from "../../src/cli/read-date.ts";
import { runs } from "../support/runs.ts";

// A Sunday.
const NOW = new Date("2026-11-15T23:30:00Z");
const since = (text: string, timezone = "UTC") => readDate(text, "since", NOW, timezone);
const until = (text: string) => readDate(text, "until", NOW, "UTC");

it.each([
  ["today", "2026-11-15", "2026-11-15"],
  ["Yesterday", "2026-11-14", "2026-11-14"],
  ["last week", "2026-11-02", "2026-11-08"],
  ["this week", "2026-11-09", "2026-11-15"],
  ["last  month", "2026-10-01", "2026-10-31"],
  ["last year", "2025-01-01", "2025-12-31"],
  ["3 days ago", "2026-11-12", "2026-11-12"],
  ["two weeks ago", "2026-11-01", "2026-11-01"],
  ["a month ago", "2026-10-15", "2026-10-15"],
  ["2w", "2026-11-01", "2026-11-01"],
  ["10d ago", "2026-11-05", "2026-11-05"],
  ["monday", "2026-11-09", "2026-11-09"],
  ["last Sunday", "2026-11-08", "2026-11-08"],
  ["March", "2026-03-01", "2026-03-31"],
  ["dec", "2025-12-01", "2025-12-31"],
  ["feb 2024", "2024-02-01", "2024-02-29"],
  ["2026-10", "2026-10-01", "2026-10-31"],
  ["2025", "2025-01-01", "2025-12-31"],
  ["2026-10-09", "2026-10-09", "2026-10-09"],
])("reads %j as the days from %s to %s", (text, first, last) => {
  expect([since(text), until(text)]).toEqual([first, last]);
});

it("takes today for what the user's wall shows, and hands times on", () => {
  expect(since("today", "Asia/Tokyo")).toBe("2026-11-16");
  expect(since("2026-10-09T08:00")).toBe("2026-10-09T08:00");
});

it.each(["", "soon", "2026-13", "2026-02-31", "next week", "lst week", "five", "-3 days ago", "ma"])(
  "says that %j is not a date, and what is",
  (text) => {
    expect(() => since(text)).toThrow(/is not a date for --since; examples: .*yesterday/);
  },
);

it("never gives a first day after the last", () => {
  const said = fc.oneof(
    fc.constantFrom("last week", "this month", "march", "friday", "2025", "2024-02"),
    fc.tuple(fc.integer({ min: 0, max: 400 }), fc.constantFrom("d", "w", "m", "y")).map(([n, unit]) => `${n}${unit}`),
  );
  fc.assert(
    fc.property(
      said,
      fc.date({ min: new Date("2001-01-01"), max: new Date("2090-01-01"), noInvalidDate: true }),
      (text, now) => {
        const [first, last] = [readDate(text, "since", now, "UTC"), readDate(text, "until", now, "UTC")];
        expect(first <= last).toBe(true);
        if (!/^\d{4}/.test(text)) expect(first <= now.toISOString().slice(0, 10)).toBe(true);
      },
    ),
    runs(200),
  );
});
