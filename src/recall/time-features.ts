import { findDates } from "../search/calendar.ts";
import type { Candidate, Gathered } from "../search/search.ts";
import type { Period } from "./period.ts";
import type { Ranking } from "./rank-candidates.ts";

/** What the ranker is told of when a candidate was said and of what. */
export const TIME_FEATURES = [
  "namedPeriod",
  "talkSize",
  "talkBest",
  "talkCovered",
  "besideOther",
  "dayCovered",
  "otherCovered",
] as const;

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
// After such a pause it is another talk, though it stands in the same session.
const PAUSE_MS = 20 * MINUTE_MS;
const LONGEST_TALK = 8;
const BESIDE_MS = 30 * MINUTE_MS;
// Where a text says which day it is about, it says so early.
const OPENING = 1_200;

/** A row for each candidate: the talk that it is part of, what went on elsewhere at that time, and the days that it names. */
export function describeTimes(
  { candidates, known }: Gathered,
  ranking: readonly Ranking[],
  period: Period | undefined,
): Record<(typeof TIME_FEATURES)[number], number>[] {
  const best = Math.max(1e-9, ...ranking.map(({ score }) => score));
  const shares = new Map(ranking.map(({ candidate, score }) => [candidate, score / best]));
  const totalRarity = known.reduce((sum, { rarity }) => sum + rarity, 0) || 1;
  const cover = (some: Iterable<Candidate>) => {
    const has = known.map(() => false);
    for (const { words } of some) words.forEach((word, index) => (has[index] ||= word > 0));
    return known.reduce((sum, { rarity }, index) => sum + (has[index] ? rarity : 0), 0) / totalRarity;
  };
  const days = Map.groupBy(
    ranking.map(({ candidate }) => candidate),
    dayOf,
  );
  const coveredInDay = new Map([...days].map(([day, some]) => [day, day === undefined ? 0 : cover(some)]));
  return ranking.map(({ candidate, text }) => {
    const talk = talkOf(candidate, candidates);
    const sameDay = days.get(dayOf(candidate)) ?? [];
    const others = dayOf(candidate) === undefined ? [] : sameDay.filter((one) => isElsewhere(one, candidate));
    return {
      namedPeriod: period ? namedCloseness(text, period) : 0,
      talkSize: Math.log1p(talk.length),
      talkBest: Math.max(0, ...talk.map((one) => (one === candidate ? 0 : (shares.get(one) ?? 0)))),
      talkCovered: cover(talk),
      besideOther: Math.max(0, ...others.map((one) => (isBeside(one, candidate) ? (shares.get(one) ?? 0) : 0))),
      dayCovered: coveredInDay.get(dayOf(candidate)) ?? 0,
      otherCovered: cover(others),
    };
  });
}

function dayOf({ wallMs }: Candidate): number | undefined {
  return wallMs === undefined ? undefined : Math.floor(wallMs / DAY_MS);
}

function isElsewhere(one: Candidate, other: Candidate): boolean {
  return one.source.path !== other.source.path;
}

function isBeside(one: Candidate, other: Candidate): boolean {
  return Math.abs((one.wallMs ?? 0) - (other.wallMs ?? 0)) <= BESIDE_MS;
}

/** The messages around it without a long pause between any two of them, itself included. */
function talkOf(candidate: Candidate, candidates: readonly Candidate[]): Candidate[] {
  const talk = [candidate];
  for (const side of ["previous", "next"] as const) {
    let from = candidate;
    for (let step = 0; step < LONGEST_TALK; step++) {
      const at = from[side];
      const to = at === undefined ? undefined : candidates[at];
      if (to?.wallMs === undefined || from.wallMs === undefined) break;
      if (Math.abs(to.wallMs - from.wallMs) > PAUSE_MS) break;
      talk.push(to);
      from = to;
    }
  }
  return talk;
}

/** How close to the time that is asked for a day is that the text itself names. */
function namedCloseness(text: string, period: Period): number {
  const times = findDates(text.slice(0, OPENING)).flatMap(({ year, month, day }) =>
    year === undefined || month === undefined || day === undefined ? [] : [Date.UTC(year, month - 1, day, 12)],
  );
  return Math.max(0, ...times.map((time) => period.closeness(time)));
}
