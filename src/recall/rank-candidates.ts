import type { Candidate, Gathered } from "../search/search.ts";
import { tokenise } from "../search/tokenise.ts";
import type { Period } from "./period.ts";

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

// Between long texts neighbours count for less: a short message lives by those around it, a long one stands for itself.
const SHORT_TEXT = 300;
// The items of a note share a page, not a conversation: with more, one good item would fill the first places with
// those around it.
const SAME_PAGE = 0.15;
const RRF_CONSTANT = 60;
// Found only where nothing else is: a phrase tells nothing, and the question itself is no answer to it.
const WORTHLESS = 0.01;
const SAME_QUESTION = 0.85;
const SAME_WORDS = 0.95;
const LONGER_THAN_ECHO = 2;
const DAY_MS = 86_400_000;

/** Puts the candidates in order, best first. */
export function rankCandidates(
  gathered: Gathered,
  settings: RankSettings,
  period: Period | undefined,
  nowWallMs: number,
): Ranked[] {
  const { candidates } = gathered;
  const own = candidates.map(({ words }) => sumOf(words));
  const isWorthless = candidates.map((candidate) => isPhraseOrEcho(candidate, gathered));
  const ties = tieNeighbours(candidates, isWorthless, settings.neighbours);
  const keyword = relative(spreadWords(candidates, ties), isWorthless);
  const vector = relative(spread(likeness(gathered, isWorthless), ties), isWorthless);
  const combine =
    settings.fusion === "rrf" ? fuseByRank(keyword, vector, settings) : fuseByWeight(keyword, vector, settings);
  const terms = new Set(gathered.terms);
  const named = new Map<string, boolean>();
  return candidates
    .map((candidate, position) => {
      const parts: ScoreParts = {
        keyword: keyword[position] ?? 0,
        vector: vector[position] ?? 0,
        bm25: own[position] ?? 0,
        cosine: candidate.similarity ?? null,
        speaker: isNamed(candidate.speaker, terms, named) ? settings.speaker : 1,
        voice: voiceFactor(candidate, settings),
        kind: isWorthless[position] ? WORTHLESS : candidate.kind === "question" ? settings.question : 1,
        period: 1 + (candidate.wallMs === undefined ? 0 : settings.period * (period?.closeness(candidate.wallMs) ?? 0)),
        age: ageFactor(candidate, settings, nowWallMs),
        learned: 1,
      };
      const score = combine(position) * parts.speaker * parts.voice * parts.kind * parts.period * parts.age;
      return { candidate, score, parts };
    })
    .filter(({ candidate, score }) => candidate.isAllowed && score > 0)
    .toSorted((one, other) => other.score - one.score || one.candidate.passage - other.candidate.passage);
}

/** What can be no evidence: phrases, and the same question asked before; neither lends its words to what stands beside it. */
function isPhraseOrEcho({ kind, words, similarity, size }: Candidate, { questionSize }: Gathered): boolean {
  if (kind === "phrase") return true;
  if (kind === "statement" || size > LONGER_THAN_ECHO * questionSize) return false;
  if ((similarity ?? 0) >= (kind === "both" ? SAME_WORDS : SAME_QUESTION)) return true;
  return kind === "question" && words.length > 0 && words.every((score) => score > 0);
}

/** Only what is liker than the floor counts, from 0 there to 1 for the likest that may be evidence. */
function likeness({ candidates, similarityFloor }: Gathered, isWorthless: readonly boolean[]): number[] {
  let best = -1;
  candidates.forEach(({ similarity }, position) => {
    if (!isWorthless[position]) best = Math.max(best, similarity ?? -1);
  });
  const range = best - similarityFloor;
  return candidates.map(({ similarity }) => {
    if (similarity === undefined || range <= 0) return similarity !== undefined && similarity === best ? 1 : 0;
    return Math.max(0, (similarity - similarityFloor) / range);
  });
}

/** Two candidates that stand near each other: the second gains this share of what the first has. */
interface Ties {
  readonly from: number[];
  readonly to: number[];
  readonly share: number[];
}

/** Adds to each value a share of its neighbours'. */
function spread(values: readonly number[], { from, to, share }: Ties): number[] {
  const sums = [...values];
  for (let tie = 0; tie < from.length; tie++) {
    const target = to[tie] ?? 0;
    sums[target] = (sums[target] ?? 0) + (share[tie] ?? 0) * (values[from[tie] ?? 0] ?? 0);
  }
  return sums;
}

