import { describe, expect, it } from "vitest";
import { checkBelief } from "../../src/belief/check-belief.ts";
import { ideasOf } from "../../src/belief/ideas.ts";
import { ownStatements } from "../../src/belief/own-statements.ts";
import { isQuestion, readQuestion } from "../../src/belief/question.ts";
import { readMessage } from "../../src/belief/read-message.ts";
import { reviseBeliefs } from "../../src/belief/revise-beliefs.ts";
import { findDuplicates } from "../../src/change/find-duplicates.ts";
import { namesOf } from "../../src/change/pair-rewordings.ts";
import { parseFacts } from "../../src/change/read-outline.ts";
import { isWantedGone } from "../../src/change/wanted-gone.ts";
import { maskSecrets } from "../../src/files/mask-secrets.ts";
import { isPlaceholder } from "../../src/files/secrets/chance.ts";
import { factsOf } from "../../src/import/found.ts";
import { endsInQuestionMark, withoutQuestionMark } from "../../src/language/question-mark.ts";
import { splitIntoSentences } from "../../src/language/sentences.ts";
import { speechKind } from "../../src/language/speech-kind.ts";
import { trimEnd } from "../../src/language/trim-end.ts";
import { toSlug } from "../../src/life/to-slug.ts";

const SIZE = 100_000;
const say = (text: string) => ({ id: "m", text, speaker: "User", saidAt: undefined, timezone: "UTC" });

// What a person, a model or a file may bring; each looks at a text of any length.
const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  readMessage: (text) => readMessage(say(text)),
  "a wish to forget": (text) => readMessage(say(`forget ${text}`)),
  "a wish to remember": (text) => readMessage(say(`remember that ${text}`)),
  ownStatements,
  isQuestion,
  readQuestion,
  ideasOf: (text) => ideasOf(text),
  "a confirmation": (text) =>
    reviseBeliefs(
      [
        { ...say(text), role: "assistant" },
        { ...say("yes"), role: "user" },
      ],
      [],
    ),
  reviseBeliefs: (text) => reviseBeliefs([{ ...say(text), role: "user" }], ["User lives in Bern"]),
  checkBelief: (text) =>
    checkBelief(
      "User lives in Bern",
      [{ fact: "User lives in Bern", quote: "Bern", message: "m" }],
      [{ ...say(text), role: "user" }],
    ),
  splitIntoSentences,
  speechKind: (text) => speechKind(text, "person"),
  findDuplicates: (text) => findDuplicates(parseFacts(`- ${text}\n- ${text} y\n`)),
  namesOf,
  factsOf: (text) => factsOf(`## ${text}\n\n- likes tea\n`, "MEMORY.md", "Facts"),
  isPlaceholder,
  maskSecrets: (text) => maskSecrets(`my password is ${text}`),
  toSlug,
  endsInQuestionMark,
  withoutQuestionMark,
  trimEnd: (text) => trimEnd(text, /[\s.]/),
};

// Runs of one thing.
const UNITS =
  "_|\t|\n|.|._|!|?|…|。|,|,_|;_|-|/|\\|(|[|[[|#|'|\"|„|`|1|1_|a|aé|é|A|😀|😀_|_do|_born|what_|what_do_you_know_|dr._|and_|_is|我|什么|か"
    .split("|")
    .map((unit) => unit.replaceAll("_", " "));

describe("a long text of one thing is read as quickly as any", () => {
  it.each(Object.entries(READERS))("%s", { timeout: 120_000 }, (_, read) => {
    const runs = UNITS.map((unit) => unit.repeat(Math.floor(SIZE / unit.length)));
    // In turn alone and within a sentence: each reader meets every one, and the next reader the other way.
    for (const [index, run] of runs.entries()) {
      const text = index % 2 === Object.values(READERS).indexOf(read) % 2 ? run : `I live in Bern ${run}x`;
      expect(() => read(text)).not.toThrow();
    }
  });

  // Each of its clauses is held against the fact, which takes a while for a hundred thousand of them.
  it.each([" ", "\t", "; "])("isWantedGone: %j", { timeout: 120_000 }, (unit) => {
    const text = `forget Bern${unit.repeat(SIZE / unit.length / (unit === "; " ? 10 : 1))}x`;
    expect(isWantedGone("User lives in Bern", [{ text, at: "", isAfter: false }])).toBe(true);
  });
});
