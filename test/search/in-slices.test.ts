// @module-tag stores
import { describe, expect, it, vi } from "vitest";
import { ask, countingEmbedder, makePlace } from "./place.ts";

// A batch of files ends after 4 MB.
const LONG_TEXT = `${"one two three four five six seven eight nine ten ".repeat(30)}\n\n`.repeat(2_900);

describe("the first search in a process that stays", () => {
  it("answers from what is there, says so, and reads the rest meanwhile", { timeout: 120_000 }, async () => {
    const place = makePlace();
    for (const name of ["a", "b", "c"])
      place.write(`memory/${name}.md`, `${LONG_TEXT}The word of ${name} is ${name}zebra.\n`);
    const search = await place.open({ watch: { intervalMs: 600_000 } });
    const first = await ask(search, "azebra", { waitMs: 0 });
    expect(first.results[0]?.text).toContain("azebra");
    expect(first.stale).toBe(true);
    expect(first.notes.join()).toMatch(/2 (files|texts) still to be indexed/);
    await expect
      .poll(async () => (await ask(search, "czebra", { waitMs: 0 })).results[0]?.text ?? "", {
        timeout: 100_000,
        interval: 100,
      })
      .toContain("czebra");
    expect((await ask(search, "czebra")).stale).toBe(false);
  });

  it("waits for all files in a process that asks once", { timeout: 120_000 }, async () => {
    const place = makePlace();
    for (const name of ["a", "b"])
      place.write(`memory/${name}.md`, `${LONG_TEXT}The word of ${name} is ${name}zebra.\n`);
    const answer = await ask(await place.open(), "bzebra", { waitMs: 0 });
    expect(answer).toMatchObject({ stale: false, notes: [] });
    expect(answer.results[0]?.text).toContain("bzebra");
  });

  it("waits once, for files and vectors together", async () => {
    let seconds = process.uptime();
    const clock = vi.spyOn(process, "uptime").mockImplementation(() => seconds);
    try {
      const place = makePlace();
      for (let session = 0; session < 10; session++) {
        const said = Array.from({ length: 100 }, (_, at) => ({ content: `Word ${session}-${at} was said` }));
        place.say(`cli:${session}`, said);
      }
      await place.ready();
      const embedder = countingEmbedder();
      const slow = {
        ...embedder,
        embed: (...asked: Parameters<typeof embedder.embed>) => ((seconds += 1), embedder.embed(...asked)),
      };
      const scopeOf = () => ((seconds += 0.45), "");
      const search = await place.open({ embedder: slow, scopeOf, watch: { intervalMs: 600_000 } });
      // All files take four and a half of the five seconds; a batch of 256 vectors takes another.
      const report = await search.sync({ waitMs: 5_000 });
      expect(report).toMatchObject({ isStale: false, embedded: 256 });
      expect(report.notes.join()).toMatch(/\d+ passages still without a vector/);
    } finally {
      clock.mockRestore();
    }
  });
});