/** What a candidate's words and its neighbours' are worth together; a word that several of them have counts once. */
function spreadWords(candidates: readonly Candidate[], { from, to, share }: Ties): number[] {
  const count = candidates.reduce((most, { words }) => Math.max(most, words.length), 0);
  // All of them in one row of numbers: as a list for each candidate they would take longer to make than to fill.
  const best = new Float64Array(candidates.length * count);
  candidates.forEach(({ words }, position) => best.set(words, position * count));
  for (let tie = 0; tie < from.length; tie++) {
    const lent = candidates[from[tie] ?? 0]?.words ?? [];
    const target = (to[tie] ?? 0) * count;
    for (let word = 0; word < lent.length; word++) {
      const score = (share[tie] ?? 0) * (lent[word] ?? 0);
      if (score > (best[target + word] ?? 0)) best[target + word] = score;
    }
  }
  return candidates.map((_, position) => sumOf(best.subarray(position * count, (position + 1) * count)));
}

/** Who lends to whom: what is worthless lends nothing. */
function tieNeighbours(
  candidates: readonly Candidate[],
  isWorthless: readonly boolean[],
  weights: readonly number[],
): Ties {
  const ties: Ties = { from: [], to: [], share: [] };
  for (let position = 0; position < candidates.length; position++) {
    const from = candidates[position];
    if (from === undefined || isWorthless[position]) continue;
    for (let side = 0; side < 2; side++) {
      let at = side === 0 ? from.previous : from.next;
      for (const weight of weights) {
        const to = at === undefined ? undefined : candidates[at];
        if (at === undefined || to === undefined) break;
        ties.from.push(position);
        ties.to.push(at);
        ties.share.push(weight * closeness(from, to));
        at = side === 0 ? to.previous : to.next;
      }
    }
  }
  return ties;
}

function sumOf(values: ArrayLike<number>): number {
  let sum = 0;
  for (let index = 0; index < values.length; index++) sum += values[index] ?? 0;
  return sum;
}

/** How much two neighbours have to do with each other. */
function closeness(one: Candidate, other: Candidate): number {
  const bySize = Math.min(1, SHORT_TEXT / Math.max(one.size, other.size, 1));
  return one.voice === "file" ? bySize * SAME_PAGE : bySize;
}

/** Shares of the largest value among those that may be evidence. */
function relative(values: readonly number[], isWorthless: readonly boolean[]): number[] {
  let largest = 0;
  values.forEach((value, position) => {
    if (!isWorthless[position]) largest = Math.max(largest, value);
  });
  return values.map((value) => Math.min(1, largest === 0 ? value : value / largest));
}

type Combine = (position: number) => number;

function fuseByWeight(keyword: readonly number[], vector: readonly number[], settings: RankSettings): Combine {
  const total = settings.textWeight + settings.vectorWeight || 1;
  return (position) =>
    ((keyword[position] ?? 0) * settings.textWeight + (vector[position] ?? 0) * settings.vectorWeight) / total;
}

function fuseByRank(keyword: readonly number[], vector: readonly number[], settings: RankSettings): Combine {
  const shares = [
    { ranks: ranksOf(keyword), weight: settings.textWeight },
    { ranks: ranksOf(vector), weight: settings.vectorWeight },
  ];
  const best = shares.reduce((sum, { weight }) => sum + weight / (RRF_CONSTANT + 1), 0) || 1;
  return (position) =>
    shares.reduce((sum, { ranks, weight }) => sum + weight / (RRF_CONSTANT + (ranks[position] ?? Infinity)), 0) / best;
}

function ranksOf(values: readonly number[]): number[] {
  const ranks = values.map(() => Infinity);
  const order = values.map((_, position) => position).filter((position) => (values[position] ?? 0) > 0);
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

function isMemory(path: string): boolean {
  return path === "memory/MEMORY.md" || /^memory\/scopes\/[^/]+\/MEMORY\.md$/.test(path);
}

function ageFactor(candidate: Candidate, { decay }: RankSettings, nowWallMs: number): number {
  const { path, project, session } = candidate.source;
  const isDocument = session === "" && !project.startsWith("_memory");
  const { halfLifeDays, floor } = isDocument ? decay.docs : decay.memory;
  if (halfLifeDays <= 0 || candidate.wallMs === undefined || path === "memory/MEMORY.md") return 1;
  const ageDays = Math.max(0, (nowWallMs - candidate.wallMs) / DAY_MS);
  return floor + (1 - floor) * 2 ** (-ageDays / halfLifeDays);
}
