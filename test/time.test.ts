import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { formatDay, formatMinute, formatTimestamp, isTimezone, parseTimestamp } from "../src/time.ts";

describe("time", () => {
  it("is shown as the user's wall shows it, with its offset, also over a change of the clocks", () => {
    const summer = new Date("2026-10-25T00:30:00Z");
    const winter = new Date("2026-10-25T01:30:00Z");
    expect(formatTimestamp(summer, "Europe/Berlin")).toBe("2026-10-25T02:30:00.000+02:00");
    expect(formatTimestamp(winter, "Europe/Berlin")).toBe("2026-10-25T02:30:00.000+01:00");
    expect(formatMinute(winter, "Europe/Berlin")).toBe("2026-10-25 02:30");
  });

  it("knows which day it is there", () => {
    const instant = new Date("2026-11-15T23:30:00Z");
    expect([
      formatDay(instant, "UTC"),
      formatDay(instant, "Asia/Tokyo"),
      formatDay(instant, "America/New_York"),
    ]).toEqual(["2026-11-15", "2026-11-16", "2026-11-15"]);
    expect(formatMinute(new Date("2026-11-15T00:00:00Z"), "UTC")).toBe("2026-11-15 00:00");
  });

  it.each([
    ["2026-01-05T10:00:00", "2026-01-05T09:00:00.000Z"],
    ["2026-07-05 10:00:00", "2026-07-05T08:00:00.000Z"],
    ["2026-07-05", "2026-07-04T22:00:00.000Z"],
    ["2026-07-05T10:00:00Z", "2026-07-05T10:00:00.000Z"],
    ["2026-07-05T10:00:00.123456", "2026-07-05T08:00:00.123Z"],
    ["2026-07-05T10:00:00-03:00", "2026-07-05T13:00:00.000Z"],
    [1_700_000_000, "2023-11-14T22:13:20.000Z"],
    [1_700_000_000_000, "2023-11-14T22:13:20.000Z"],
  ])("reads %s in Berlin as %s", (value, expected) => {
    expect(parseTimestamp(value, "Europe/Berlin")?.toISOString()).toBe(expected);
  });

  it.each([null, undefined, "", "yesterday", "12:30", {}, true, Number.NaN, "2026-99-99"])(
    "reads %s as no time",
    (value) => {
      expect(parseTimestamp(value, "UTC")).toBeUndefined();
    },
  );

  it("survives a round trip in any zone", () => {
    for (const zone of ["UTC", "Asia/Kolkata", "America/St_Johns", "Pacific/Auckland", "Europe/Lisbon"]) {
      const instant = new Date("2026-03-29T01:15:42.007Z");
      expect(parseTimestamp(formatTimestamp(instant, zone), "UTC")).toEqual(instant);
    }
    expect([isTimezone("Europe/Lisbon"), isTimezone("Mars")]).toEqual([true, false]);
  });

  it.each([
    ["Etc/UTC", "UTC"],
    ["Europe/Berlin", "Europe/Berlin"],
    ["Australia/Lord_Howe", "Australia/Lord_Howe"],
  ])("is the same by the system's clock as by the name of its zone: %s", (variable, zone) => {
    const { stdout } = spawnSync(process.execPath, [join(import.meta.dirname, "support/clock-of-zone.ts"), zone], {
      env: { ...process.env, TZ: variable },
      encoding: "utf8",
    });
    expect(JSON.parse(stdout)).toEqual({ system: zone, isSame: true, staysSame: true });
  });
});
