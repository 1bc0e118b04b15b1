// @module-tag long
import fc from "fast-check";
import { expect, it } from "vitest";
import { compareFacts } from "../../src/change/compare-facts.ts";
import { editsBetween } from "../../src/change/edits-between.ts";
import { countCuts, createPlaces } from "../../src/change/create-places.ts";
import { namesOf, pairRewordings } from "../../src/change/pair-rewordings.ts";
import type { Rewording } from "../../src/change/pair-rewordings.ts";
import { parseFacts } from "../../src/change/read-outline.ts";
import type { Fact } from "../../src/change/read-outline.ts";
import { containment, createWeights, keyWords } from "../../src/language/similarity.ts";
import { runs } from "../support/runs.ts";

const WHO = ["Ana", "Bob", "The user", "My phone", "Age:", "The budget", "our Cat 7", "", "用户"];
const DOES = ["is", "likes", "enjoys", "are", "lives in", "was", "喜欢"];
const WHAT = ["tea", "green tea", "34", "35", "Porto", "Town3", "500 in May", "it", "the sea", "茶"];
const line = fc
  .tuple(fc.constantFrom(...WHO), fc.constantFrom(...DOES), fc.constantFrom(...WHAT))
  .map((parts) => parts.join(" ").trim());
const text = fc
  .array(fc.tuple(fc.constantFrom("- ", "- ", "- ", "- ", "\n## "), line), { maxLength: 30 })
  .map((lines) => `# Memory\n\n${lines.map((parts) => parts.join("")).join("\n")}\n`);

it("pairs what was reworded in a short text exactly as the definition says: each old fact with each new one", () => {
  fc.assert(
    fc.property(text, text, fc.boolean(), (before, after, isReasoned) => {
      const facts = factsOf(before, after);
      const reasons = (fact: Fact) => isReasoned || fact.start % 2 === 0;
      expect(pairRewordings(facts, reasons)).toEqual(pairByDefinition(facts, reasons));
    }),
    runs(400),
  );
});

const listOf = (lines: readonly string[]) => `# Memory\n\n## Facts\n\n${lines.map((each) => `- ${each}`).join("\n")}\n`;
const count = 2000;
const WORDS = "tea sea bee key pie sun fog oak elm ash ivy fern moss dew hay rye oat bay cod eel owl hen fox elk".split(
  " ",
);
const word = (index: number) => WORDS[index % WORDS.length] ?? "";
/** Lines of a few common words that no word of their own tells apart. */
const common = (index: number) => `${word(index)} ${word((index / WORDS.length) | 0)} ${word((index / 576) | 0)}`;

const BULK_EDITS: [string, (index: number) => string, (index: number) => string][] = [
  [
    "a word of each line",
    (at) => `Person${at} likes thing${at * 7} in Town${at % 50}`,
    (at) => `Person${at} enjoys thing${at * 7} in Town${at % 50}`,
  ],
  [
    "more words in each line",
    (at) => `Person${at} likes thing${at * 7} in Town${at % 50}`,
    (at) => `Person${at} likes thing${at * 7} in the Town${at % 50} now`,
  ],
  ["lines that share all their words with others", (at) => `likes ${common(at)}`, (at) => `enjoys ${common(at)}`],
  [
    "every other line",
    (at) => `Person${at} likes thing${at * 7}`,
    (at) => `Person${at} ${at % 2 ? "likes" : "enjoys"} thing${at * 7}`,
  ],
];

