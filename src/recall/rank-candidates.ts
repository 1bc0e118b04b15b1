import type { Candidate, Gathered } from "../search/search.ts";
import { tokenise } from "../search/tokenise.ts";
import type { Period } from "./period.ts";
import { spread, spreadWords, tieNeighbours } from "./spread.ts";

/** How an old passage's score shrinks: to one half of the way to the floor with each half-life. */
export interface Decay {
  readonly halfLifeDays: number;
  readonly floor: number;
}

/** How the parts of a score are put together. */
export interface RankSettings {
  readonly vectorWeight: number;
  readonly textWeight: number;
  readonly fusion: "weighted" | "rrf";
  readonly decay: { readonly memory: Decay; readonly docs: Decay };
  /** What a passage gains from those one place away, two places away, and so on. */
  readonly neighbours: readonly number[];
  /** Factor for words of someone whom the question names. */
  readonly speaker: number;
  /** Factor for what the model itself answered. */
  readonly assistant: number;
  /** Factor for the facts in MEMORY.md. */
  readonly believed: number;
  /** Factor for what was only asked: it says what someone wanted to know, not what is so. */
  readonly question: number;
  /** What a passage from the time that the question names gains at most. */
  readonly period: number;
  /** Whether the first candidates are looked at more closely, as tools/rank has learnt it. */
  readonly learned: boolean;
}

/** What a score is made of. */
export interface ScoreParts {
  /** Words, with those of the neighbours: 1 is the best of this question. */
  readonly keyword: number;
  /** Meaning, likewise. */
  readonly vector: number;
  /** BM25 and cosine of the passage alone. */
  readonly bm25: number;
  readonly cosine: number | null;
  /** Factors: the question names who speaks, whose voice it is, its time is asked for, its age. */
  readonly speaker: number;
  readonly voice: number;
  /** Factor: whether something is said, or only asked. */
  readonly kind: number;
  readonly period: number;
  readonly age: number;
  /** What a closer look at the passage changed. */
  readonly learned: number;
}

/** A candidate with its score. */
export interface Ranked {
  readonly candidate: Candidate;
  readonly score: number;
  readonly parts: ScoreParts;
}

/** A candidate on its way to the ranker: its first score, what that is made of, and its text. */
export interface Ranking {
  readonly candidate: Candidate;
  readonly score: number;
  readonly parts: ScoreParts;
  readonly text: string;
  readonly vector: Float32Array | undefined;
}

const RRF_CONSTANT = 60;
// Found only where nothing else is: a phrase tells nothing, and the question itself is no answer to it.
const WORTHLESS = 0.01;
const SAME_QUESTION = 0.85;
const SAME_PASSAGE = 0.95;
const LONGER_THAN_ECHO = 2;
const DAY_MS = 86_400_000;

/** Candidates with their scores; only those that are asked for are put in order and described. */
export interface RankOrder {
  /** The positions of so many candidates, the best first. */
  best(count: number): number[];
  /** Likewise of those that someone wants to hold for whatever they ask. */
  standing(count: number): number[];
  describe(position: number): Ranked;
}

/** Puts the candidates in order, best first. */
export function rankCandidates(
  gathered: Gathered,
  settings: RankSettings,
  period: Period | undefined,
  nowWallMs: number,
): RankOrder {
  const { candidates } = gathered;
  const isWorthless = measureEach(candidates, (candidate) => (isPhraseOrEcho(candidate, gathered) ? 1 : 0));
  const ties = tieNeighbours(candidates, isWorthless, settings.neighbours);
  const keyword = relative(spreadWords(candidates, ties), isWorthless);
  const vector = relative(spread(likeness(gathered, isWorthless), ties), isWorthless);
  const combine =
    settings.fusion === "rrf" ? fuseByRank(keyword, vector, settings) : fuseByWeight(keyword, vector, settings);
  const terms = new Set(gathered.terms);
  const named = new Map<string, boolean>();
  const speakerOf = ({ speaker }: Candidate) => (isNamed(speaker, terms, named) ? settings.speaker : 1);
  const kindOf = ({ kind }: Candidate, position: number) =>
    isWorthless[position] ? WORTHLESS : kind === "question" ? settings.question : 1;
  const periodOf = ({ wallMs }: Candidate) =>
    1 + (period === undefined || wallMs === undefined ? 0 : settings.period * period.closeness(wallMs));
  const scores = measureEach(
    candidates,
    (candidate, position) =>
      combine(position) *
      speakerOf(candidate) *
      voiceFactor(candidate, settings) *
      kindOf(candidate, position) *
      periodOf(candidate) *
      ageFactor(candidate, settings, nowWallMs),
  );
  const passing: number[] = [];
  for (let position = 0; position < candidates.length; position++)
    if (candidates[position]?.isAllowed && (scores[position] ?? 0) > 0) passing.push(position);
  const inOrder = (one: number, other: number) =>
    (scores[other] ?? 0) - (scores[one] ?? 0) || (candidates[one]?.passage ?? 0) - (candidates[other]?.passage ?? 0);
  const describe = (position: number): Ranked => {
    const candidate = candidates[position];
    if (candidate === undefined) throw new RangeError(`There is no candidate ${position}`);
    const parts: ScoreParts = {
      keyword: keyword[position] ?? 0,
      vector: vector[position] ?? 0,
      bm25: sumOf(candidate.words),
      cosine: candidate.similarity ?? null,
      speaker: speakerOf(candidate),
      voice: voiceFactor(candidate, settings),
      kind: kindOf(candidate, position),
      period: periodOf(candidate),
      age: ageFactor(candidate, settings, nowWallMs),
      learned: 1,
    };
    return { candidate, score: scores[position] ?? 0, parts };
  };
  return {
    best(count) {
      const sorted = new Float64Array(passing.length);
      passing.forEach((position, place) => (sorted[place] = scores[position] ?? 0));
      sorted.sort();
      const least = sorted[sorted.length - count] ?? 0;
      return passing
        .filter((position) => (scores[position] ?? 0) >= least)
        .toSorted(inOrder)
        .slice(0, count);
    },
    standing: (count) =>
      passing
        .filter((position) => candidates[position]?.isStanding)
        .toSorted(inOrder)
        .slice(0, count),
    describe,
  };
}

