import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Search } from "../../src/search/search.ts";
import { createHeldPassages } from "../../src/recall/index/held-passages.ts";
import { openIndexFile } from "../../src/recall/index/index-file.ts";
import { createUnits } from "../../src/recall/index/units.ts";
import { temporaryFolder } from "../support/workspace.ts";
import type { RecallOptions } from "../../src/recall/recall.ts";
import { ask, countingEmbedder, makePlace } from "./place.ts";

const WORDS =
  "anchor boat chain Deck engine fog gale Straße İstanbul café don't c++ 東京 船 lantern Heizungsanlage".split(" ");
const QUESTIONS: { query: string; options?: Partial<RecallOptions> }[] = [
  { query: "anchor gale and the engine" },
  { query: "boat" },
  { query: "Where is the café in İstanbul, Straße 3?" },
  { query: "東京 船" },
  { query: "Heizung deck c++ don't" },
  { query: "fog in March 2026" },
  { query: "lantern chain", options: { since: "2026-02", until: "2026-03" } },
  { query: "engine fog boat", options: { project: "sea" } },
  { query: "anchor deck", options: { settings: { vectorWeight: 1, textWeight: 0 } } },
];

/** The same numbers each time. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Everything that is told of a question; of what scores are made of as many digits as mean something. */
async function answersOf(search: Search): Promise<string[]> {
  const answers: string[] = [];
  for (const { query, options } of QUESTIONS) {
    const answer = await ask(search, query, { limit: 50, explain: true, ...options });
    answers.push(
      JSON.stringify(answer, (_, value: unknown) => (typeof value === "number" ? value.toPrecision(9) : value)),
    );
  }
  return answers;
}

describe("passages that are kept in memory", () => {
  it("are read in slices where they are many, whatever goes and comes in between", () => {
    const { database } = openIndexFile(join(temporaryFolder(), "index.sqlite"), "test");
    const fill = (from: number, to: number) =>
      database.exec(`
        WITH RECURSIVE n (id) AS (VALUES (${from}) UNION ALL SELECT id + 1 FROM n WHERE id < ${to})
        INSERT INTO passages SELECT id, 1 + id % 7, id / 7, iif(id % 3, id, NULL), 0, '', 5, 1, 0, 0, '', 'boat', '' FROM n;
        WITH RECURSIVE n (id) AS (VALUES (${from}) UNION ALL SELECT id + 1 FROM n WHERE id < ${to})
        INSERT INTO keyword (rowid, text, context, facts) SELECT id, 'boat mast', iif(id % 2, 'sea', ''), '' FROM n`);
    for (const name of "abcdefg")
      database.exec(`
        INSERT INTO sources (path, project, session, scope, stamp, mark, units)
        VALUES ('docs/${name}.md', 'sea', '', '', '', '', 0)`);
    fill(1, 45_000);
    const held = createHeldPassages();
    expect(held.refresh(database, 45_000, "")).toBe(false);
    database.exec("DELETE FROM passages WHERE id BETWEEN 10 AND 19 OR id BETWEEN 40000 AND 40009");
    fill(45_001, 45_100);
    const count = 45_000 - 20 + 100;
    expect(held.refresh(database, count, "")).toBe(false);
    expect(held.refresh(database, count, "")).toBe(true);
    expect(held.table.size).toBe(count);
    expect([9, 10, 40_005, 40_010, 45_100].map((id) => held.table.wordsOf(id))).toEqual([
      3,
      undefined,
      undefined,
      2,
      2,
    ]);
    const [kept, asked] = [held.units(database), createUnits(database)];
    const seeds = [9, 20, 39_999, 45_100].flatMap((id) => asked.ofPassage(id) ?? []);
    expect(kept.around(seeds, 3)).toEqual(asked.around(seeds, 3));
    expect(kept.ofPassage(20)).toEqual(asked.ofPassage(20));
    expect(kept.ofPassage(15)).toBeUndefined();
    const spring = { sinceMs: 30_000_000, untilMs: 41_000_000 };
    expect(kept.allowed(spring)).toEqual(asked.allowed(spring));
    database.close();
  });
});

describe("a process that stays", () => {
  it("finds what one finds that has just opened the index, whatever was added, edited, removed, digested or made anew", async () => {
    const place = makePlace();
    const random = createRandom(5);
    const embedder = countingEmbedder();
    const sentence = () => Array.from({ length: 2 + random(7) }, () => WORDS[random(WORDS.length)]).join(" ");
    let facts: { session: string; message: string; text: string }[] = [];
    let revision = 0;
    const source = { version: async () => String(revision), list: async () => facts };
    const open = (isLong: boolean) =>
      place.open({ embedder, facts: source, ...(isLong ? { watch: { intervalMs: 600_000 } } : {}) });
    const stays = await open(true);
    let said = 0;
    for (let round = 0; round < 10; round++) {
      for (let change = 0; change < 6; change++) {
        const path = `docs/${random(2) === 0 ? "sea" : "land"}/${random(5)}.md`;
        const day = `2026-0${1 + random(4)}-1${random(10)}T09:00:00.000Z`;
        const kind = random(6);
        if (kind === 0) rmSync(join(place.workspace, path), { force: true });
        else if (kind <= 2) place.say(`cli:${random(2)}`, [{ content: sentence(), id: `m${said++}`, timestamp: day }]);
        else
          place.write(
            path,
            `# ${sentence()}\n\n- ${sentence()}\n- ${sentence()}\n\n## ${sentence()}\n\n${sentence()}\n`,
          );
      }
      if (round % 3 === 2) {
        // Some facts stay, some go, some come.
        const session = `cli:${random(2)}`;
        facts = [...facts.slice(1), { session, message: `m${random(said)}`, text: sentence() }];
        revision++;
      }
      if (round === 7)
        for (const suffix of ["", "-wal", "-shm"]) rmSync(`${place.indexPath}${suffix}`, { force: true });
      if (round === 9) await stays.rebuild();
      const asksOnce = await open(false);
      // In turn it is the one or the other who reads what has changed.
      const [first, second] = round % 2 === 0 ? [stays, asksOnce] : [asksOnce, stays];
      const expected = await answersOf(first);
      expect(await answersOf(second), `round ${round}`).toEqual(expected);
      // What is kept in memory serves the same question again.
      expect(await answersOf(stays), `round ${round}, again`).toEqual(expected);
    }
    expect((await stays.size()).passages).toBeGreaterThan(30);
  });
});
