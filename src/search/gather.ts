import type { Catalogue, Unit } from "./catalogue.ts";
import type { KeywordScores } from "./keyword-scores.ts";
import { measureText } from "./split-text.ts";
import type { Likeness } from "./vector-rows.ts";
import type { Candidate, Gathered, Question, SearchFilter } from "./search.ts";

const NEIGHBOURHOOD = 3;
const MOST_BY_KEYWORD = 400;
// Measured: with fewer, what stands beside good matches is missed; with more, chance likeness outweighs words.
const MOST_BY_VECTOR = 200;
// However often something was asked, it takes no place of what was said.
const MOST_ASKED = 50;
const BUCKETS = 4_096;

interface Found {
  keyword: number;
  passage: number;
}

/** Picks the units worth ranking: the best by words, the best by meaning, and those beside them. */
export function gatherCandidates(
  catalogue: Catalogue,
  question: Question,
  keywords: KeywordScores,
  vectors: Likeness | undefined,
): Omit<Gathered, "mode" | "notes"> {
  const found = bestPassages(catalogue, keywords);
  const isAllowed = (unit: Unit) => unit.isAlive && passes(unit, question.filter);
  const byKeyword = bestByKeyword(found, isAllowed, question);
  const liked = vectors ? bestByVector(catalogue, vectors.similarity, isAllowed) : [];
  const byVector = liked.filter(mayTell);
  const seeds = new Set([
    ...pick(byKeyword, (unit) => mayTell(unit) && isAllowed(unit), MOST_BY_KEYWORD),
    ...byVector.slice(0, MOST_BY_VECTOR),
    ...pick(byKeyword, (unit) => !mayTell(unit) && isAllowed(unit), MOST_ASKED),
    ...pick(liked, (unit) => !mayTell(unit), MOST_ASKED),
    ...pickOfInterest(byKeyword, byVector, question, isAllowed),
  ]);
  const undated = hasTimeFilter(question.filter)
    ? pick(byKeyword.slice(0, MOST_BY_KEYWORD), (unit) => isUndated(unit, question.filter), Infinity).length
    : 0;
  const floorUnit = byVector[Math.min(MOST_BY_VECTOR, byVector.length) - 1];
  return {
    candidates: describe(withNeighbours(seeds), found, keywords, vectors, isAllowed),
    keywordCeiling: keywords.ceiling,
    known: keywords.known,
    similarityFloor: floorUnit ? (vectors?.similarity[floorUnit.number] ?? -1) : -1,
    questionSize: measureText(question.text),
    forms: keywords.terms.map(({ forms }) => forms),
    words: keywords.terms.length,
    terms: keywords.terms.flatMap((term) => [...term.forms]),
    undated,
  };
}

/** For each unit with words of the question its best passage. */
function bestPassages(catalogue: Catalogue, keywords: KeywordScores): Map<Unit, Found> {
  const totals = new Map<number, number>();
  for (const scores of keywords.words) {
    for (const [passage, score] of scores) totals.set(passage, (totals.get(passage) ?? 0) + score);
  }
  const found = new Map<Unit, Found>();
  for (const [passage, keyword] of totals) {
    const unit = catalogue.unitOf(passage);
    if (unit?.isAlive && keyword > (found.get(unit)?.keyword ?? 0)) found.set(unit, { keyword, passage });
  }
  return found;
}

/** Units by BM25, best first; only as many as matter, unless a time or a filter may want those further down. */
function bestByKeyword(
  found: ReadonlyMap<Unit, Found>,
  isAllowed: (unit: Unit) => boolean,
  { isOfInterest, filter }: Question,
): Unit[] {
  const isNarrow = isOfInterest !== undefined || hasTimeFilter(filter);
  const scores = new Float32Array(isNarrow ? 0 : found.size);
  let position = 0;
  if (!isNarrow) {
    found.forEach(({ keyword }, unit) => (scores[position++] = isAllowed(unit) && mayTell(unit) ? keyword : 0));
  }
  const threshold = isNarrow ? -Infinity : thresholdFor(scores, MOST_BY_KEYWORD + MOST_ASKED);
  const above: Unit[] = [];
  found.forEach(({ keyword }, unit) => {
    if (keyword >= threshold) above.push(unit);
  });
  return above.toSorted((one, other) => scoreOf(found, other) - scoreOf(found, one));
}

function mayTell({ kind }: Unit): boolean {
  return kind === "statement" || kind === "both";
}

