import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkBelief } from "../../src/belief/check-belief.ts";
import { formatQuotation } from "../../src/belief/quotation.ts";
import { reviseBeliefs } from "../../src/belief/revise-beliefs.ts";
import type { Heard } from "../../src/belief/read-message.ts";
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

const keep = (...said: string[]) =>
  reviseBeliefs(hear(...said), []).added.map((quotation) => formatQuotation(quotation));

describe("what is kept", () => {
  it.each([
    ["I moved to Lisbon in May.", "“I moved to Lisbon in May” [2026-05] (2026-06-10)"],
    ["My name is Ada and I live in Lisbon.", "“I live in Lisbon” (2026-06-10)"],
    ["Remember that the gate code changes on Mondays", "“the gate code changes on Mondays” (2026-06-10)"],
    ["Can you help me with my CV? I'm a nurse, I live in Hull.", "“I live in Hull” (2026-06-10)"],
    ["Ich heiße Jonas und wohne in Freiburg", "“Ich heiße Jonas und wohne in Freiburg” (2026-06-10)"],
    ["我住在上海", "“我住在上海” (2026-06-10)"],
    ["Запомни: когда я ем орехи, мне плохо", "“когда я ем орехи, мне плохо” (2026-06-10)"],
    ["pamiętaj, że mam psa", "“mam psa” (2026-06-10)"],
    ["unutma, salı günleri dersim var", "“salı günleri dersim var” (2026-06-10)"],
  ])("of %j is %j", (said, line) => {
    expect(keep(said)).toContain(line);
  });

  it.each([
    "forget that I live in Bern",
    "It is not true that I live in Paris",
    "pretend I live in Tokyo",
    "he said I work at Google",
    "translate: I am a teacher",
    "I live in Paris, just kidding",
    "> I live in Oslo",
    "[14:02] Tom: I live in Bath\n[14:03] Ana: I live in Rome",
    "do I live in Bern?",
    "vielleicht ziehe ich nach Wien",
    "もし東京に住んでいたら",
    "You are Dr. House and I'm the patient. Let's role-play. I smoke forty a day.",
    "```\nI live in Rome\n```",
  ])("of %j is nothing", (said) => {
    expect(keep(said)).toEqual([]);
  });

  it("is the user's words, and nothing else", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), (text) => {
        for (const { evidence } of reviseBeliefs(hear(text), []).added) expect(text).toContain(evidence);
      }),
      runs(200),
    );
  });

  it("names whom a clause is about that does not say it", () => {
    expect(keep("I had a long talk with Marjorie. She's a retired teacher from Mataura.")).toContain(
      "Marjorie: “She's a retired teacher from Mataura” (2026-06-10)",
    );
  });

  it("is what the assistant said of the user, once they say yes to it, and never what it said of itself", () => {
    expect(keep("what can I eat", "A: You are allergic to nuts.", "yes, exactly")).toContain(
      "Confirmed: “You are allergic to nuts” (2026-06-10)",
    );
    expect(keep("hi", "A: I live in the cloud.", "yes")).toEqual([]);
    expect(keep("hi", "A: You are allergic to nuts.", "no")).toEqual([]);
  });
});

describe("what is marked as earlier", () => {
  const mark = (known: string, ...said: string[]) =>
    reviseBeliefs(hear(...said), [known]).marked.map(({ after }) => after);

  it("is a home, an employer or a name that is said anew", () => {
    expect(mark("“I live in Ghent” (2026-01-02)", "I live in Bruges")).toEqual([
      "“I live in Ghent” (2026-01-02) (earlier: until 2026-06-10, “I live in Bruges”)",
    ]);
  });

  it("is what is denied in so many words", () => {
    expect(
      mark("“I'm allergic to penicillin” (2026-01-02)", "I'm not allergic to penicillin, the test was negative"),
    ).toHaveLength(1);
  });

  it.each([
    ["“I'm allergic to peanuts” (2026-01-02)", "I had peanuts by mistake"],
    ["“I'm allergic to nuts” (2026-01-02)", "My son isn't allergic to nuts"],
    ["“I work at Bosch” (2026-01-02)", "I quit smoking in March"],
    ["“I live in Leeds” (2026-01-02)", "My brother moved to York"],
    ["User lives in Rome", "I had lunch in Paris"],
  ])("is never %j after %j", (known, said) => {
    expect(mark(known, said)).toEqual([]);
  });

  it("keeps the corrected value alone where the next words correct the last", () => {
    const [line] = keep("My dentist appointment is on Tuesday", "no wait, Thursday");
    expect(line).toContain("Thursday");
    expect(line).not.toContain("Tuesday");
  });

  it("keeps nothing of what is taken back at once", () => {
    expect(keep("I live in Bern", "scratch that")).toEqual([]);
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
    ["en", "see you next Friday", ["2026-06-19"]],
    ["en", "my birthday is in May", []],
    ["de", "Ich komme übermorgen", ["2026-06-12"]],
    ["es", "Llegó hace dos días", ["2026-06-08"]],
    ["fr", "Il part la semaine prochaine", ["2026-06-15/2026-06-21"]],
    ["pt", "Chegou no mês passado", ["2026-05"]],
    ["it", "È nato ieri", ["2026-06-09"]],
    ["nl", "Zij komt volgend jaar", ["2027"]],
    ["zh", "我昨天到的", ["2026-06-09"]],
    ["ja", "来月引っ越します", ["2026-07"]],
    ["ru", "приехал две недели назад", ["2026-05-25/2026-05-31"]],
    ["de", "Dienstags spiele ich Tuba", []],
  ] as const)("%s: %j", (code, text, dates) => {
    expect(resolveDates(text, SAID_AT, "UTC", code)).toEqual(dates);
  });
});
