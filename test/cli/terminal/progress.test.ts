import { describe, expect, it } from "vitest";
import { createProgress, formatDuration } from "../../../src/cli/terminal/progress.ts";

function draw(columns: number, isTTY = true) {
  const written: string[] = [];
  let now = 0;
  const stream = { isTTY, columns, write: (text: string) => written.push(text) };
  const show = createProgress("Indexing files", stream, () => now);
  return {
    written,
    at(ms: number, done: number, total?: number) {
      now = ms;
      show(done, total);
      return written.at(-1) ?? "";
    },
  };
}

describe("the progress bar", () => {
  it("shows share, rate and what is left, and clears its line at the end", () => {
    const bar = draw(100);
    bar.at(0, 0, 10_000);
    expect(bar.at(2000, 2000, 10_000)).toBe(
      "\r█████░░░░░░░░░░░░░░░░░░░ Indexing files 2,000 of 10,000 (20 %) · 1,000/s · 8 s left\u001B[K",
    );
    expect(bar.at(10_000, 10_000, 10_000)).toBe("\r\u001B[K");
  });

  it("takes the rate of the last seconds", () => {
    const bar = draw(100);
    bar.at(0, 0, 10_000);
    for (let second = 1; second <= 20; second += 1) bar.at(second * 1000, second * 10, 10_000);
    expect(bar.at(21_000, 210, 10_000)).toContain("· 10/s ·");
  });

  it("is never wider than the terminal", () => {
    for (const columns of [20, 40, 60, 80, 200]) {
      const line = draw(columns).at(5000, 123_456, 9_999_999).replace("\r", "").replace("\u001B[K", "");
      expect(line.length).toBeLessThan(columns);
      expect(line).not.toBe("");
    }
  });

  it("counts where the total is not known", () => {
    expect(draw(80).at(1000, 500)).toBe("\rIndexing files 500 · 500/s\u001B[K");
  });

  it("says nothing of what is over at once, and nothing at all where there is no terminal", () => {
    const quick = draw(80);
    quick.at(50, 1, 2);
    quick.at(60, 2, 2);
    expect(quick.written).toEqual([]);
    const piped = draw(80, false);
    piped.at(5000, 1, 2);
    expect(piped.written).toEqual([]);
  });

  it("writes times as people do", () => {
    expect([0.2, 59, 60, 61, 3600, 7500].map(formatDuration)).toEqual([
      "1 s",
      "59 s",
      "1 min",
      "1 min 1 s",
      "1 h",
      "2 h 5 min",
    ]);
  });
});
