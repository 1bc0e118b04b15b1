import { isStopWord } from "../language/stop-words.ts";
import type { Ranking } from "./rank.ts";

/** What the ranker is told of a candidate's place among the others, in this order. */
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
const PAUSE_MS = 3 * HOUR_MS;
const CLOSE_MS = 3 * DAY_MS;
const FIRST = 10;
// The words of so many first candidates say what else the answer may speak of.
const TELLING = 8;
const MOST_WORDS = 20;
// As like as what is the same can be taken to be: its own likeness would say nothing.
const LIKE_ITSELF = 0.7;

/** A row for each candidate, from what the others score: time and talk that they share, and the words of the best. */
export function describeAmong(
  ranking: readonly Ranking[],
  scores: readonly number[],
  tokens: readonly (readonly string[])[],
  question: ReadonlySet<string>,
): number[][] {
  const best = Math.max(1e-9, ...scores);
  const shares = scores.map((score) => score / best);
  const order = shares.map((_, index) => index).toSorted((one, other) => (shares[other] ?? 0) - (shares[one] ?? 0));
  const rank: number[] = [];
  order.forEach((index, place) => (rank[index] = place));
  const places = new Map(
    ranking.map(({ candidate }, index) => [`${candidate.source.path}#${candidate.ordinal}`, index]),
  );
  const feedback = weighFeedback(tokens, order, shares, question);
  const mostFeedback = Math.max(1e-9, ...feedback);
  const [first, second] = order.slice(0, 2).map((index) => ranking[index]);
  return ranking.map((one, index) => {
    const { candidate } = one;
    const at = candidate.wallMs;
    const near = { best: 0, sum: 0, day: 0, betterInDay: 0, betterInSource: 0, dayHits: 0 };
    ranking.forEach(({ candidate: other }, position) => {
      if (position === index) return;
      const share = shares[position] ?? 0;
      const isBetter = (rank[position] ?? 0) < (rank[index] ?? 0);
      const isSameSource = other.source.path === candidate.source.path;
      if (isSameSource && isBetter) near.betterInSource++;
      if (at === undefined || other.wallMs === undefined) return;
      if (isSameSource && Math.abs(other.wallMs - at) <= HOUR_MS) {
        near.best = Math.max(near.best, share);
        near.sum += share;
      }
      if (Math.floor(other.wallMs / DAY_MS) !== Math.floor(at / DAY_MS)) return;
      if (!isSameSource) near.day = Math.max(near.day, share);
      if (isBetter) near.betterInDay++;
      if ((rank[position] ?? 0) < FIRST) near.dayHits++;
    });
    const before = places.get(`${candidate.source.path}#${candidate.ordinal - 1}`);
    const after = places.get(`${candidate.source.path}#${candidate.ordinal + 1}`);
    const beforeMs = before === undefined ? undefined : ranking[before]?.candidate.wallMs;
    const isAfterPause = at !== undefined && beforeMs !== undefined && at - beforeMs > PAUSE_MS;
    const firstMs = first?.candidate.wallMs;
    return [
      near.best,
      Math.log1p(near.sum),
      near.day,
      Math.log1p(near.betterInDay),
      Math.log1p(near.betterInSource),
      candidate.ordinal === 0 || isAfterPause ? 1 : 0,
      feedback[index] ?? 0,
      (feedback[index] ?? 0) / mostFeedback,
      before === undefined ? 0 : (shares[before] ?? 0),
      after === undefined ? 0 : (shares[after] ?? 0),
      at === undefined || firstMs === undefined ? 0.5 : Math.exp(-Math.abs(at - firstMs) / CLOSE_MS),
      one === first ? LIKE_ITSELF : likeness(one.vector, first?.vector),
      one === second ? LIKE_ITSELF : likeness(one.vector, second?.vector),
      Math.log1p(near.dayHits),
    ];
  });
}

/** How much each candidate has of the rarer words that several of the first ones share, and the question does not have. */
function weighFeedback(
  tokens: readonly (readonly string[])[],
  order: readonly number[],
  shares: readonly number[],
  question: ReadonlySet<string>,
): number[] {
  const sets = tokens.map((words) => new Set(words));
  const holders = new Map<string, number>();
  for (const set of sets) for (const word of set) holders.set(word, (holders.get(word) ?? 0) + 1);
  const weights = new Map<string, { weight: number; times: number }>();
  for (const index of order.slice(0, TELLING)) {
    const set = sets[index] ?? new Set();
    const share = (shares[index] ?? 0) / Math.sqrt(set.size + 5);
    for (const word of set) {
      const count = holders.get(word) ?? 1;
      if (count < 2 || count >= sets.length / 2 || question.has(word) || isStopWord(word, "en")) continue;
      const known = weights.get(word) ?? { weight: 0, times: 0 };
      weights.set(word, {
        weight: known.weight + share * Math.log1p(sets.length / count),
        times: known.times + 1,
      });
    }
  }
  const chosen = [...weights]
    .filter(([, { times }]) => times > 1)
    .toSorted((one, other) => other[1].weight - one[1].weight)
    .slice(0, MOST_WORDS);
  const total = chosen.reduce((sum, [, { weight }]) => sum + weight, 0) || 1;
  return sets.map((set) => chosen.reduce((sum, [word, { weight }]) => sum + (set.has(word) ? weight : 0), 0) / total);
}

function likeness(one: Float32Array | undefined, other: Float32Array | undefined): number {
  if (!one || !other) return 0;
  let sum = 0;
  for (let index = 0; index < one.length; index++) sum += (one[index] ?? 0) * (other[index] ?? 0);
  return sum;
}
