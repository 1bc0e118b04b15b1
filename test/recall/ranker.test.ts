// @module-tag stores
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openStaticEmbedder } from "../../src/model/static-embedder.ts";
import { fenceRecalled } from "../../src/context/fence-recalled.ts";
import { DOUBTFUL } from "../../src/recall/doubtful.ts";
import { readRankModel } from "../../src/recall/rank-model.ts";
import { ask, makePlace } from "../search/place.ts";

const TALK = [
  "We went to the aquarium on Sunday and Milo loved the jellyfish.",
  "I started a pottery class at the community centre last Tuesday.",
  "The boiler was serviced, it cost 140 euros.",
  "Our neighbour Petra keeps three beehives behind the garage.",
  "I finished the novel about the lighthouse keeper.",
  "My knee hurts when I run downhill, so I bought new shoes.",
  "Milo's school play is in June, he is a dragon.",
  "The train to Ghent was two hours late.",
];

async function openTalk() {
  const place = makePlace();
  place.say(
    "cli:main",
    TALK.map((content, index) => ({ content, id: `m${index}` })),
  );
  const embedder = await openStaticEmbedder(join(import.meta.dirname, "../../data"));
  return { place, search: await place.open({ embedder }) };
}

describe("the learned ranking", () => {
  it("is a model that every node and leaf of can be reached in", () => {
    for (const { feature, threshold, left, right, leaf } of readRankModel().trees) {
      const targets = [...left, ...right].toSorted((one, other) => one - other);
      const nodes = feature.map((_, index) => index).slice(1);
      const leaves = leaf.map((_, index) => -index - 1).toReversed();
      expect(targets).toEqual([...leaves, ...nodes]);
      expect(threshold).toHaveLength(feature.length);
    }
  });

  it("says what it changed, and changes nothing where it is turned off", async () => {
    const { search } = await openTalk();
    const learned = await ask(search, "What did I start at the community centre?", { explain: true });
    expect(learned.results[0]?.messages).toEqual(["m1"]);
    expect(learned.results.some(({ explain }) => explain?.learned !== 1)).toBe(true);
    const plain = await ask(search, "What did I start?", { explain: true, settings: { learned: false } });
    expect(plain.results.every(({ explain }) => explain?.learned === 1)).toBe(true);
    const words = await ask(search, "pottery", { explain: true, settings: { vectorWeight: 0, textWeight: 1 } });
    expect(words.results.every(({ explain }) => explain?.learned === 1)).toBe(true);
  });

  it("leaves the score of what stands in files, and lets no talk pass it by that", async () => {
    const { place, search } = await openTalk();
    place.write("memory/MEMORY.md", "- Milo is allergic to strawberries\n");
    place.say("cli:main", [{ content: "Milo is allergic to strawberries", id: "said" }]);
    const { results } = await ask(search, "What is Milo allergic to?", { explain: true });
    expect(results[0]).toMatchObject({ path: "memory/MEMORY.md", explain: { learned: 1 } });
    expect(results.every(({ explain }) => (explain?.learned ?? 2) <= 1)).toBe(true);
  });

  it("keeps scores falling, from the confidence on, however many are asked for", async () => {
    const { search } = await openTalk();
    for (const limit of [1, 3, 100]) {
      const { results, confidence } = await ask(search, "Where did we go with Milo on Sunday?", { limit });
      expect(results[0]?.score).toBeCloseTo(confidence, 3);
      const scores = results.map(({ score }) => score);
      expect(scores).toEqual(scores.toSorted((one, other) => other - one));
    }
  });
});

describe("confidence", () => {
  it("is higher for what is on record than for what is not", async () => {
    const { search } = await openTalk();
    const known = [
      "What did the boiler service cost?",
      "Who keeps beehives?",
      "What role does Milo have in the school play?",
    ];
    const unknown = ["Which cardiologist treats my hypertension?", "What mortgage rate did the bank offer?"];
    const of = (questions: readonly string[]) =>
      Promise.all(questions.map(async (question) => (await ask(search, question)).confidence));
    expect(Math.min(...(await of(known)))).toBeGreaterThan(Math.max(...(await of(unknown))));
  });

  it.each(["words and meaning", "words alone"])(
    "knows single lines among many notes about other things, by %s",
    async (by) => {
      const place = makePlace();
      const topics = "orchards ferries glaciers violins turbines spices bridges comets looms harbours".split(" ");
      for (const [index, topic] of topics.entries()) {
        const others = topics.filter((one) => one !== topic);
        const lines = others.map(
          (other, at) => `- Chapter ${at + 1} of volume ${index + 1} compares ${topic} with ${other}.`,
        );
        place.write(`memory/${topic}.md`, `# About ${topic}\n\n${lines.join("\n")}\n`);
      }
      // A long line has as much to say as a short one.
      const more =
        "It was a long day with rain and wind, and nobody had thought of bringing an umbrella along. ".repeat(4);
      place.write(
        "memory/2026-02-01.md",
        `- Invoice INV-88213 of Acme was paid by card\n- The boiler in the cellar was repaired by Mr Meier. ${more}\n- We parked the caravan near Annecy\n`,
      );
      await place.ready();
      const search = await place.open(
        by === "words alone" ? {} : { embedder: await openStaticEmbedder(join(import.meta.dirname, "../../data")) },
      );
      const of = (questions: readonly string[]) =>
        Promise.all(questions.map(async (question) => (await ask(search, question)).confidence));
      const known = [
        "When was invoice INV-88213 paid?",
        "Who repaired the boiler in the cellar?",
        "Where did we park the caravan?",
      ];
      const unknown = [
        "What is my blood type?",
        "Who repaired the roof?",
        "Where did we park the motorbike?",
        "Who won the chess match?",
      ];
      expect(Math.min(...(await of(known)))).toBeGreaterThan(DOUBTFUL);
      expect(Math.max(...(await of(unknown)))).toBeLessThan(DOUBTFUL);
    },
  );

  it("is as low as can be where there is nothing at all", async () => {
    const answer = await ask(await makePlace().open(), "anything");
    expect(answer).toMatchObject({ results: [], confidence: 0.01 });
  });

  it("makes recalled passages say that they may not answer", async () => {
    const { search } = await openTalk();
    const answer = await ask(search, "Who keeps beehives behind the garage?", { explain: true });
    expect(fenceRecalled({ ...answer, confidence: DOUBTFUL }, new Set())).not.toContain("may not answer");
    expect(fenceRecalled({ ...answer, confidence: DOUBTFUL - 0.01 }, new Set())).toContain("may not answer");
  });
});
