import { containment, createWeights, keyWords } from "../language/similarity.ts";
import { align } from "./align.ts";
import { nameOf } from "./read-outline.ts";
import type { Fact } from "./read-outline.ts";

/** An old fact and the new one that took its place. */
export interface Rewording {
  before: Fact;
  after: Fact;
}

// A new fact that says nearly all that the old one said leaves hardly anything of it behind.
const SAYS_IT_ALL = 0.79;

/**
 * Finds which dropped fact a new one replaces: one to one, the surest first. Where a reason was given, any common word in
 * the same place is enough. Without one the new fact must keep what the old one was about, its names and numbers (or give
 * another number for the same thing); facts that only share their frame ("Ana's phone is…", "Bob's phone is…") are two.
 */
export function pairRewordings(
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
        : shared >= SAYS_IT_ALL && namesOf(before.text).every((name) => namesOf(after.text).includes(name));
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
  return shared >= SAYS_IT_ALL && wordsIn(after).includes(wordsIn(before)[0] ?? "");
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

/** Names and numbers: what begins with a capital inside the sentence, or has a digit. */
export function namesOf(text: string): string[] {
  const words = text.match(WORD) ?? [];
  const names = words.filter((word, index) => /\d/.test(word) || (index > 0 && /^\p{Lu}/u.test(word)));
  return names.map((name) => name.toLowerCase().replace(/['’]s$|[._/-]+$/u, ""));
}

/** Places where more went than came: that is no rewording of each, it is a cut, and cuts need reasons. Equals are one. */
function countCuts(dropped: readonly Fact[], fresh: readonly Fact[], placeOf: (fact: Fact) => string): Set<string> {
  const balance = new Map<string, number>();
  const count = (fact: Fact, by: number) => balance.set(placeOf(fact), (balance.get(placeOf(fact)) ?? 0) + by);
  for (const fact of new Map(dropped.map((each) => [each.name, each])).values()) count(fact, 1);
  for (const fact of fresh) count(fact, -1);
  return new Set([...balance].filter(([, more]) => more > 0).map(([place]) => place));
}

/** Names the gap in which a fact stands: behind which fact that both versions have, in order. */
function createPlaces(base: readonly Fact[], proposed: readonly Fact[]): (fact: Fact) => string {
  const common = align(base.map(nameOf), proposed.map(nameOf));
  const places = new Map<Fact, string>();
  const shared = new Map([...common].flatMap((place, index) => (place < 0 ? [] : [[place, index] as const])));
  const walk = (facts: readonly Fact[], gapOf: (index: number) => number | undefined): void => {
    let gap = "";
    for (const [index, fact] of facts.entries()) {
      const known = gapOf(index);
      if (known === undefined) places.set(fact, gap);
      else gap = String(known);
    }
  };
  walk(base, (index) => ((common[index] ?? -1) < 0 ? undefined : index));
  walk(proposed, (index) => shared.get(index));
  return (fact) => places.get(fact) ?? "";
}
