import { oneLine, readOutline } from "../files/facts.ts";
import type { Fact } from "../files/facts.ts";
import { containment, keyWords } from "../files/similarity.ts";
import { editFacts } from "./edit-facts.ts";
import type { Edit } from "./edit-facts.ts";
import { pairRewordings } from "./rewording.ts";

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
  const baseFacts = readOutline(base).facts;
  const proposedFacts = readOutline(proposed).facts;
  const currentFacts = readOutline(current).facts;
  const inProposal = matchFacts(baseFacts, proposedFacts);
  const onDisk = matchFacts(baseFacts, currentFacts);
  const dropped = baseFacts.filter((fact) => !inProposal.has(fact));
  const isShrunken = dropped.length > Math.max(1, baseFacts.length / 2);
  const known = new Set(inProposal.values());
  const fresh = unique(proposedFacts.filter((fact) => !known.has(fact))).filter((fact) => isWelcome(fact, isShrunken));

  const reasons = new Map(dropped.map((fact) => [fact, reasonFor(fact.text, removals)]));
  const isReasoned = (fact: Fact) => reasons.get(fact) !== undefined;
  const pairs = pairRewordings({ base: baseFacts, proposed: proposedFacts, dropped, fresh }, isReasoned);
  const reworded = pairs.filter(({ before }) => onDisk.has(before));
  const replaced = new Set(pairs.map(({ before }) => before));
  const retired = dropped.filter(
    (fact) => !replaced.has(fact) && isReasoned(fact) && onDisk.has(fact) && !hasHeirs(fact, baseFacts, inProposal),
  );
  const replacing = new Set(reworded.map(({ after }) => after));
  const theirs = others(currentFacts, onDisk);
  // A rewording of what someone else changed meanwhile is one more fact: theirs stays as they wrote it.
  const added = fresh.filter((fact) => !replacing.has(fact) && !theirs.has(fact.text));

  const edits: Edit[] = [
    ...reworded.map(({ before, after }) => rewordingEdit(onDisk.get(before) ?? before, after, theirs.has(after.text))),
    ...retired.map((fact): Edit => ({ kind: "remove", text: fact.text, path: onDisk.get(fact)?.path ?? fact.path })),
    ...added.map((fact): Edit => ({ kind: "add", fact, after: precedingFact(proposedFacts, fact) })),
  ];
  const goneCount = reworded.length + retired.length;
  return {
    text: editFacts(current, edits, proposed),
    added: added.map(({ text }) => text),
    reworded: reworded.map(({ before, after }) => ({ before: before.text, after: after.text })),
    retired: retired.map((fact) => ({ fact: fact.text, reason: reasons.get(fact) ?? "" })),
    rescued: dropped
      .filter((fact) => !replaced.has(fact) && !retired.includes(fact) && onDisk.has(fact))
      .map(({ text }) => text),
    kept: currentFacts.length - goneCount,
  };
}

/** Whether a plan takes out more than may go without asking. One fact always may, but never the last. */
export function losesTooMuch(plan: Plan, base: string, maxLoss: number): boolean {
  if (plan.retired.length === 0) return false;
  const allowed = Math.max(1, Math.floor(readOutline(base).facts.length * maxLoss));
  return plan.retired.length > allowed || readOutline(plan.text).facts.length === 0;
}

/** Which fact of `other` is which of `one`: the same words under the same headings, else the same words moved elsewhere. */
function matchFacts(one: readonly Fact[], other: readonly Fact[]): Map<Fact, Fact> {
  const matches = new Map<Fact, Fact>();
  const taken = new Set<Fact>();
  for (const keyOf of [placedKey, (fact: Fact) => fact.text]) {
    const free = Map.groupBy(
      other.filter((fact) => !taken.has(fact)),
      keyOf,
    );
    for (const fact of one) {
      if (matches.has(fact)) continue;
      const match = free.get(keyOf(fact))?.shift();
      if (!match) continue;
      matches.set(fact, match);
      taken.add(match);
    }
  }
  return matches;
}

function placedKey({ path, text }: Fact): string {
  return [...path, text].join("\n");
}

/** An item whose children stay cannot go: they would hang on to the item above it. */
function hasHeirs(parent: Fact, facts: readonly Fact[], inProposal: ReadonlyMap<Fact, Fact>): boolean {
  if (parent.lead === "") return false;
  const depth = parent.path.length + 1;
  return facts.some((fact) => fact.path.length === depth && fact.path.at(-1) === parent.text && inProposal.has(fact));
}

/** The words that stand on the disk and did not in the base: someone put them there meanwhile. */
function others(currentFacts: readonly Fact[], onDisk: ReadonlyMap<Fact, Fact>): Set<string> {
  const shown = new Set(onDisk.values());
  return new Set(currentFacts.filter((fact) => !shown.has(fact)).map(({ text }) => text));
}

function rewordingEdit(before: Fact, after: Fact, isThere: boolean): Edit {
  if (isThere) return { kind: "remove", text: before.text, path: before.path };
  return { kind: "replace", text: before.text, path: before.path, by: after.text, lines: after.lines };
}

function reasonFor(text: string, removals: readonly Removal[]): string | undefined {
  const words = keyWords(text);
  const found = removals.find(({ fact, reason }) => {
    if (reason.trim() === "") return false;
    const named = oneLine(fact).replace(/^(?:[-*+]|\d+[.)])\s+/, "");
    if (named === text) return true;
    const namedWords = keyWords(named);
    return containment(words, namedWords, evenly) >= SAME_FACT && containment(namedWords, words, evenly) >= SAME_FACT;
  });
  return found?.reason.trim();
}

function evenly(): number {
  return 1;
}

/** The fact under the same headings that comes before this one; new facts are put behind it. */
export function precedingFact(facts: readonly Fact[], fact: Fact): string | undefined {
  const before = facts.slice(0, facts.indexOf(fact)).findLast(({ path }) => path.join("\n") === fact.path.join("\n"));
  return before?.text;
}

function unique(facts: readonly Fact[]): Fact[] {
  return [...new Map(facts.toReversed().map((fact) => [placedKey(fact), fact])).values()].toReversed();
}
