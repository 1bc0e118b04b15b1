// @module-tag stores
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openStaticEmbedder } from "../../src/model/static-embedder.ts";
import { ask, countingEmbedder, makePlace } from "../search/place.ts";
import { OLD_FACTS, ordinaryLine } from "./old-facts.ts";

const DAY_MS = 86_400_000;
const dayName = (day: number) => new Date(Date.UTC(2024, 5, 1) + day * DAY_MS).toISOString().slice(0, 10);

describe("recall", () => {
  it("finds 40 old facts in 900 daily notes, asked in other words, in the first 6 (case 53)", async () => {
    const place = makePlace();
    for (let day = 0; day < 880; day++) {
      const lines = Array.from({ length: 6 }, (_, line) => ordinaryLine(day, line));
      // One fact each 22 days, in the middle of an ordinary day.
      const fact = day % 22 === 11 ? OLD_FACTS[Math.floor(day / 22)]?.fact : undefined;
      if (fact !== undefined) lines.splice(3, 0, `- ${fact}`);
      place.write(`memory/${dayName(day)}.md`, `# ${dayName(day)}\n\n${lines.join("\n")}\n`);
    }
    for (let extra = 0; extra < 20; extra++) {
      place.write(`memory/${dayName(880 - extra)}-session-${extra}.md`, `# Session\n\n${ordinaryLine(extra, 9)}\n`);
    }
    const embedder = await openStaticEmbedder(join(import.meta.dirname, "../../data"));
    const search = await place.open({ embedder });
    const missed: string[] = [];
    let notes = 0;
    for (const { fact, question } of OLD_FACTS) {
      const { results } = await ask(search, question, { limit: 6 });
      if (!results.some(({ text }) => text.includes(fact))) missed.push(question);
      notes += new Set(results.map(({ path }) => path)).size;
    }
    expect(missed).toEqual([]);
    // What stands around a good item must not crowd out the other notes.
    expect(notes / OLD_FACTS.length).toBeGreaterThan(3);
  });

  it("lets an old perfect hit beat a new poor one, and never ages MEMORY.md (case 59)", async () => {
    const place = makePlace();
    place.write("memory/2025-11-01-slug.md", "- the alarm code of the boathouse is nine\n");
    place.write("memory/2026-11-14.md", "- the alarm rang twice\n");
    place.write(
      "memory/HISTORY.md",
      "[2026-11-10 08:00] A quiet day with an alarm.\n\n[2024-01-01 08:00] An alarm long ago.\n",
    );
    place.write("memory/MEMORY.md", "- alarm\n");
    const search = await place.open();
    const decay = { memory: { halfLifeDays: 30, floor: 0.7 }, docs: { halfLifeDays: 0, floor: 0.7 } };
    const options = { explain: true, settings: { decay } };
    const { results } = await ask(search, "alarm code boathouse", options);
    expect(results[0]?.path).toBe("memory/2025-11-01-slug.md");
    const ages = (await ask(search, "alarm", options)).results.map(({ path, date, explain }) => [
      path,
      date,
      explain?.age,
    ]);
    const ageOf = (path: string, date: string | null) => ages.find(([at, on]) => at === path && on === date)?.[2];
    expect(ageOf("memory/MEMORY.md", null)).toBe(1);
    expect(ageOf("memory/2025-11-01-slug.md", "2025-11-01")).toBeCloseTo(0.7, 2);
    expect(ageOf("memory/HISTORY.md", "2026-11-10T08:00:00")).toBeGreaterThan(0.95);
    expect(ageOf("memory/HISTORY.md", "2024-01-01T08:00:00")).toBeCloseTo(0.7, 2);
    const plain = (await ask(search, "alarm", { explain: true })).results;
    expect(new Set(plain.map(({ explain }) => explain?.age))).toEqual(new Set([1]));
  });

  it("moves softly to the time that a question names", async () => {
    const place = makePlace();
    for (const month of ["01", "03", "11"]) place.write(`memory/2026-${month}-07.md`, "- went sailing with friends\n");
    const search = await place.open();
    const first = async (query: string) => (await ask(search, query)).results[0]?.date;
    expect(await first("sailing in March")).toBe("2026-03-07");
    expect(await first("sailing on January 7th")).toBe("2026-01-07");
    expect(await first("sailing last week")).toBe("2026-11-07");
    expect((await ask(search, "sailing in March")).results).toHaveLength(3);
  });

  it("prefers who is asked about, and the person's words to the model's", async () => {
    const place = makePlace();
    place.say("chat:a", [{ name: "Ann", content: "I collect stamps" }]);
    place.say("chat:b", [{ name: "Bob", content: "I collect stamps" }]);
    place.say("chat:c", [{ role: "assistant", content: "I collect stamps" }]);
    const search = await place.open();
    const sessions = async (query: string) => (await ask(search, query)).results.map(({ session }) => session);
    expect((await sessions("Does Ann collect stamps?"))[0]).toBe("chat:a");
    expect((await sessions("Does Bob collect stamps?"))[0]).toBe("chat:b");
    expect((await sessions("collect stamps")).at(-1)).toBe("chat:c");
  });

  it("finds by meaning what shares no word, and says what a score is made of", async () => {
    const place = makePlace();
    place.write("memory/MEMORY.md", "- the vessel needs paint\n\n\n- taxes are due in May\n");
    const search = await place.open({ embedder: countingEmbedder("test/a", { ship: "vessel" }) });
    const answer = await ask(search, "ship", { explain: true, limit: 1 });
    expect(answer).toMatchObject({ mode: "hybrid", stale: false });
    expect(answer.results[0]?.text).toContain("vessel");
    expect(answer.results[0]?.explain).toMatchObject({ bm25: 0, vector: 1 });
    expect(answer.results[0]?.explain?.cosine).toBeGreaterThan(0.3);
    const words = await ask(search, "ship", { settings: { vectorWeight: 0 } });
    expect(words).toMatchObject({ mode: "keyword", results: [] });
    const ranks = await ask(search, "paint", { settings: { fusion: "rrf" } });
    expect(ranks.results[0]?.text).toContain("paint");
  });

  it("returns one hit for a message in several parts: the best part", async () => {
    const place = makePlace();
    const filler = "Nothing of interest happened on the way to the market. ".repeat(60);
    place.say("chat:a", [{ content: `${filler} The anchor is rusty. ${filler}`, id: "long" }]);
    const search = await place.open();
    const { results } = await ask(search, "rusty anchor market");
    expect(results).toHaveLength(1);
    expect(results[0]?.text).toContain("The anchor is rusty");
    expect(results[0]?.text.length).toBeLessThan(2_200);
  });

  it.each([0, -1, 1.5, 5_000])("refuses a limit of %s", async (limit) => {
    const search = await makePlace().open();
    await expect(ask(search, "tide", { limit })).rejects.toThrow(/limit/);
  });
});
