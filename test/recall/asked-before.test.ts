// @module-tag stores
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openStaticEmbedder } from "../../src/model/static-embedder.ts";
import type { Said } from "../search/place.ts";
import { ask, makePlace } from "../search/place.ts";

const FACTS = [
  { fact: "My sister Ana lives in Lisbon.", question: "Where does my sister live?" },
  { fact: "The spare key hangs behind the oven.", question: "Where is the spare key?" },
  { fact: "Ich bin gegen Haselnüsse allergisch.", question: "Wogegen bin ich allergisch?" },
  { fact: "我的车停在地下三层。", question: "我的车停在哪里？" },
  { fact: "We sold the blue boat in spring.", question: "Can you tell me when we sold the blue boat?" },
  { fact: "My tax number is kept in the grey folder.", question: "remind me in which folder my tax number is" },
];
const STOCK = ["Kept.", "Found in memory: memory/MEMORY.md:2", "Nothing on record answers this.", "You're welcome!"];

describe("recall after the same was asked before", () => {
  for (const isByMeaning of [true, false]) {
    it(`finds the fact, not the questions, nor what was replied to them (${isByMeaning ? "meaning" : "words"})`, async () => {
      const place = makePlace();
      const talk: Said[] = [{ content: "hey there" }, { role: "assistant", content: "Hello! How can I help?" }];
      for (const { fact } of FACTS) talk.push({ content: fact }, { role: "assistant", content: "Kept." });
      place.say("cli:told", talk);
      FACTS.forEach(({ question }, index) => {
        for (const round of [0, 1, 2]) {
          place.say(`cli:asked-${index}-${round}`, [
            { content: question },
            { role: "assistant", content: STOCK[(index + round) % STOCK.length] },
          ]);
        }
      });
      const embedder = isByMeaning ? await openStaticEmbedder(join(import.meta.dirname, "../../data")) : undefined;
      const search = await place.open({ embedder });
      for (const { fact, question } of FACTS) {
        const { results } = await ask(search, question);
        expect(results[0]?.text).toBe(fact);
      }
    });
  }

  it("still finds a question when someone looks for it and nothing else is there", async () => {
    const place = makePlace();
    place.say("cli:main", [{ content: "What does the harbour master charge?" }]);
    const { results } = await ask(await place.open(), "harbour master");
    expect(results.map(({ text }) => text)).toEqual(["What does the harbour master charge?"]);
  });

  it("does not search what a program put into the user's message", async () => {
    const place = makePlace();
    place.say("cli:main", [
      { content: "<system-reminder>The zeppelin tool is out of order.</system-reminder>\nI keep bees." },
      { content: "<environment_context>zeppelin</environment_context>" },
    ]);
    const search = await place.open();
    expect((await ask(search, "zeppelin")).results).toEqual([]);
    expect((await ask(search, "bees")).results.map(({ text }) => text)).toEqual(["I keep bees."]);
  });
});
