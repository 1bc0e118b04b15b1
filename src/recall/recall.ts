import { countOf } from "../language/count-of.ts";
import { MemoryError } from "../errors.ts";
import { withoutDayNumbers } from "../search/calendar.ts";
import type { FoundPassage, Gathered, Search, SyncReport } from "../search/search.ts";
import { parseWallDate } from "../search/passage.ts";
import { formatTimestamp } from "../time.ts";
import { measureConfidence } from "./measure-confidence.ts";
import { describeFeatures } from "./features.ts";
import { findPeriod } from "./period.ts";
import type { Period } from "./period.ts";
import { withoutFrame } from "./without-frame.ts";
import { shapeOf } from "./question-shape.ts";
import { rankCandidates } from "./rank-candidates.ts";
import type { Ranked, RankOrder, ScoreParts } from "./rank-candidates.ts";
import { completeSettings } from "./complete-settings.ts";
import type { RankRequest } from "./complete-settings.ts";
import { judgeCandidates, RANKED_CLOSELY } from "./judge-candidates.ts";
import { buildFilter } from "./build-filter.ts";
import type { FilterRequest } from "./build-filter.ts";

/** A passage that answers a question, and how well. */
export interface Hit extends Omit<FoundPassage, "id"> {
  readonly score: number;
  readonly explain?: ScoreParts;
  /** Set where it stands on what tools fetched from outside. */
  readonly untrusted?: true;
}

/** What was found, and how. */
export interface Answer {
  readonly results: readonly Hit[];
  /** How likely it is that the first few results answer the question, from 0 to 1. */
  readonly confidence: number;
  readonly mode: "hybrid" | "keyword" | "vector";
  /** Whether the files may have changed since the index last saw them. */
  readonly stale: boolean;
  readonly notes: readonly string[];
}

/** What is wanted of a search. */
export interface RecallOptions extends FilterRequest {
  readonly limit?: number | undefined;
  readonly explain?: boolean | undefined;
  readonly settings?: RankRequest | undefined;
  readonly now: Date;
  readonly timezone: string;
  /** How long to wait for vectors of passages that have none; the others are found by their words. */
  readonly waitMs?: number | undefined;
}

// Long enough for the local embedder to index some ten thousand passages, short enough to wait for.
const SEARCH_WAIT_MS = 20_000;
const MOST_STANDING_HITS = 12;
const LARGEST_LIMIT = 1_000;

/** Finds what matters to a question, in the files as they are at this moment. */
export async function recall(search: Search, query: string, options: RecallOptions): Promise<Answer> {
  const limit = checkLimit(options.limit ?? 10);
  const first = await rankFirst(search, query, options, Math.max(limit, RANKED_CLOSELY));
  const { gathered, report } = first;
  const close = first.ranking.slice(0, RANKED_CLOSELY);
  // It was learnt from words and meaning together: where one of them is missing, the first ranking stands.
  const features = gathered.mode === "hybrid" ? describeFeatures(query, gathered, close, first.period) : [];
  const confidence = measureConfidence(gathered, close, features);
  const ranking = first.learned && features.length > 0 ? rankAgain(first.ranking, features) : first.ranking;
  const best = ranking[0]?.score || 1;
  const results = ranking.slice(0, limit).map(({ score, parts, found }) => {
    const { id: _, ...shown } = found;
    return { ...shown, score: round((score / best) * confidence), ...(options.explain ? { explain: parts } : {}) };
  });
  const notes = [...new Set([...report.notes, ...gathered.notes, ...undatedNote(gathered.undated)])];
  return { results, confidence: round(confidence), mode: gathered.mode, stale: report.isStale, notes };
}

/** A candidate with its place, text and vector, as the ranker gets it. */
interface FoundCandidate extends Ranked {
  readonly found: FoundPassage;
  readonly text: string;
  readonly vector: Float32Array | undefined;
}

/** What the first pass over a question gives. */
interface FirstRanking {
  readonly ranking: readonly FoundCandidate[];
  readonly gathered: Gathered;
  readonly report: SyncReport;
  readonly learned: boolean;
  readonly period: Period | undefined;
}

