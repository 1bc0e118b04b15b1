import { oneLine, parseFacts } from "../files/facts.ts";
import type { Fact } from "../files/facts.ts";
import { containment, createWeights, keyWords } from "../files/similarity.ts";
import { editFacts } from "./edit-facts.ts";
import type { Edit } from "./edit-facts.ts";

/** A fact that the model says it took out, and why. */
export interface Removal {
  fact: string;
  reason: string;
}

/** What will happen to MEMORY.md. */
export interface Plan {
  text: string;
  added: string[];
  reworded: { before: string; after: string }[];
  retired: Removal[];
  /** Facts that the proposal dropped without a reason; they stay. */
  rescued: string[];
  kept: number;
}

// Tried on rewordings and on plain drops: in its own place a third of a fact's weight is enough to know it again;
// elsewhere the new fact must say nearly all that the old one said, or something would be lost.
const SAME_PLACE = 0.3;
const ELSEWHERE = 0.8;
const SAME_FACT = 0.8;

/**
 * The three-way merge: `base` is what the model was shown, `current` what is on the disk now. The model's additions,
 * rewordings and reasoned removals are applied to `current`; whatever it dropped without a reason stays, and so does
 * what others changed meanwhile.
 */
export function planMemory(
  base: string,
  proposed: string,
  current: string,
  removals: readonly Removal[] = [],
  isWelcome: (fact: Fact, isShrunken: boolean) => boolean = () => true,
): Plan {
  const baseFacts = parseFacts(base);
  const proposedFacts = uniqueFacts(parseFacts(proposed));
  const currentFacts = parseFacts(current);
  const dropped = uniqueFacts(baseFacts).filter(({ text }) => !has(proposedFacts, text));
  const isShrunken = dropped.length > Math.max(1, baseFacts.length / 2);
  const fresh = proposedFacts.filter((fact) => !has(baseFacts, fact.text) && isWelcome(fact, isShrunken));

  const isReasoned = (fact: Fact) => reasonFor(fact.text, removals) !== undefined;
  const reworded = pairRewordings(baseFacts, proposedFacts, dropped, fresh, isReasoned);
  const replacements = new Map(reworded.map(({ before, after }) => [before.text, after]));
  const retired = dropped.flatMap((fact) => {
    const reason = replacements.has(fact.text) ? undefined : reasonFor(fact.text, removals);
    return reason === undefined || !has(currentFacts, fact.text) ? [] : [{ fact: fact.text, reason }];
  });
  const applied = reworded.filter(({ before }) => has(currentFacts, before.text));
  const replacing = new Set(applied.map(({ after }) => after.text));
  // A rewording of what someone else changed meanwhile is one more fact: theirs stays as they wrote it.
  const added = fresh.filter((fact) => !replacing.has(fact.text) && !has(currentFacts, fact.text));
  const edits: Edit[] = [
    ...applied.map(({ before, after }): Edit =>
      has(currentFacts, after.text)
        ? { kind: "remove", text: before.text }
        : { kind: "replace", text: before.text, by: after.text },
    ),
    ...retired.map(({ fact }): Edit => ({ kind: "remove", text: fact })),
    ...added.map((fact): Edit => ({ kind: "add", fact, after: precedingFact(proposedFacts, fact) })),
  ];
  const gone = new Set([...retired.map(({ fact }) => fact), ...replacements.keys()]);
  return {
    text: editFacts(current, edits, proposed),
    added: added.map(({ text }) => text),
    reworded: applied.map(({ before, after }) => ({ before: before.text, after: after.text })),
    retired,
    rescued: dropped.map(({ text }) => text).filter((text) => !gone.has(text) && has(currentFacts, text)),
    kept: currentFacts.filter(({ text }) => !gone.has(text)).length,
  };
}

/** Whether a plan takes out more than may go without asking. One fact always may, but never the last. */
export function losesTooMuch(plan: Plan, base: string, maxLoss: number): boolean {
  if (plan.retired.length === 0) return false;
  const allowed = Math.max(1, Math.floor(parseFacts(base).length * maxLoss));
  return plan.retired.length > allowed || parseFacts(plan.text).length === 0;
}

interface Rewording {
  before: Fact;
  after: Fact;
}