it.each(BULK_EDITS)("pairs each line with its own old one after a bulk edit of %s", (_, old, now) => {
  const lines = Array.from({ length: count }, (__, index) => index);
  const before = listOf(lines.map(old));
  // Someone also wrote some lines at the top, and one in the middle.
  const added = lines.slice(0, 40).map((index) => `Note ${index} of today`);
  const after = listOf([...added, ...lines.flatMap((at) => (at === 1200 ? [now(at), "Another one"] : [now(at)]))]);
  const edits = editsBetween(before, after, "edited", () => null);
  const partner = new Map(lines.map((at) => [old(at), now(at)]));
  const replaced = edits.flatMap((edit) => (edit.kind === "replace" ? [edit] : []));
  expect(replaced.filter(({ text: was, words }) => partner.get(was) !== words)).toEqual([]);
  expect(replaced).toHaveLength(lines.filter((at) => old(at) !== now(at)).length);
  expect(edits.length - replaced.length).toBe(41);
});

function factsOf(before: string, after: string) {
  const [base, proposed] = [parseFacts(before), parseFacts(after)];
  const { gone: dropped, fresh } = compareFacts(base, proposed);
  return { base, proposed, dropped, fresh };
}

function pairByDefinition(
  facts: { base: readonly Fact[]; proposed: readonly Fact[]; dropped: readonly Fact[]; fresh: readonly Fact[] },
  isReasoned: (fact: Fact) => boolean,
): Rewording[] {
  const { base, proposed, dropped, fresh } = facts;
  if (dropped.length === 0 || fresh.length === 0) return [];
  const weigh = createWeights(base.map(({ text }) => text));
  const words = new Map([...dropped, ...fresh].map((fact) => [fact, keyWords(fact.text)]));
  const wordsOf = (fact: Fact) => words.get(fact) ?? new Set<string>();
  const placeOf = createPlaces(base, proposed);
  const cuts = countCuts(dropped, fresh, placeOf);
  const candidates = dropped.flatMap((before) => {
    const place = placeOf(before);
    const reasoned = isReasoned(before);
    return fresh.flatMap((after) => {
      const shared = containment(wordsOf(before), wordsOf(after), weigh);
      const isSamePlace = placeOf(after) === place && !cuts.has(place);
      const isReplaced = isSamePlace
        ? (reasoned && shared > 0) || keepsSubject(before.text, after.text, shared)
        : shared >= 0.79 && namesOf(before.text).every((name) => namesOf(after.text).includes(name));
      const back = containment(wordsOf(after), wordsOf(before), weigh);
      return isReplaced ? [{ before, after, score: shared + back }] : [];
    });
  });
  const pairs: Rewording[] = [];
  const taken = new Set<Fact>();
  for (const { before, after } of candidates.toSorted((one, other) => other.score - one.score)) {
    if (taken.has(before) || taken.has(after)) continue;
    taken.add(before).add(after);
    pairs.push({ before, after });
  }
  return pairs;
}

function keepsSubject(before: string, after: string, shared: number): boolean {
  const names = namesOf(before);
  const kept = namesOf(after);
  if (names.length > 0 && names.every((name) => kept.includes(name))) return shared > 0;
  if (names.length > 0) return givesAnotherNumber(before, after);
  // The first word may be a name as well as a capital: "Ana keeps cats" is not about Bob.
  return shared >= 0.79 && wordsIn(after).includes(wordsIn(before)[0] ?? "");
}

/** "Age: 34" and "Age: 35", "The budget is 500" and "The budget is 700": the same thing, another number. */
function givesAnotherNumber(before: string, after: string): boolean {
  const subject = subjectOf(before);
  if (subject === undefined || subject !== subjectOf(after)) return false;
  return /\d/.test(before.slice(subject.length)) && /\d/.test(after.slice(subject.length));
}

function subjectOf(text: string): string | undefined {
  const [, label, phrase] =
    /^([^:]{1,40}):\s|^((?:the|my|our|their|his|her|\S+['’]s)\s.{1,60}?)\s(?:is|are|was|were)\s/i.exec(text) ?? [];
  return (label ?? phrase)?.toLowerCase();
}

const WORD = /[\p{L}\p{N}][\p{L}\p{N}'’._/-]*/gu;

function wordsIn(text: string): string[] {
  return text.toLowerCase().match(WORD) ?? [];
}
