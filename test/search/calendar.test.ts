import { describe, expect, it } from "vitest";
import { findDates, withoutDayNumbers } from "../../src/search/calendar.ts";

const short = (text: string) =>
  findDates(text).map(({ year, month, day, lastDay, third }) => [year, month, day, lastDay, third]);

describe("findDates", () => {
  it.each([
    ["on the morning of January 12th?", [undefined, 1, 12]],
    ["December 9, 2025", [2025, 12, 9]],
    ["the 25th of July 2023", [2023, 7, 25]],
    ["am 3. März 2024", [2024, 3, 3]],
    ["le 1er mai", [undefined, 5, 1]],
    ["el 4 de julio de 2021", [2021, 7, 4]],
    ["5 мая 2020", [2020, 5, 5]],
    ["12.5.2024", [2024, 5, 12]],
    ["2025-01-10 08:20:00", [2025, 1, 10]],
    ["2025年12月9日", [2025, 12, 9]],
    ["在1月12日早上", [undefined, 1, 12]],
    ["3월 5일에", [undefined, 3, 5]],
    ["Sept 3", [undefined, 9, 3]],
  ])("reads %s", (text, [year, month, day]) => {
    expect(short(text)).toEqual([[year, month, day, undefined, undefined]]);
  });

  it("reads ranges, parts of months and years", () => {
    expect(short("March 24th to 28th")).toEqual([[undefined, 3, 24, 28, undefined]]);
    expect(short("in mid-April")).toEqual([[undefined, 4, undefined, undefined, 2]]);
    expect(short("the end of May")).toEqual([[undefined, 5, undefined, undefined, 3]]);
    expect(short("四月中旬")).toEqual([[undefined, 4, undefined, undefined, 2]]);
    expect(short("in 2023")).toEqual([[2023, undefined, undefined, undefined, undefined]]);
  });

  it.each(["I may go", "they march on", "a summer in the marshes", "version 2.3.1", "room 2024", "7:30"])(
    "sees no date in %j",
    (text) => {
      expect(findDates(text)).toEqual([]);
    },
  );
});

it("finds dates at once, however wide the gaps are", () => {
  const wide = " ".repeat(300_000);
  for (const text of [`on 3${wide}x may`, `may${wide}x 3`, `3 may,${wide}of${wide}x`, `5月3${wide}x`, `2026${wide}x`])
    expect(findDates(text).length).toBeLessThan(2);
});

describe("withoutDayNumbers", () => {
  it("takes the numbers of dates out of a question, and nothing else", () => {
    const words = (text: string) => withoutDayNumbers(text).split(/\s+/).filter(Boolean).join(" ");
    expect(words("Room 12 on January 12th, 2025?")).toBe("room 12 on january th, ?");
    expect(words("在1月12日早上开始")).toBe("在 早上开始");
    expect(words("What about v2.3.1 and #4271?")).toBe("What about v2.3.1 and #4271?");
    expect(words("2026-11-15")).toBe("2026-11-15");
    expect(words("1月12日")).toBe("1月12日");
  });
});
