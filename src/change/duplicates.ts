import type { Fact } from "./read-outline.ts";

/** A fact that says what another one says, and so can go. */
export interface Duplicate {
  dropped: Fact;
  kept: Fact;
}

// Words without which a fact says the same. No prepositions and no "not": they turn a fact into another.
const EMPTY_WORDS = new Set(["a", "an", "the", "user", "also", "really", "very", "that"]);
// What may follow a fact that is told again with more: "Lives in Lisbon" and "Lives in Lisbon since May".
const GOES_ON = /^(?:[,;(:–—]|\s+(?:since|because|and|with|together|as of|especially|ever since)\b)/i;

/**
 * Finds facts that are told twice: in the same words but for case, order of articles, endings and punctuation; or again
 * with more, where the longer one stays. Whatever might mean something else is left alone.
 */
export function findDuplicates(facts: readonly Fact[]): Duplicate[] {
  const duplicates: Duplicate[] = [];
  const kept: Fact[] = [];
  for (const [index, fact] of facts.entries()) {
    const hasChildren = facts[index + 1]?.path.at(-1) === fact.text;
    const same = kept.find(
      (other) => isNear(other, fact) && (isSame(other.text, fact.text) || extendsFact(other.text, fact.text)),
    );
    if (same && !hasChildren) {
      duplicates.push({ dropped: fact, kept: same });
      continue;
    }
    const shorter = kept.findIndex(
      (other) => isNear(other, fact) && extendsFact(fact.text, other.text) && !isParent(facts, other),
    );
    const before = kept[shorter];
    if (before) {
      duplicates.push({ dropped: before, kept: fact });
      kept.splice(shorter, 1);
    }
    kept.push(fact);
  }
  // What was kept may have made way for a longer one since.
  return duplicates.map(({ dropped, kept: by }) => ({ dropped, kept: finalOf(by, duplicates) }));
}

function finalOf(fact: Fact, duplicates: readonly Duplicate[]): Fact {
  const next = duplicates.find(({ dropped }) => dropped === fact);
  return next ? finalOf(next.kept, duplicates) : fact;
}

/** Under "## Ana" and "## Ben" the same words are two facts; under headings that say nothing they are one. */
function isNear(one: Fact, other: Fact): boolean {
  const isSamePlace = one.path.join("\n").toLowerCase() === other.path.join("\n").toLowerCase();
  return isSamePlace || (isPlain(one) && isPlain(other));
}

function isPlain({ path }: Fact): boolean {
  return path.every((heading) => PLAIN_HEADING.test(heading));
}

const PLAIN_HEADING =
  /^(?:(?:long-term )?memory|facts|notes|misc\w*|other|general|user(?: information)?|important notes)$/i;

function isParent(facts: readonly Fact[], fact: Fact): boolean {
  return facts[facts.indexOf(fact) + 1]?.path.at(-1) === fact.text;
}

function isSame(one: string, other: string): boolean {
  return essence(one) === essence(other);
}

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

/** Whether `longer` is `shorter`, word for word, and then goes on. */
function extendsFact(longer: string, shorter: string): boolean {
  const start = shorter.replace(/[.!]+$/, "");
  if (start.length < 8 || longer.length <= start.length) return false;
  return longer.toLowerCase().startsWith(start.toLowerCase()) && GOES_ON.test(longer.slice(start.length));
}
