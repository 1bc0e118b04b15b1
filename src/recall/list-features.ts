import { isStopWord } from "../language/stop-words.ts";
import type { Ranking } from "./rank-candidates.ts";

/** What the ranker is told of a candidate's place among the others. */
export const LIST_FEATURES = [
  "bestNear",
  "sumNear",
  "bestSameDay",
  "rankInDay",
  "rankInSource",
  "opens",
  "feedback",
  "feedbackTop",
  "scoreBefore",
  "scoreAfter",
  "nearBest",
  "likeFirst",
  "likeSecond",
  "dayHits",
] as const;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
// After such a pause a message opens a talk anew.
const LONG_PAUSE_MS = 3 * HOUR_MS;
const CLOSE_IN_TIME_MS = 3 * DAY_MS;
const FIRST_HITS = 10;
// The words of so many first candidates say what else the answer may speak of.
const MOST_TELLING = 8;
const MOST_SHARED_WORDS = 20;
// As like as what is the same can be taken to be: its own likeness would say nothing.
const LIKE_ITSELF = 0.7;

/** A row for each candidate, from what the others score: time and talk that they share, and the words of the best. */
export function describeAmong(
  ranking: readonly Ranking[],
  scores: readonly number[],
  tokens: readonly (readonly string[])[],
  question: ReadonlySet<string>,
): Record<(typeof LIST_FEATURES)[number], number>[] {
  const best = Math.max(1e-9, ...scores);
  const shares = Float64Array.from(scores, (score) => score / best);
  const order = [...shares.keys()].toSorted((one, other) => (shares[other] ?? 0) - (shares[one] ?? 0));
  const rank = new Int32Array(order.length);
  order.forEach((index, place) => (rank[index] = place));
  const places = new Map<string, Map<number, number>>();
  ranking.forEach(({ candidate: { source, ordinal } }, index) =>
    places.set(source.path, (places.get(source.path) ?? new Map<number, number>()).set(ordinal, index)),
  );
  const feedback = weighFeedback(tokens, order, shares, question);
  const mostFeedback = Math.max(1e-9, ...feedback);
  const [first, second] = order.slice(0, 2).map((index) => ranking[index]);
  const company = describeCompany(ranking, shares, rank);
  return ranking.map((one, index) => {
    const { candidate } = one;
    const at = candidate.wallMs;
    const near = company[index] ?? NOBODY;
    const beside = places.get(candidate.source.path);
    const before = beside?.get(candidate.ordinal - 1);
    const after = beside?.get(candidate.ordinal + 1);
    const beforeMs = before === undefined ? undefined : ranking[before]?.candidate.wallMs;
    const isAfterPause = at !== undefined && beforeMs !== undefined && at - beforeMs > LONG_PAUSE_MS;
    const firstMs = first?.candidate.wallMs;
    return {
      bestNear: near.best,
      sumNear: Math.log1p(near.sum),
      bestSameDay: near.day,
      rankInDay: Math.log1p(near.betterInDay),
      rankInSource: Math.log1p(near.betterInSource),
      opens: candidate.ordinal === 0 || isAfterPause ? 1 : 0,
      feedback: feedback[index] ?? 0,
      feedbackTop: (feedback[index] ?? 0) / mostFeedback,
      scoreBefore: before === undefined ? 0 : (shares[before] ?? 0),
      scoreAfter: after === undefined ? 0 : (shares[after] ?? 0),
      nearBest: at === undefined || firstMs === undefined ? 0.5 : Math.exp(-Math.abs(at - firstMs) / CLOSE_IN_TIME_MS),
      likeFirst: one === first ? LIKE_ITSELF : likeness(one.vector, first?.vector),
      likeSecond: one === second ? LIKE_ITSELF : likeness(one.vector, second?.vector),
      dayHits: Math.log1p(near.dayHits),
    };
  });
}

const NOBODY = { best: 0, sum: 0, day: 0, betterInDay: 0, betterInSource: 0, dayHits: 0 };

/** Who else was found in the same hour of the same talk, on the same day, and before it; numbers alone, since it looks at all pairs. */
function describeCompany(ranking: readonly Ranking[], shares: Float64Array, rank: Int32Array): (typeof NOBODY)[] {
  const numbers = new Map<string, number>();
  const sources = Int32Array.from(ranking, ({ candidate }) => {
    const { path } = candidate.source;
    const number = numbers.get(path) ?? numbers.size;
    numbers.set(path, number);
    return number;
  });
  const times = Float64Array.from(ranking, ({ candidate }) => candidate.wallMs ?? NaN);
  const days = times.map((time) => Math.floor(time / DAY_MS));
  return ranking.map((_, index) => {
    const near = { ...NOBODY };
    for (let other = 0; other < sources.length; other++) {
      if (other === index) continue;
      const share = shares[other] ?? 0;
      const isBetter = (rank[other] ?? 0) < (rank[index] ?? 0);
      const isSameSource = sources[other] === sources[index];
      if (isSameSource && isBetter) near.betterInSource++;
      // Where a time is missing nothing is near, nor on the same day: NaN equals nothing.
      if (isSameSource && Math.abs((times[other] ?? 0) - (times[index] ?? 0)) <= HOUR_MS) {
        near.best = Math.max(near.best, share);
        near.sum += share;
      }
      if (days[other] !== days[index]) continue;
      if (!isSameSource) near.day = Math.max(near.day, share);
      if (isBetter) near.betterInDay++;
      if ((rank[other] ?? 0) < FIRST_HITS) near.dayHits++;
    }
    return near;
  });
}

/** How much each candidate has of the rarer words that several of the first ones share, and the question does not have. */
function weighFeedback(
  tokens: readonly (readonly string[])[],
  order: readonly number[],
  shares: Float64Array,
  question: ReadonlySet<string>,
): number[] {
  const words = new Map<string, { times: number; share: number; holders: number; last: number }>();
  for (const index of order.slice(0, MOST_TELLING)) {
    const own = new Set(tokens[index]);
    const share = (shares[index] ?? 0) / Math.sqrt(own.size + 5);
    for (const word of own) {
      const known = words.get(word);
      if (known) {
        known.times++;
        known.share += share;
      } else if (!question.has(word) && !isStopWord(word, "en")) {
        words.set(word, { times: 1, share, holders: 0, last: -1 });
      }
    }
  }
  for (const [word, { times }] of words) if (times < 2) words.delete(word);
  // Each text is gone through once, for a few words, instead of being made a set of.
  const held = tokens.map((text, index) => {
    const found: string[] = [];
    for (const word of text) {
      const known = words.get(word);
      if (!known || known.last === index) continue;
      known.last = index;
      known.holders++;
      found.push(word);
    }
    return found;
  });
  const weights = new Map(
    [...words]
      .filter(([, { holders }]) => holders < tokens.length / 2)
      .map(([word, { share, holders }]): [string, number] => [word, share * Math.log1p(tokens.length / holders)])
      .toSorted((one, other) => other[1] - one[1])
      .slice(0, MOST_SHARED_WORDS),
  );
  const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0) || 1;
  return held.map((found) => found.reduce((sum, word) => sum + (weights.get(word) ?? 0), 0) / total);
}

function likeness(one: Float32Array | undefined, other: Float32Array | undefined): number {
  if (!one || !other) return 0;
  let sum = 0;
  for (let index = 0; index < one.length; index++) sum += (one[index] ?? 0) * (other[index] ?? 0);
  return sum;
}