function scoreOf(found: ReadonlyMap<Unit, Found>, unit: Unit): number {
  return found.get(unit)?.keyword ?? 0;
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
function bestByVector(catalogue: Catalogue, similarity: Float32Array, isAllowed: (unit: Unit) => boolean): Unit[] {
  const threshold = thresholdFor(similarity, 8 * MOST_BY_VECTOR);
  let above = unitsAbove(catalogue, similarity, threshold).filter(isAllowed);
  // A narrow filter may let none of the likest through.
  if (above.length < MOST_BY_VECTOR && threshold > -Infinity) {
    above = unitsAbove(catalogue, similarity, -Infinity).filter(isAllowed);
  }
  return above.toSorted((one, other) => (similarity[other.number] ?? -1) - (similarity[one.number] ?? -1));
}

function unitsAbove({ units }: Catalogue, similarity: Float32Array, threshold: number): Unit[] {
  const above: Unit[] = [];
  for (let number = 0; number < similarity.length; number++) {
    const cosine = similarity[number] ?? -1;
    const unit = cosine > -1 && cosine >= threshold ? units[number] : undefined;
    if (unit) above.push(unit);
  }
  return above;
}

/** A value that at least `count` of the values reach, if there are so many; found by counting, faster than by sorting. */
function thresholdFor(values: Float32Array, count: number): number {
  if (values.length <= count) return -Infinity;
  let highest = -Infinity;
  let lowest = Infinity;
  for (const value of values) {
    if (value > highest) highest = value;
    if (value < lowest) lowest = value;
  }
  const width = (highest - lowest) / BUCKETS || 1;
  const buckets = new Uint32Array(BUCKETS + 1);
  for (const value of values) {
    const bucket = Math.floor((value - lowest) / width);
    buckets[bucket] = (buckets[bucket] ?? 0) + 1;
  }
  let seen = 0;
  for (let bucket = BUCKETS; bucket >= 0; bucket--) {
    seen += buckets[bucket] ?? 0;
    if (seen >= count) return lowest + bucket * width;
  }
  return -Infinity;
}

function passes(unit: Unit, filter: SearchFilter): boolean {
  if (filter.project !== undefined && unit.source.project !== filter.project) return false;
  // Documents belong to everyone; memory and talk to their own.
  const isShared = unit.source.path.startsWith("docs/");
  if (filter.scopes && !isShared && !filter.scopes.includes(unit.source.scope)) return false;
  if (!hasTimeFilter(filter)) return true;
  if (unit.wallMs === undefined) return false;
  return unit.wallMs >= (filter.sinceMs ?? -Infinity) && unit.wallMs <= (filter.untilMs ?? Infinity);
}

function hasTimeFilter(filter: SearchFilter): boolean {
  return filter.sinceMs !== undefined || filter.untilMs !== undefined;
}

function isUndated(unit: Unit, { project, scopes }: SearchFilter): boolean {
  return unit.isAlive && unit.wallMs === undefined && passes(unit, { project, scopes });
}

function withNeighbours(seeds: ReadonlySet<Unit>): Set<Unit> {
  const all = new Set(seeds);
  for (const seed of seeds) {
    for (let unit = seed.previous, step = 0; unit && step < NEIGHBOURHOOD; unit = unit.previous, step++) all.add(unit);
    for (let unit = seed.next, step = 0; unit && step < NEIGHBOURHOOD; unit = unit.next, step++) all.add(unit);
  }
  return all;
}

function describe(
  units: ReadonlySet<Unit>,
  found: ReadonlyMap<Unit, Found>,
  keywords: KeywordScores,
  vectors: Likeness | undefined,
  isAllowed: (unit: Unit) => boolean,
): Candidate[] {
  const positions = new Map([...units].map((unit, position) => [unit, position]));
  const positionOf = (unit: Unit | undefined) => (unit ? positions.get(unit) : undefined);
  return [...units].map((unit) => {
    const cosine = vectors?.similarity[unit.number] ?? -1;
    const likest = vectors?.passage[unit.number] ?? 0;
    const worded = found.get(unit)?.passage;
    return {
      passage: worded ?? (likest > 0 ? likest : unit.firstPassage),
      source: unit.source,
      ordinal: unit.ordinal,
      wallMs: unit.wallMs,
      voice: unit.voice,
      kind: unit.kind,
      speaker: unit.speaker,
      size: unit.size,
      words: worded === undefined ? [] : keywords.words.map((scores) => scores.get(worded) ?? 0),
      similarity: cosine > -1 ? cosine : undefined,
      isAllowed: isAllowed(unit),
      previous: positionOf(unit.previous),
      next: positionOf(unit.next),
    };
  });
}
