import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { gatherCandidates } from "../../src/search/gather-candidates.ts";
import type { Question } from "../../src/search/search.ts";
import type { Unit, Units } from "../../src/search/unit.ts";
import { openIndexFile } from "../../src/recall/index/index-file.ts";
import { createKnownWords } from "../../src/search/known-words.ts";
import { withoutScores } from "../../src/search/keyword-scores.ts";
import { searchKeywords } from "../../src/recall/index/search-keywords.ts";

const folder = mkdtempSync(join(tmpdir(), "tidemark-bounded-"));
afterAll(() => rmSync(folder, { recursive: true }));

const QUESTION: Question = {
  text: "where is the boat",
  filter: {},
  isOfInterest: undefined,
  useKeywords: true,
  useVectors: true,
};

function unitOf(passage: number): Unit {
  const source = { path: "memory/a.md", project: "_memory", session: "", scope: "" };
  const traits = { wallMs: undefined, voice: "file", kind: "statement", isStanding: false, speaker: "" } as const;
  return { key: passage * 10, source, ordinal: passage * 10, ...traits, passages: [passage], size: 40 };
}

/** Units by passage, one each, that count how often they are looked up. */
function countingUnits(): { units: Units; lookedUp: () => number } {
  let count = 0;
  const units: Units = {
    ofPassage(passage) {
      count++;
      return unitOf(passage);
    },
    around: (seeds) => [...seeds],
    allowed: () => [],
  };
  return { units, lookedUp: () => count };
}

describe("what a question reads of a large memory", () => {
  it("is no more than the passages that are liker than chance", () => {
    const { units, lookedUp } = countingUnits();
    const likeness = {
      cosineOf: (passage: number) => 1 / (1 + passage),
      likest: (count: number) => Array.from({ length: count }, (_, passage) => passage),
    };
    const { candidates } = gatherCandidates(units, QUESTION, withoutScores(QUESTION.text), likeness);
    expect(candidates).toHaveLength(200);
    expect(lookedUp()).toBe(200);
  });

  it("is all of the likest where a time is asked for", () => {
    const { units, lookedUp } = countingUnits();
    const likeness = {
      cosineOf: (passage: number) => 1 / (1 + passage),
      likest: (count: number) => Array.from({ length: count }, (_, passage) => passage),
    };
    const question = { ...QUESTION, isOfInterest: () => true };
    gatherCandidates(units, question, withoutScores(question.text), likeness);
    expect(lookedUp()).toBe(1_600);
  });

  it("is the newest passages of a word that stands everywhere, and each word is counted once", () => {
    const { database } = openIndexFile(join(folder, "index.sqlite"), "test");
    database.exec(`
      WITH RECURSIVE n (id) AS (VALUES (1) UNION ALL SELECT id + 1 FROM n WHERE id < 25000)
      INSERT INTO keyword (rowid, text, context, facts) SELECT id, 'boat', '', '' FROM n`);
    const words = createKnownWords();
    const counts = { passages: 1_000_000, words };
    const { scores } = searchKeywords(database, "boat", counts);
    expect(scores.size).toBe(20_000);
    expect(scores.placeOf(25_000)).toBe(0);
    expect(scores.placeOf(1)).toBe(-1);
    expect(words.countOf('"boat"')).toBe(20_000);
    // What is known is not counted again, as long as nothing is written.
    words.keepCount('"boat"', 0);
    expect(searchKeywords(database, "boat", counts).scores.size).toBe(0);
    database.close();
  });
});
