import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import type { Embedder } from "../../src/model/embedder.ts";
import { ask, countingEmbedder, makePlace } from "./place.ts";
import type { Place } from "./place.ts";

describe("a broken index.sqlite", () => {
  it("is rebuilt with the same hits whichever of its pages is broken, and when it is found out (case 61)", async () => {
    const place = makePlace();
    for (let day = 10; day < 30; day++)
      place.write(`memory/2026-01-${day}.md`, `# Day ${day}\n\n- tide number ${day} came in ${"late ".repeat(40)}\n`);
    const facts = async () => [{ session: "cli:main", message: "#0", text: "the tide is high" }];
    place.say("cli:main", [{ content: "the tide number 17 is high" }]);
    const options = { embedder: countingEmbedder(), facts: { version: async () => "1", list: facts } };
    const first = await place.open(options);
    const before = (await ask(first, "tide 17")).results;
    const size = await first.size();
    await first.close();
    const whole = readFileSync(place.indexPath);
    const pageBytes = whole.readUInt16BE(16);
    for (let page = 1; page < whole.length / pageBytes; page++) {
      for (const suffix of ["-wal", "-shm"]) rmSync(`${place.indexPath}${suffix}`, { force: true });
      writeFileSync(place.indexPath, Buffer.from(whole).fill(0xa5, page * pageBytes, (page + 1) * pageBytes));
      const search = await place.open(options);
      const answer = await ask(search, "tide 17");
      expect({ page, ...answer }).toMatchObject({ page, results: before, mode: "hybrid", notes: [] });
      expect(await search.size()).toEqual(size);
      await search.close();
    }
  });

  it("is rebuilt when a page breaks between a question and the reading of what it found", async () => {
    const place = makePlace();
    // The newest comes first in the listing, but was indexed last: a new index numbers it otherwise.
    for (let file = 2; file < 30; file++)
      place.write(`memory/n${file}.md`, `- tide ${file} ${"came in ".repeat(60)}\n`);
    const search = await place.open();
    await search.sync();
    place.write("memory/a.md", "- tide of the morning\n");
    const question = {
      text: "tide morning",
      filter: {},
      isOfInterest: undefined,
      useKeywords: true,
      useVectors: false,
    };
    await search.sync();
    const { candidates } = await search.gather(question);
    const passages = candidates.map(({ passage }) => passage);
    const before = await search.read(passages);
    const database = new DatabaseSync(place.indexPath);
    // Someone else has written: what the open index holds in memory is read again.
    database.exec("UPDATE about SET value = value; PRAGMA wal_checkpoint(TRUNCATE)");
    database.close();
    const broken = readFileSync(place.indexPath).fill(0xa5, 4096);
    writeFileSync(place.indexPath, broken);
    const again = await search.read(passages);
    expect(again.map(({ id, text }) => [id, text])).toEqual(before.map(({ id, text }) => [id, text]));
  });
});

describe("an index for another setting", () => {
  const openIn = (place: Place, timezone: string, embedder: Embedder, options = {}) =>
    place.open({ timezone, embedder, facts: FACTS, ...options });
  const FACTS = {
    version: async () => "1",
    list: async () => [{ session: "cli:main", message: "#0", text: "Ada sails at noon" }],
  };
  const begin = () => {
    const place = makePlace();
    place.write("memory/MEMORY.md", "- the tide\n- the other tide\n- the tide\n");
    place.say("cli:main", [{ content: "the ferry leaves at noon", timestamp: "2026-03-01T23:30:00Z" }]);
    return place;
  };

  it("keeps what was paid for: another time zone, other passages, an older format", async () => {
    const place = begin();
    const embedder = countingEmbedder();
    for (const [timezone, hour] of [
      ["UTC", "2026-03-01T23:30:00"],
      ["Asia/Tokyo", "2026-03-02T08:30:00"],
      ["UTC", "2026-03-01T23:30:00"],
    ] as const) {
      const search = await openIn(place, timezone, embedder);
      const answer = await ask(search, "ferry noon");
      expect(answer).toMatchObject({ mode: "hybrid", notes: [] });
      expect(answer.results[0]?.date).toBe(hour);
      expect(await search.size()).toMatchObject({ sources: 2, passages: 4, vectors: 4 });
      await search.close();
    }
    const database = new DatabaseSync(place.indexPath);
    database.exec("UPDATE about SET value = '9.0' WHERE name = 'format'");
    database.close();
    const again = await openIn(place, "UTC", embedder, { chunkTokens: 100 });
    expect((await ask(again, "ferry noon")).results[0]?.text).toContain("ferry");
    // Three texts and a fact.
    expect(embedder.texts).toHaveLength(4);
    await again.rebuild();
    expect(embedder.texts).toHaveLength(8);
  });

  it("is as each of two that stay open wants it, whoever asked last", async () => {
    const place = begin();
    const embedder = countingEmbedder();
    const here = await openIn(place, "UTC", embedder, { watch: { intervalMs: 60_000 } });
    const there = await openIn(place, "Asia/Tokyo", embedder);
    for (let round = 0; round < 6; round++) {
      if (round % 2 === 0) place.say("cli:main", [{ content: `one more word ${round}` }]);
      expect((await ask(here, "ferry noon")).results[0]?.date).toBe("2026-03-01T23:30:00");
      expect((await ask(there, "ferry noon")).results[0]?.date).toBe("2026-03-02T08:30:00");
    }
    expect(embedder.texts).toHaveLength(7);
    const question = { text: "ferry", filter: {}, isOfInterest: undefined, useKeywords: true, useVectors: false };
    await here.sync();
    const [found] = (await here.gather(question)).candidates;
    await there.sync();
    expect(await here.read([found?.passage ?? 0])).toMatchObject([{ id: found?.passage, date: "2026-03-01T23:30:00" }]);
    await there.sync();
    expect((await here.gather(question)).candidates[0]?.wallMs).toBe(Date.parse("2026-03-01T23:30:00Z"));
  });

  it("has what was set aside until all files are read again, however many there are", async () => {
    const place = makePlace();
    const embedder = { ...countingEmbedder(), embed: async (texts: readonly string[]) => texts.map(() => ONES) };
    const ONES = new Float32Array(64).fill(1 / 8);
    const lines = Array.from({ length: 24_000 }, (_, line) => `- line ${line}`);
    for (let file = 0; file < 4; file++)
      place.write(`memory/${file}.md`, lines.slice(file * 6_000, file * 6_000 + 6_000).join("\n"));
    let count = 0;
    const counting = {
      ...embedder,
      embed: async (texts: readonly string[]) => ((count += texts.length), embedder.embed(texts)),
    };
    const first = await place.open({ embedder: counting });
    await first.sync();
    await first.close();
    // In a process that stays files are read some at a time, and embedded before the next.
    const second = await place.open({ embedder: counting, timezone: "Asia/Tokyo", watch: { intervalMs: 60_000 } });
    while ((await second.sync({ waitMs: 0 })).isStale) await second.sync({ waitMs: 20 });
    await second.sync();
    expect((await second.size()).vectors).toBe(24_000);
    expect(count).toBe(24_000);
  });
});