/** A number for each; a typed array's own `from` goes through an iterator, and takes many times as long. */
function measureEach(
  candidates: readonly Candidate[],
  measure: (candidate: Candidate, position: number) => number,
): Float64Array {
  const values = new Float64Array(candidates.length);
  candidates.forEach((candidate, position) => (values[position] = measure(candidate, position)));
  return values;
}

/** What can be no evidence: phrases, and the same question asked before; neither lends its words to what stands beside it. */
function isPhraseOrEcho({ kind, words, similarity, size }: Candidate, { questionSize }: Gathered): boolean {
  if (kind === "phrase") return true;
  if (kind === "statement" || size > LONGER_THAN_ECHO * questionSize) return false;
  if ((similarity ?? 0) >= (kind === "both" ? SAME_PASSAGE : SAME_QUESTION)) return true;
  return kind === "question" && words.length > 0 && words.every((score) => score > 0);
}

/** Only what is liker than the floor counts, from 0 there to 1 for the likest that may be evidence. */
function likeness({ candidates, similarityFloor }: Gathered, isWorthless: Float64Array): Float64Array {
  let best = -1;
  for (let position = 0; position < candidates.length; position++)
    if (!isWorthless[position]) best = Math.max(best, candidates[position]?.similarity ?? -1);
  const range = best - similarityFloor;
  return measureEach(candidates, ({ similarity }) => {
    if (similarity === undefined || range <= 0) return similarity !== undefined && similarity === best ? 1 : 0;
    return Math.max(0, (similarity - similarityFloor) / range);
  });
}

function sumOf(values: ArrayLike<number>): number {
  let sum = 0;
  for (let index = 0; index < values.length; index++) sum += values[index] ?? 0;
  return sum;
}

/** Shares of the largest value among those that may be evidence. */
function relative(values: Float64Array, isWorthless: Float64Array): Float64Array {
  let largest = 0;
  for (let position = 0; position < values.length; position++)
    if (!isWorthless[position]) largest = Math.max(largest, values[position] ?? 0);
  return values.map((value) => Math.min(1, largest === 0 ? value : value / largest));
}

type Combine = (position: number) => number;

function fuseByWeight(keyword: Float64Array, vector: Float64Array, settings: RankSettings): Combine {
  const total = settings.textWeight + settings.vectorWeight || 1;
  return (position) =>
    ((keyword[position] ?? 0) * settings.textWeight + (vector[position] ?? 0) * settings.vectorWeight) / total;
}

function fuseByRank(keyword: Float64Array, vector: Float64Array, settings: RankSettings): Combine {
  const shares = [
    { ranks: ranksOf(keyword), weight: settings.textWeight },
    { ranks: ranksOf(vector), weight: settings.vectorWeight },
  ];
  const best = shares.reduce((sum, { weight }) => sum + weight / (RRF_CONSTANT + 1), 0) || 1;
  return (position) =>
    shares.reduce((sum, { ranks, weight }) => sum + weight / (RRF_CONSTANT + (ranks[position] ?? Infinity)), 0) / best;
}

function ranksOf(values: Float64Array): Float64Array {
  const ranks = values.map(() => Infinity);
  const order = Array.from(values.keys()).filter((position) => (values[position] ?? 0) > 0);
  order.sort((one, other) => (values[other] ?? 0) - (values[one] ?? 0));
  order.forEach((position, rank) => (ranks[position] = rank + 1));
  return ranks;
}

function isNamed(speaker: string, terms: ReadonlySet<string>, known: Map<string, boolean>): boolean {
  if (speaker === "") return false;
  let answer = known.get(speaker);
  if (answer === undefined) known.set(speaker, (answer = tokenise(speaker).some((token) => terms.has(token))));
  return answer;
}

/** What is believed comes before the talk that it was drawn from, and the person's words before the model's. */
function voiceFactor({ voice, source }: Candidate, settings: RankSettings): number {
  if (voice === "assistant") return settings.assistant;
  return isMemory(source.path) ? settings.believed : 1;
}

const IS_MEMORY = /^memory\/(?:scopes\/[^/]+\/)?MEMORY\.md$/;

function isMemory(path: string): boolean {
  return path.endsWith("MEMORY.md") && IS_MEMORY.test(path);
}

function ageFactor(candidate: Candidate, { decay }: RankSettings, nowWallMs: number): number {
  const { path, project, session } = candidate.source;
  const isDocument = session === "" && !project.startsWith("_memory");
  const { halfLifeDays, floor } = isDocument ? decay.docs : decay.memory;
  if (halfLifeDays <= 0 || candidate.wallMs === undefined || path === "memory/MEMORY.md") return 1;
  const ageDays = Math.max(0, (nowWallMs - candidate.wallMs) / DAY_MS);
  return floor + (1 - floor) * 2 ** (-ageDays / halfLifeDays);
}
