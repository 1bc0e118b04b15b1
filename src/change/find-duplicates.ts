import type { Fact } from "./read-outline.ts";
import { trimEnd } from "../language/trim-end.ts";

/** A fact that says what another one says, and so can go. */
export interface Duplicate {
  dropped: Fact;
  kept: Fact;
}

// Words without which a fact says the same. No prepositions and no "not": they turn a fact into another.
const EMPTY_WORDS = new Set(["a", "an", "the", "user", "also", "really", "very", "that"]);
// What may follow a fact that is told again with more: "Lives in Lisbon" and "Lives in Lisbon since May".
const GOES_ON = /[,;(:–—]|(?<!\s)\s+(?:since|because|and|with|together|as of|especially|ever since)\b/gi;

/**
 * Finds facts that are told twice: in the same words but for case, order of articles, endings and punctuation; or again
 * with more, where the longer one stays. Whatever might mean something else is left alone.
 */
export function findDuplicates(facts: readonly Fact[]): Duplicate[] {
  const duplicates: Duplicate[] = [];
  const kept = createKept();
  const parents = new Set(facts.filter((fact, index) => facts[index + 1]?.path.at(-1) === fact.text));
  for (const fact of facts) {
    const same = kept.findSame(fact);
    if (same && !parents.has(fact)) {
      duplicates.push({ dropped: fact, kept: same });
      continue;
    }
    const shorter = kept.findShorter(fact, (other) => !parents.has(other));
    if (shorter) {
      duplicates.push({ dropped: shorter, kept: fact });
      kept.remove(shorter);
    }
    kept.add(fact);
  }
  // What was kept may have made way for a longer one since.
  const heirs = new Map(duplicates.map(({ dropped, kept: by }) => [dropped, by] as const));
  return duplicates.map(({ dropped, kept: by }) => ({ dropped, kept: finalOf(by, heirs) }));
}

function finalOf(fact: Fact, heirs: ReadonlyMap<Fact, Fact>): Fact {
  let last = fact;
  for (let next = heirs.get(last); next !== undefined; next = heirs.get(last)) last = next;
  return last;
}

// A fact that is shorter than this says too little to be told again with more.
const SHORTEST_FACT = 8;
// A fact that is longer is a document, and goes on at every comma.
const LONGEST_FACT = 4000;

/**
 * The facts that stay, found by what they say and by how they begin: up to where a fact goes on, it may be another one.
 * The earliest comes first.
 */
function createKept() {
  const bySense = createIndex((fact) => [essence(fact.text)]);
  const byWords = createIndex((fact) => [wordsOf(fact.text)]);
  const byHead = createIndex((fact) => headsOf(fact.text));
  const indexes = [bySense, byWords, byHead];
  const order = new Map<Fact, number>();
  const isEarlier = (one: Fact, other: Fact) => (order.get(one) ?? 0) - (order.get(other) ?? 0);
  return {
    add(fact: Fact): void {
      order.set(fact, order.size);
      for (const index of indexes) index.add(fact);
    },
    remove(fact: Fact): void {
      for (const index of indexes) index.remove(fact);
    },
    /** One that says the same, or the same and more. */
    findSame(fact: Fact): Fact | undefined {
      const found = [...bySense.find(fact, essence(fact.text)), ...byHead.find(fact, wordsOf(fact.text))];
      return found.toSorted(isEarlier)[0];
    },
    /** One that this fact tells again with more. */
    findShorter(fact: Fact, isFree: (other: Fact) => boolean): Fact | undefined {
      const found = headsOf(fact.text).flatMap((head) => [...byWords.find(fact, head)]);
      return found.filter(isFree).toSorted(isEarlier)[0];
    },
  };
}

/** Finds facts under the same headings by a part of their text. */
function createIndex(keysOf: (fact: Fact) => readonly string[]) {
  const facts = new Map<string, Set<Fact>>();
  return {
    add(fact: Fact): void {
      for (const key of keysOf(fact)) {
        const known = facts.get(placed(fact, key)) ?? new Set();
        facts.set(placed(fact, key), known.add(fact));
      }
    },
    remove(fact: Fact): void {
      for (const key of keysOf(fact)) facts.get(placed(fact, key))?.delete(fact);
    },
    find: (fact: Fact, key: string): Iterable<Fact> => facts.get(placed(fact, key)) ?? [],
  };
}

function placed(fact: Fact, key: string): string {
  return `${placeKey(fact)}\n\n${key}`;
}

function wordsOf(text: string): string {
  return trimEnd(text, /[.!]/).toLowerCase();
}

/** What a fact says up to each place where it goes on. */
function headsOf(text: string): string[] {
  if (text.length > LONGEST_FACT) return [];
  const ends = [...text.matchAll(GOES_ON)].map(({ index }) => index).filter((end) => end >= SHORTEST_FACT);
  return ends.map((end) => text.slice(0, end).toLowerCase());
}

/** Under "## Ana" and "## Ben" the same words are two facts; under headings that say nothing they are one. */
function placeKey(fact: Fact): string {
  return isPlainPath(fact.path) ? "" : fact.path.join("\n").toLowerCase();
}

/** Whether headings say nothing of whom the facts below them are about. */
export function isPlainPath(path: readonly string[]): boolean {
  return path.every((heading) => PLAIN_HEADING.test(heading));
}

const PLAIN_HEADING =
  /^(?:(?:long-term )?memory|facts|notes|misc\w*|other|general|user(?: information)?|important notes)$/i;

/** The words in their order, folded and lightly stemmed. */
function essence(text: string): string {
  const folded = text
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/['’]s\b/g, "");
  const words = folded.match(/[\p{L}\p{N}]+(?:[.,:'’/@_-][\p{L}\p{N}]+)*/gu) ?? [];
  return words
    .filter((word) => !EMPTY_WORDS.has(word))
    .map((word) => (word.length < 5 || /\d/.test(word) ? word : word.replace(/(?:ing|s)$/, "")))
    .join(" ");
}
