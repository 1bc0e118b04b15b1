import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkBelief } from "../../src/belief/check-belief.ts";
import { reviseBeliefs } from "../../src/belief/revise-beliefs.ts";
import type { Heard } from "../../src/belief/revise-beliefs.ts";
import { resolveDates } from "../../src/language/resolve-dates.ts";
import { runs } from "../support/runs.ts";

const SAID_AT = new Date("2026-06-10T09:00:00Z");

function hear(...said: string[]): Heard[] {
  return said.map((text, index) => ({
    id: `m${index}`,
    role: text.startsWith("A: ") ? ("assistant" as const) : ("user" as const),
    text: text.replace(/^A: /, ""),
    speaker: "User",
    saidAt: SAID_AT,
    timezone: "UTC",
  }));
}

const believe = (...said: string[]) => reviseBeliefs(hear(...said), []).added.map(({ fact }) => fact);

describe("what is believed", () => {
  it.each([
    ["I moved to Lisbon in May", "User lives in Lisbon (since 2026-05)"],
    ["We live in Ghent with Pieter and the kids", "User lives in Ghent"],
    ["We live in Ghent with Pieter and the kids", "User lives with Pieter and the kids"],
    ["I can't stand coriander", "User can't stand coriander"],
    ["my boss (Stuart) is coming", "User's boss is Stuart"],
    ["Die Hochzeit ist am 3. Mai", "User: die Hochzeit ist am 3. Mai"],
    ["please always answer in French", "Standing instruction: always answer in French"],
  ])("of %j is %j", (said, fact) => {
    expect(believe(said)).toContain(fact);
  });

  it.each([
    "forget that I live in Bern",
    "It is not true that I live in Paris",
    "pretend I live in Tokyo",
    "he said I work at Google",
    "translate: I am a teacher",
    "I live in Paris, just kidding",
    "Dear all,\nI live in Oslo and I have two cats.\nBest, Ann",
    "> I live in Oslo",
    "Tom: I live in Bath\nAna: I live in Rome\nTom: nice",
    "do I live in Bern?",
    "vielleicht ziehe ich nach Wien",
    "je pense que je suis allergique",
    "もし東京に住んでいたら",
  ])("of %j is nothing", (said) => {
    expect(believe(said)).toEqual([]);
  });

  it.each([
    [["I don't see Omar any more"], ["User plays tennis with Omar every Tuesday"]],
    [["forget what I said about Omar and Lena"], ["User plays tennis with Omar every Tuesday"]],
  ])("is doubted where it is unclear what %j means", (said, known) => {
    const { doubted, removed } = reviseBeliefs(hear(...said), [...known, "User has a cat called Miso"]);
    expect(removed).toEqual([]);
    expect(doubted.map(({ fact }) => fact)).toEqual(known);
  });

  it.each([
    ["I don't eat meat", "User eats fish on Fridays"],
    ["I no longer work on Sundays", "User goes swimming on Sundays"],
    ["I never drink coffee", "User's sister drinks tea"],
  ])("is not doubted for a word that two facts share: %j", (said, known) => {
    expect(reviseBeliefs(hear(said), [known]).doubted).toEqual([]);
  });

  it("has the lines of the bench, which nothing may undo", () => {
    const lines = readFileSync(join(import.meta.dirname, "../../bench/belief/lines.jsonl"), "utf8")
      .trim()
      .split("\n");
    expect(lines.length).toBeGreaterThan(150);
  });

  it("says the same of the same words, whatever stands around them", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), (text) => {
        const once = believe(text);
        expect(believe(text)).toEqual(once);
        for (const { quote } of reviseBeliefs(hear(text), []).added) expect(quote).not.toBe("");
      }),
      runs(300),
    );
  });
});

describe("what is taken back", () => {
  it.each([["I work at Bosch", "not any more"]])("%j, after %j, does not stand", (before, after) => {
    const [fact] = believe(before);
    expect(fact).toBeDefined();
    expect(believe(before, after)).not.toContain(fact);
  });

  it("takes no number from one thing for another", () => {
    expect(believe("The operation is on 12 May", "They have put the amlodipine up to 10 mg")).toContain(
      "The operation is on 12 May",
    );
  });
});

describe("what a model proposes", () => {
  const check = (fact: string, quote: string, ...said: string[]) =>
    checkBelief(fact, [{ fact, quote, message: "m0" }], hear(...said));

  it.each([
    ["User lives in Bern", "I live in Bern", "I live in Bern"],
    ["User has a dog called Rex", "Rex, my dog", "Rex, my dog, is ill"],
    ["User is considering a move to Wales", "maybe I'll move to Wales", "maybe I'll move to Wales"],
    ["User does not eat meat", "I don't eat meat", "I don't eat meat"],
  ])("is fine: %j", (fact, quote, said) => {
    expect(check(fact, quote, said)).toEqual({ kind: "fine" });
  });

  it.each([
    ["User lives in Bern", "do I live in Bern?", "do I live in Bern?"],
    ["User lives in Rome", "I live in Rome", 'translate: "I live in Rome"'],
    ["User lives in Wales", "maybe I'll move to Wales", "maybe I'll move to Wales"],
    ["User is deaf", "my wife thinks I'm deaf", "my wife thinks I'm deaf"],
    ["User eats meat", "I don't eat meat", "I don't eat meat"],
    ["User lives in Oslo", "I live in Oslo", "see this\n> I live in Oslo\nfunny"],
  ])("is held: %j", (fact, quote, said) => {
    expect(check(fact, quote, said)).toMatchObject({ kind: "held" });
  });

  it("is held where the newest word says otherwise, and unproven where nothing was said", () => {
    expect(check("User lives in Bern", "I live in Bern", "I live in Bern", "we moved to Thun")).toMatchObject({
      kind: "held",
    });
    expect(checkBelief("User collects stamps", [], hear("I live in Bern"))).toEqual({ kind: "unproven" });
  });
});

describe("relative dates", () => {
  it.each([
    ["de", "Ich komme übermorgen", "Ich komme am 2026-06-12"],
    ["es", "Llegó hace dos días", "Llegó el 2026-06-08"],
    ["fr", "Il part la semaine prochaine", "Il part le 2026-06-15/2026-06-21"],
    ["pt", "Chegou no mês passado", "Chegou em 2026-05"],
    ["it", "È nato ieri", "È nato il 2026-06-09"],
    ["nl", "Zij komt volgend jaar", "Zij komt in 2027"],
    ["zh", "我昨天到的", "我2026-06-09 到的"],
    ["ja", "来月引っ越します", "2026-07 引っ越します"],
    ["de", "Dienstags spiele ich Tuba", "Dienstags spiele ich Tuba"],
  ] as const)("%s: %j", (code, text, resolved) => {
    expect(resolveDates(text, SAID_AT, "UTC", code)).toBe(resolved);
  });
});
