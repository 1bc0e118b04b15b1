import type { KeywordScores } from "./keyword-scores.ts";
import type { Likeness } from "./cosines.ts";
import type { Candidate, Gathered, Question } from "./search.ts";
import { measureText } from "./split-text.ts";
import { hasTimeFilter, passes } from "./unit.ts";
import type { Unit, Units } from "./unit.ts";
import type { WordScores } from "./word-scores.ts";

const NEIGHBOURHOOD = 3;
const MOST_BY_KEYWORD = 400;
// Measured: with fewer, what stands beside good matches is missed; with more, chance likeness outweighs words.
const MOST_BY_VECTOR = 200;
// However often something was asked, it takes no place of what was said.
const MOST_ASKED = 50;
// What someone wants to hold for whatever they ask may share no word with a question.
const MOST_STANDING = 20;
// So many of the likest passages are looked at: some are pieces of one message, some were only asked.
const LIKEST = 8 * MOST_BY_VECTOR;
// A narrow filter may let few of the likest through: then so many times more are looked at, and then all that it allows.
const MANY_MORE = 8;

/** Picks the units worth ranking: the best by words, the best by meaning, and those beside them. */
export function gatherCandidates(
  units: Units,
  question: Question,
  keywords: KeywordScores,
  likeness: Likeness | undefined,
): Omit<Gathered, "mode" | "notes"> {
  const { scores } = keywords;
  const isAllowed = (unit: Unit) => passes(unit, question.filter);
  const byKeyword = bestByKeyword(units, scores, isAllowed, question);
  const liked = likeness ? bestByVector(units, likeness, isAllowed, question) : [];
  const byVector = liked.filter(mayTell);
  const seeds = new Set([
    ...pick(byKeyword, (unit) => mayTell(unit) && isAllowed(unit), MOST_BY_KEYWORD),
    ...byVector.slice(0, MOST_BY_VECTOR),
    ...pick(byKeyword, (unit) => !mayTell(unit) && isAllowed(unit), MOST_ASKED),
    ...pick(liked, (unit) => !mayTell(unit), MOST_ASKED),
    ...pick(liked, (unit) => unit.isStanding, MOST_STANDING),
    ...pickOfInterest(byKeyword, byVector, question, isAllowed),
  ]);
  const undated = hasTimeFilter(question.filter)
    ? pick(byKeyword.slice(0, MOST_BY_KEYWORD), (unit) => isUndated(unit, question), Infinity).length
    : 0;
  const whole = units.around(seeds, NEIGHBOURHOOD);
  const floorUnit = byVector[Math.min(MOST_BY_VECTOR, byVector.length) - 1];
  const candidates = describe(whole, scores, likeness, isAllowed);
  // Its cosine with all of its passages.
  const floor = floorUnit && candidates[whole.findIndex(({ key }) => key === floorUnit.key)]?.similarity;
  return {
    candidates,
    keywordCeiling: keywords.ceiling,
    known: keywords.known,
    similarityFloor: floor ?? -1,
    questionSize: measureText(question.text),
    forms: keywords.terms.map(({ forms }) => forms),
    words: keywords.terms.length,
    terms: keywords.terms.flatMap((term) => [...term.forms]),
    undated,
  };
}

/** Units by BM25, best first; only as many as matter, unless a time or a filter may want those further down. */
function bestByKeyword(
  units: Units,
  scores: WordScores,
  isAllowed: (unit: Unit) => boolean,
  { isOfInterest, filter }: Question,
): Unit[] {
  const isNarrow = isOfInterest !== undefined || hasTimeFilter(filter);
  const found = new Set<Unit>();
  let telling = 0;
  for (const place of bestFirst(scores)) {
    if (!isNarrow && telling >= MOST_BY_KEYWORD + MOST_ASKED) break;
    const unit = units.ofPassage(scores.passageAt(place));
    if (!unit || found.has(unit)) continue;
    found.add(unit);
    if (mayTell(unit) && isAllowed(unit)) telling++;
  }
  return [...found];
}

// Of thousands only the best are looked at, as a rule: then the others need not be put in order.
const SORTED_FIRST = 1500;

/** The places of passages by their totals, the best first; of equal ones the first. */
function* bestFirst(scores: WordScores): Generator<number> {
  const { size } = scores;
  const inOrder = (one: number, other: number) => scores.totalAt(other) - scores.totalAt(one) || one - other;
  const least = size > 2 * SORTED_FIRST ? reachedBy(scores, SORTED_FIRST) : -Infinity;
  const [first, others]: [number[], number[]] = [[], []];
  for (let place = 0; place < size; place++) (scores.totalAt(place) >= least ? first : others).push(place);
  yield* first.toSorted(inOrder);
  yield* others.toSorted(inOrder);
}

