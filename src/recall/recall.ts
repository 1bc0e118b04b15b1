import { MemoryError } from "../errors.ts";
import { withoutDayNumbers } from "../search/calendar.ts";
import type { FoundPassage, Search, SearchFilter } from "../search/search.ts";
import { parseWallDate } from "../search/passage.ts";
import { formatTimestamp } from "../time.ts";
import { findPeriod } from "./period.ts";
import { rankCandidates } from "./rank.ts";
import type { RankSettings, ScoreParts } from "./rank.ts";

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
  readonly mode: "hybrid" | "keyword" | "vector";
  /** Whether the files may have changed since the index last saw them. */
  readonly stale: boolean;
  readonly notes: readonly string[];
}

/** What is wanted of a search. */
export interface RecallOptions {
  readonly limit?: number | undefined;
  /** Days (`2026-03-01`), months, years or times; both ends belong to it. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly project?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
  readonly explain?: boolean | undefined;
  readonly settings?: { readonly [Key in keyof RankSettings]?: RankSettings[Key] | undefined } | undefined;
  readonly now: Date;
  readonly timezone: string;
  /** How long to wait for vectors of passages that have none; the others are found by their words. */
  readonly waitMs?: number | undefined;
}

const NO_DECAY = { halfLifeDays: 0, floor: 0.7 };

/** What measured best (bench/RESULTS.md) on several kinds of memories; each of these has a reason beyond them. */
const DEFAULT_RANKING: RankSettings = {
  vectorWeight: 0.3,
  textWeight: 0.7,
  fusion: "weighted",
  decay: { memory: NO_DECAY, docs: NO_DECAY },
  // In talk the words that a question uses often stand in the message before or after the one that answers.
  neighbours: [0.5, 0.3, 0.15],
  speaker: 1.4,
  // What the model answered is long and says again what the person said; the person's words are the source.
  assistant: 0.4,
  period: 3,
};

// Long enough for the local embedder to index some ten thousand passages, short enough to wait for.
const DEFAULT_WAIT_MS = 20_000;
const LARGEST_LIMIT = 1_000;

/** Finds what matters to a question, in the files as they are at this moment. */
export async function recall(search: Search, query: string, options: RecallOptions): Promise<Answer> {
  const limit = checkLimit(options.limit ?? 10);
  if (query.trim() === "") throw new MemoryError("QUERY_INVALID", "The question is empty: say what to look for");
  const settings = completeSettings(options.settings ?? {});
  const nowWallMs = parseWallDate(formatTimestamp(options.now, options.timezone))?.wallMs ?? options.now.getTime();
  const period = findPeriod(query, nowWallMs);
  const report = await search.sync({ waitMs: options.waitMs ?? DEFAULT_WAIT_MS });
  const gathered = await search.gather({
    text: withoutDayNumbers(query),
    filter: buildFilter(options),
    isOfInterest: period && ((wallMs) => period.isWithin(wallMs)),
    useKeywords: settings.textWeight > 0,
    useVectors: settings.vectorWeight > 0,
  });
  const ranked = rankCandidates(gathered, settings, period, nowWallMs).slice(0, limit);
  const found = new Map(
    search.read(ranked.map(({ candidate }) => candidate.passage)).map((passage) => [passage.id, passage]),
  );
  const results = ranked.flatMap(({ candidate, score, parts }) => {
    const passage = found.get(candidate.passage);
    if (!passage) return [];
    const { id: _, ...shown } = passage;
    return [{ ...shown, score: round(score), ...(options.explain ? { explain: parts } : {}) }];
  });
  const notes = [...new Set([...report.notes, ...gathered.notes, ...undatedNote(gathered.undated)])];
  return { results, mode: gathered.mode, stale: report.isStale, notes };
}

function checkLimit(limit: number): number {
  if (Number.isInteger(limit) && limit >= 1 && limit <= LARGEST_LIMIT) return limit;
  throw new MemoryError("QUERY_INVALID", `The limit must be a whole number from 1 to ${LARGEST_LIMIT}, not ${limit}`);
}

/** Settings with every part; configured weights count together: one that is missing is what the other leaves. */
export function completeSettings(given: NonNullable<RecallOptions["settings"]>): RankSettings {
  const { vectorWeight, textWeight } = given;
  const fallback = DEFAULT_RANKING;
  return {
    vectorWeight: vectorWeight ?? (textWeight === undefined ? fallback.vectorWeight : 1 - textWeight),
    textWeight: textWeight ?? (vectorWeight === undefined ? fallback.textWeight : 1 - vectorWeight),
    fusion: given.fusion ?? fallback.fusion,
    decay: given.decay ?? fallback.decay,
    neighbours: given.neighbours ?? fallback.neighbours,
    speaker: given.speaker ?? fallback.speaker,
    assistant: given.assistant ?? fallback.assistant,
    period: given.period ?? fallback.period,
  };
}

function buildFilter({ since, until, project, scopes }: RecallOptions): SearchFilter {
  const sinceMs = since === undefined ? undefined : parseBound("since", since).fromMs;
  const untilMs = until === undefined ? undefined : parseBound("until", until).toMs;
  return { sinceMs, untilMs, project, scopes };
}

/** The first and the last millisecond of a year, month, day, minute or second. */
function parseBound(name: string, text: string): { fromMs: number; toMs: number } {
  const match =
    /^(\d{4})(?:-(\d{2})(?:-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?)?)?)?(?:Z|[+-]\d{2}:?\d{2})?$/.exec(
      text.trim(),
    );
  if (!match) {
    throw new MemoryError("QUERY_INVALID", `"${text}" is no date for ${name}: write 2026-03-01, 2026-03 or 2026`);
  }
  const given = match.slice(1).map((part) => (part === undefined ? undefined : Number(part)));
  const [year = 1970, month, day, hour, minute, second] = given;
  const at = (shift: readonly number[]) =>
    Date.UTC(
      year + (shift[0] ?? 0),
      (month ?? 1) - 1 + (shift[1] ?? 0),
      (day ?? 1) + (shift[2] ?? 0),
      hour ?? 0,
      (minute ?? 0) + (shift[4] ?? 0),
      (second ?? 0) + (shift[5] ?? 0),
    );
  const isReal = new Date(at([])).toISOString().startsWith(text.trim().slice(0, 10).replace(" ", "T"));
  if (!isReal) throw new MemoryError("QUERY_INVALID", `"${text}" is no date for ${name}: there is no such day`);
  const finest = given.findLastIndex((part) => part !== undefined);
  return { fromMs: at([]), toMs: at([0, 0, 0, 0, 0, 0].map((_, index) => (index === finest ? 1 : 0))) - 1 };
}

function undatedNote(count: number): string[] {
  if (count === 0) return [];
  return [`${count} matching passages carry no date and were left out by since/until`];
}

function round(score: number): number {
  return Math.round(score * 10_000) / 10_000;
}