/** Finds which dropped fact a new one replaces: one to one, the surest first. */
function pairRewordings(
  baseFacts: readonly Fact[],
  proposedFacts: readonly Fact[],
  dropped: readonly Fact[],
  fresh: readonly Fact[],
  isReasoned: (fact: Fact) => boolean,
): Rewording[] {
  if (dropped.length === 0 || fresh.length === 0) return [];
  const weigh = createWeights([...baseFacts, ...fresh].map(({ text }) => text));
  const placeOf = createPlaces(baseFacts, proposedFacts);
  const places = Map.groupBy([...dropped, ...fresh], placeOf);
  const candidates = dropped.flatMap((before) =>
    fresh.flatMap((after) => {
      const here = places.get(placeOf(before)) ?? [];
      const droppedHere = here.filter((fact) => dropped.includes(fact)).length;
      // More lines gone than come is no rewording of each: it is a cut, and cuts need reasons.
      const isSamePlace = placeOf(before) === placeOf(after) && droppedHere <= here.length - droppedHere;
      const score = likeness(before, after, weigh);
      // With a reason given, any common word tells which of the new facts took its place.
      const enough = isSamePlace ? (isReasoned(before) ? 0.01 : SAME_PLACE) : ELSEWHERE;
      return score.old >= enough ? [{ before, after, score: score.old + score.new }] : [];
    }),
  );
  const pairs: Rewording[] = [];
  for (const { before, after } of candidates.toSorted((one, other) => other.score - one.score)) {
    if (!pairs.some((pair) => pair.before === before || pair.after === after)) pairs.push({ before, after });
  }
  return pairs;
}

function likeness(before: Fact, after: Fact, weigh: (word: string) => number): { old: number; new: number } {
  const old = keyWords(before.text);
  const next = keyWords(after.text);
  return { old: containment(old, next, weigh), new: containment(next, old, weigh) };
}

/** Names the gap in which a fact stands: between which facts that both versions have, in order. */
function createPlaces(base: readonly Fact[], proposed: readonly Fact[]): (fact: Fact) => string {
  const common = new Set(
    commonRun(
      base.map(({ text }) => text),
      proposed.map(({ text }) => text),
    ),
  );
  const places = new Map<Fact, string>();
  for (const facts of [base, proposed]) {
    let previous = "";
    for (const fact of facts) {
      if (common.has(fact.text)) previous = fact.text;
      else places.set(fact, previous);
    }
  }
  return (fact) => places.get(fact) ?? "";
}

/** A longest common subsequence. */
function commonRun(one: readonly string[], other: readonly string[]): string[] {
  const lengths = Array.from({ length: one.length + 1 }, () => new Uint32Array(other.length + 1));
  const at = (row: number, column: number) => lengths[row]?.[column] ?? 0;
  for (let row = one.length - 1; row >= 0; row--) {
    for (let column = other.length - 1; column >= 0; column--) {
      const longest =
        one[row] === other[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
      lengths[row]?.fill(longest, column, column + 1);
    }
  }
  const common: string[] = [];
  for (let row = 0, column = 0; row < one.length && column < other.length;) {
    if (one[row] === other[column]) {
      common.push(one[row] ?? "");
      row++;
      column++;
    } else if (at(row + 1, column) >= at(row, column + 1)) row++;
    else column++;
  }
  return common;
}

function reasonFor(text: string, removals: readonly Removal[]): string | undefined {
  const words = keyWords(text);
  const found = removals.find(({ fact, reason }) => {
    if (reason.trim() === "") return false;
    const named = oneLine(fact).replace(/^[-*+]\s+/, "");
    if (named === text) return true;
    const namedWords = keyWords(named);
    return containment(words, namedWords, evenly) >= SAME_FACT && containment(namedWords, words, evenly) >= SAME_FACT;
  });
  return found?.reason.trim();
}

function evenly(): number {
  return 1;
}

function has(facts: readonly Fact[], text: string): boolean {
  return facts.some((fact) => fact.text === text);
}

/** The fact after which another stands, if both stand in the same section. */
export function precedingFact(facts: readonly Fact[], fact: Fact): string | undefined {
  const index = facts.indexOf(fact);
  const before = facts[index - 1];
  return before && before.path.join("\n") === fact.path.join("\n") ? before.text : undefined;
}

function uniqueFacts(facts: readonly Fact[]): Fact[] {
  return facts.filter((fact, index) => facts.findIndex(({ text }) => text === fact.text) === index);
}