/** A total that about so many reach. */
function reachedBy(scores: WordScores, count: number): number {
  const sample = new Float64Array(Math.ceil(scores.size / SAMPLE_STEP));
  for (let index = 0; index < sample.length; index++) sample[index] = scores.totalAt(index * SAMPLE_STEP);
  return sample.toSorted()[sample.length - 1 - Math.floor(count / SAMPLE_STEP)] ?? -Infinity;
}

const SAMPLE_STEP = 8;

function mayTell({ kind }: Unit): boolean {
  return kind === "statement" || kind === "both";
}

function pick(units: readonly Unit[], isWanted: (unit: Unit) => boolean, most: number): Unit[] {
  const picked: Unit[] = [];
  for (const unit of units) {
    if (picked.length >= most) break;
    if (isWanted(unit)) picked.push(unit);
  }
  return picked;
}

function pickOfInterest(
  byKeyword: readonly Unit[],
  byVector: readonly Unit[],
  { isOfInterest }: Question,
  isAllowed: (unit: Unit) => boolean,
): Unit[] {
  if (!isOfInterest) return [];
  const isWanted = (unit: Unit) => unit.wallMs !== undefined && isOfInterest(unit.wallMs) && isAllowed(unit);
  return [...pick(byKeyword, isWanted, MOST_BY_KEYWORD), ...pick(byVector, isWanted, MOST_BY_VECTOR)];
}

/** Units by cosine, best first: enough of them, not all in order. */
function bestByVector(
  units: Units,
  likeness: Likeness,
  isAllowed: (unit: Unit) => boolean,
  { filter, isOfInterest }: Question,
): Unit[] {
  // Further down nothing is liker than chance; only a time that is asked for may want it.
  const most = isOfInterest ? Infinity : MOST_BY_VECTOR;
  for (const count of [LIKEST, LIKEST * MANY_MORE]) {
    const passages = likeness.likest(count);
    const found = unitsOf(units, passages, isAllowed, most);
    if (found.length >= MOST_BY_VECTOR || passages.length < count) return found;
  }
  const passages = units
    .allowed(filter)
    .map((passage) => ({ passage, cosine: likeness.cosineOf(passage) ?? -1 }))
    .toSorted((one, other) => other.cosine - one.cosine)
    .slice(0, LIKEST);
  return unitsOf(
    units,
    passages.map(({ passage }) => passage),
    isAllowed,
    most,
  );
}

/** The units of passages in their order, until so many of them may tell something. */
function unitsOf(units: Units, passages: readonly number[], isAllowed: (unit: Unit) => boolean, most: number): Unit[] {
  const found = new Set<Unit>();
  let telling = 0;
  for (const passage of passages) {
    const unit = units.ofPassage(passage);
    if (!unit || found.has(unit) || !isAllowed(unit)) continue;
    found.add(unit);
    if (mayTell(unit) && ++telling >= most) break;
  }
  return [...found];
}

function isUndated(unit: Unit, { filter: { project, scopes } }: Question): boolean {
  return unit.wallMs === undefined && passes(unit, { project, scopes });
}

function describe(
  units: readonly Unit[],
  scores: WordScores,
  likeness: Likeness | undefined,
  isAllowed: (unit: Unit) => boolean,
): Candidate[] {
  return units.map((unit, position) => {
    const liked = likest(unit, likeness);
    const worded = bestWorded(unit, scores);
    return {
      passage: (worded < 0 ? liked : scores.passageAt(worded)) ?? unit.passages[0] ?? 0,
      source: unit.source,
      ordinal: unit.ordinal,
      wallMs: unit.wallMs,
      voice: unit.voice,
      kind: unit.kind,
      isStanding: unit.isStanding,
      speaker: unit.speaker,
      size: unit.size,
      words: worded < 0 ? NO_WORDS : scores.scoresAt(worded),
      similarity: liked === undefined ? undefined : likeness?.cosineOf(liked),
      isAllowed: isAllowed(unit),
      // Those of a source come in the order of their places.
      previous: unit.ordinal > 0 && units[position - 1]?.key === unit.key - 1 ? position - 1 : undefined,
      next: units[position + 1]?.key === unit.key + 1 ? position + 1 : undefined,
    };
  });
}

const NO_WORDS: readonly number[] = [];

/** The place of its passage whose words are worth most; -1 if it has none of them. */
function bestWorded({ passages }: Unit, scores: WordScores): number {
  let best = -1;
  let most = 0;
  for (const passage of passages) {
    const place = scores.placeOf(passage);
    const total = place < 0 ? 0 : scores.totalAt(place);
    if (total > most) [best, most] = [place, total];
  }
  return best;
}

/** Its passage that is likest. */
function likest({ passages }: Unit, likeness: Likeness | undefined): number | undefined {
  let best: number | undefined;
  let most = -Infinity;
  for (const passage of passages) {
    const cosine = likeness?.cosineOf(passage);
    if (cosine !== undefined && cosine > most) [best, most] = [passage, cosine];
  }
  return best;
}
