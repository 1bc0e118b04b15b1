import { oneLine } from "../language/one-line.ts";
import { containment, keyWords } from "../language/similarity.ts";
import type { Edit } from "../history/edit.ts";
import { compareFacts } from "./compare-facts.ts";
import { addition, removal, replacement } from "./edits-between.ts";
import type { Trace } from "./edits-between.ts";
import { namesOf, pairRewordings } from "./pair-rewordings.ts";
import { nameOf, readOutline } from "./read-outline.ts";
import type { Fact } from "./read-outline.ts";

/** A fact that the model says it took out, and why. */
export interface Removal {
  fact: string;
  reason: string;
}

/** What a proposal comes to. */
export interface ProposedEdits {
  edits: Edit[];
  /** The proposal left out more than half of what it was shown. */
  isShrunken: boolean;
}

// A model names what it took out in nearly the words that it was shown; measured on the answers in test/consolidation.
const SAME_WORDS = 0.8;

/**
 * The three-way merge: `base` is what the model was shown, `current` what is on the disk now. The model's additions,
 * rewordings and reasoned removals become edits of `current`; whatever it dropped without a reason stays, and so does
 * what others changed meanwhile.
 */
export function planProposal(
  base: string,
  proposed: string,
  current: string,
  removals: readonly Removal[] = [],
  trace: Trace = () => null,
): ProposedEdits {
  const shown = readOutline(base).facts;
  const answer = readOutline(proposed);
  const present = readOutline(current).facts;
  const { gone: dropped, fresh } = compareFacts(shown, answer.facts);
  const onDisk = presentPlaces(shown, present);
  const reasons = assignReasons(dropped, removals);
  const unique = [...new Map(fresh.map((fact) => [nameOf(fact), fact])).values()];
  const pairs = pairRewordings({ base: shown, proposed: answer.facts, dropped, fresh: unique }, (fact) =>
    reasons.has(fact),
  );
  const replaced = new Set(pairs.map(({ before }) => before));
  const replacing = new Set(pairs.map(({ after }) => after));
  const ours = new Set(onDisk.values());
  const theirs = new Set(present.filter((fact) => !ours.has(fact)).map(nameOf));

  const edits: Edit[] = [];
  for (const { before, after } of pairs) {
    const fact = onDisk.get(before);
    if (!fact) continue;
    // Someone said the same meanwhile: the old fact makes way for theirs.
    if (theirs.has(nameOf({ path: fact.path, text: after.text }))) edits.push(removal(fact, "reworded", after.text));
    else edits.push(replacement(fact, after, reasons.get(before) ?? "reworded", trace(after.text, after)));
  }
  for (const fact of dropped) {
    const reason = reasons.get(fact);
    const there = onDisk.get(fact);
    if (replaced.has(fact) || reason === undefined || !there) continue;
    edits.push(removal(there, reason));
  }
  for (const fact of unique) {
    if (replacing.has(fact) || theirs.has(nameOf(fact))) continue;
    edits.push(addition(fact, answer, trace(fact.text, fact)));
  }
  return { edits, isShrunken: dropped.length > Math.max(1, shown.length / 2) };
}

/** Where each fact that the model was shown stands now. */
function presentPlaces(shown: readonly Fact[], present: readonly Fact[]): Map<Fact, Fact> {
  const { kept, moved } = compareFacts(shown, present);
  return new Map([...kept, ...moved]);
}

/** Which dropped fact a reason is for: exactly one, the one in the same words, else the likest that says the same names. */
function assignReasons(dropped: readonly Fact[], removals: readonly Removal[]): Map<Fact, string> {
  const reasons = new Map<Fact, string>();
  const given = removals
    .map(({ fact, reason }) => ({ named: oneLine(fact).replace(/^(?:[-*+]|\d+[.)])\s+/, ""), reason: reason.trim() }))
    .filter(({ reason }) => reason !== "");
  const open = given.filter(({ named, reason }) => {
    const fact = dropped.find((each) => each.text === named && !reasons.has(each));
    if (fact) reasons.set(fact, reason);
    return !fact;
  });
  for (const { named, reason } of open) {
    const likest = dropped
      .filter((fact) => !reasons.has(fact) && saysTheSameNames(fact.text, named))
      .map((fact) => ({ fact, score: likeness(fact.text, named) }))
      .toSorted((one, other) => other.score - one.score)[0];
    if (likest && likest.score >= SAME_WORDS) reasons.set(likest.fact, reason);
  }
  return reasons;
}

function likeness(one: string, other: string): number {
  const [words, named] = [keyWords(one), keyWords(other)];
  return Math.min(
    containment(words, named, () => 1),
    containment(named, words, () => 1),
  );
}

/** "Backup key 1" and "Backup key 2" share most of their words, and are two. */
function saysTheSameNames(one: string, other: string): boolean {
  return numbersIn(one) === numbersIn(other);
}

function numbersIn(text: string): string {
  const numbers = namesOf(text).filter((name) => /\d/.test(name));
  return numbers.toSorted().join(" ");
}
