import { containment, createWeights, keyWords } from "../language/similarity.ts";
import { countCuts, createPlaces } from "./create-places.ts";
import { createNearby } from "./nearby-facts.ts";
import type { Fact } from "./read-outline.ts";
import { trimEnd } from "../language/trim-end.ts";

/** An old fact and the new one that took its place. */
export interface Rewording {
  before: Fact;
  after: Fact;
}

// A new fact that says nearly all that the old one said leaves hardly anything of it behind.
const SAYS_IT_ALL = 0.79;
// Up to so many pairs each is looked at. Beyond them only the likely ones are: a person may have changed every line.
const MOST_PAIRS = 200 * 200;

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
  const weigh = remember(createWeights(base.map(({ text }) => text)));
  const readFact = remember(createReading);
  const placeOf = createPlaces(base, proposed);
  const cuts = countCuts(dropped, fresh, placeOf);
  const isSmall = dropped.length * fresh.length <= MOST_PAIRS;
  const likely = isSmall ? () => fresh : createLikely(dropped, fresh, placeOf, readFact);
  const candidates = dropped.flatMap((before) => {
    const place = placeOf(before);
    const reasoned = isReasoned(before);
    const old = readFact(before);
    return likely(before).flatMap((after) => {
      const now = readFact(after);
      const shared = containment(old.words, now.words, weigh);
      const isSamePlace = placeOf(after) === place && !cuts.has(place);
      const isReplaced = isSamePlace
        ? (reasoned && shared > 0) || keepsSubject(old, now, shared)
        : shared >= SAYS_IT_ALL && keepsNames(old, now);
      if (!isReplaced) return [];
      const score = shared + containment(now.words, old.words, weigh);
      // The same words in another order come to a sum that differs in its last digits: there the nearest is meant.
      return [{ before, after, score: isSmall ? score : Math.fround(score) }];
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

/** What is asked of a fact again and again. */
interface Reading {
  text: string;
  words: ReadonlySet<string>;
  names: ReadonlySet<string>;
  /** All of its words, as they stand. */
  spoken: readonly string[];
  subject: string | undefined;
}

function createReading({ text }: Fact): Reading {
  const names = new Set(namesOf(text));
  return { text, words: keyWords(text), names, spoken: wordsIn(text), subject: subjectOf(text) };
}

function remember<Key, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new Map<Key, Value>();
  return (key) => {
    const known = made.get(key);
    if (known !== undefined) return known;
    const value = make(key);
    made.set(key, value);
    return value;
  };
}

/** The new facts that may replace an old one: those with rare words in common in the same gap, then anywhere. */
function createLikely(
  dropped: readonly Fact[],
  fresh: readonly Fact[],
  placeOf: (fact: Fact) => string,
  readFact: (fact: Fact) => Reading,
): (fact: Fact) => Fact[] {
  const keysOf = remember((fact: Fact): readonly string[] => {
    const { words, spoken, subject } = readFact(fact);
    // Words in a row tell lines apart that are made of the same few.
    const rows = spoken.flatMap((_, at) => [spoken.slice(at, at + 2).join(" "), spoken.slice(at, at + 3).join(" ")]);
    return [...words, ...rows, ...(subject === undefined ? [] : [`${subject}:`])];
  });
  const freshIn = Map.groupBy(fresh, placeOf);
  const nearbyIn = new Map(
    [...Map.groupBy(dropped, placeOf)].map(([place, gone]) => [
      place,
      createNearby(gone, freshIn.get(place) ?? [], keysOf),
    ]),
  );
  const nearbyAnywhere = createNearby(dropped, fresh, keysOf);
  return (fact) => [...new Set([...(nearbyIn.get(placeOf(fact))?.(fact) ?? []), ...nearbyAnywhere(fact)])];
}

function keepsSubject(before: Reading, after: Reading, shared: number): boolean {
  if (before.names.size > 0) return keepsNames(before, after) ? shared > 0 : givesAnotherNumber(before, after);
  // The first word may be a name as well as a capital: "Ana keeps cats" is not about Bob.
  return shared >= SAYS_IT_ALL && after.spoken.includes(before.spoken[0] ?? "");
}

function keepsNames(before: Reading, after: Reading): boolean {
  return [...before.names].every((name) => after.names.has(name));
}

/** "Age: 34" and "Age: 35", "The budget is 500" and "The budget is 700": the same thing, another number. */
function givesAnotherNumber(before: Reading, after: Reading): boolean {
  const { subject } = before;
  if (subject === undefined || subject !== after.subject) return false;
  return /\d/.test(before.text.slice(subject.length)) && /\d/.test(after.text.slice(subject.length));
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
  return names.map((name) => {
    const word = name.toLowerCase();
    return /['’]s$/.test(word.slice(-2)) ? word.slice(0, -2) : trimEnd(word, /[._/-]/);
  });
}