/** The best candidates by words and meaning. */
export async function rankFirst(
  search: Search,
  query: string,
  options: RecallOptions,
  most: number,
): Promise<FirstRanking> {
  if (query.trim() === "") throw new MemoryError("QUERY_INVALID", "The question is empty; say what to look for");
  const settings = completeSettings(options.settings ?? {});
  const nowWallMs = parseWallDate(formatTimestamp(options.now, options.timezone))?.wallMs ?? options.now.getTime();
  const period = findPeriod(query, nowWallMs);
  const report = await search.sync({ waitMs: options.waitMs ?? SEARCH_WAIT_MS });
  const gathered = await search.gather({
    text: withoutDayNumbers(withoutFrame(query)),
    filter: buildFilter(options),
    isOfInterest: period && ((wallMs) => period.isWithin(wallMs)),
    useKeywords: settings.textWeight > 0,
    useVectors: settings.vectorWeight > 0,
  });
  // What the model said is what is asked for.
  const asked = shapeOf(query).yours ? { ...settings, assistant: Math.max(settings.assistant, 1) } : settings;
  const first = rankCandidates(gathered, asked, period, nowWallMs);
  const isLookedAtClosely = settings.learned && gathered.mode === "hybrid";
  const order = isLookedAtClosely ? withStanding(first, most) : first.best(most);
  const ranked = order.map((position) => first.describe(position));
  const passages = ranked.map(({ candidate }) => candidate.passage);
  const found = new Map((await search.read(passages)).map((passage) => [passage.id, passage]));
  const vectors = await search.readVectors(passages.slice(0, RANKED_CLOSELY));
  const ranking = ranked.flatMap((one, index) => {
    const passage = found.get(one.candidate.passage);
    return passage ? [{ ...one, found: passage, text: passage.text, vector: vectors[index] }] : [];
  });
  return { ranking, gathered, report, learned: settings.learned, period };
}

/** The best, and at the end of those that are looked at closely what someone wants to hold for whatever they ask. */
function withStanding(first: RankOrder, most: number): number[] {
  const standing = first.standing(MOST_STANDING_HITS);
  const best = first.best(most + standing.length);
  const close = new Set(best.slice(0, RANKED_CLOSELY - standing.length));
  const late = standing.filter((position) => !close.has(position));
  const lateOnes = new Set(late);
  const others = best.filter((position) => !lateOnes.has(position));
  const place = RANKED_CLOSELY - late.length;
  return [...others.slice(0, place), ...late, ...others.slice(place)].slice(0, most);
}

/** Changes the scores of those that were looked at more closely; the others keep their order behind them. */
function rankAgain(ranking: readonly FoundCandidate[], features: readonly Float64Array[]): FoundCandidate[] {
  const close = ranking.slice(0, features.length);
  const factors = judgeCandidates(close, features);
  const again = close
    .map((one, index) => {
      const learned = factors[index] ?? 1;
      return { ...one, score: one.score * learned, parts: { ...one.parts, learned } };
    })
    .toSorted((one, other) => other.score - one.score || one.candidate.passage - other.candidate.passage);
  const least = again.at(-1)?.score ?? 0;
  const others = ranking.slice(features.length);
  return [...again, ...others.map((one) => ({ ...one, score: Math.min(one.score, least) }))];
}

function checkLimit(limit: number): number {
  if (Number.isInteger(limit) && limit >= 1 && limit <= LARGEST_LIMIT) return limit;
  throw new MemoryError("QUERY_INVALID", `The limit must be a whole number from 1 to ${LARGEST_LIMIT}, not ${limit}`);
}

function undatedNote(count: number): string[] {
  if (count === 0) return [];
  const verbs = count === 1 ? ["has", "was"] : ["have", "were"];
  return [`${countOf(count, "matching passage")} ${verbs[0]} no date and ${verbs[1]} left out by since/until`];
}

function round(score: number): number {
  return Math.round(score * 10_000) / 10_000;
}
