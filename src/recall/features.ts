import { statesRule, statesWish } from "../language/standing-wish.ts";
import type { Candidate, Gathered } from "../search/search.ts";
import { tokenise } from "../search/tokenise.ts";
import { shapeOf } from "./question-shape.ts";
import { describeAmong, LIST_FEATURES } from "./list-features.ts";
import type { Period } from "./period.ts";
import type { Ranking } from "./rank-candidates.ts";
import { describeTimes, TIME_FEATURES } from "./time-features.ts";

/** What the ranker looks at, in this order; a model names the features that it was trained with. */
export const FEATURES = [
  "score",
  "rank",
  "gapAbove",
  "keyword",
  "vector",
  "ownWords",
  "ownLikeness",
  "cosine",
  "cosineToBest",
  "covered",
  "coveredRarity",
  "coveredAround",
  "rarestCovered",
  "wordsBefore",
  "wordsAfter",
  "likenessBefore",
  "likenessAfter",
  "speaker",
  "isNamed",
  "isAssistant",
  "isFile",
  "isQuestion",
  "isBoth",
  "size",
  "sizeToTypical",
  "period",
  "hasPeriod",
  "place",
  "age",
  "sessionBest",
  "sessionShare",
  "dayShare",
  "pairs",
  "density",
  "hasNumber",
  "hasTime",
  "hasName",
  "firstPerson",
  "standingWish",
  "reports",
  "repeats",
  "standingRule",
  "isStanding",
  "wordsRank",
  "cosineRank",
  "bestBeside",
  "likeTheBest",
  "likeOneOfBest",
  "likeTheMany",
  "questionWords",
  "questionSize",
  "knownShare",
  "typicalSize",
  "assistantShare",
  "namedShare",
  "bestCosine",
  "spread",
  "when",
  "who",
  "where",
  "count",
  "why",
  "many",
  "overview",
  "wants",
  "yours",
  "mine",
  ...LIST_FEATURES,
  ...TIME_FEATURES,
] as const;

const TIME =
  /\b(?:yesterday|today|tonight|tomorrow|ago|last (?:week|month|year|night|summer|winter|spring|fall|weekend|monday|tuesday|wednesday|thursday|friday|saturday|sunday)|next (?:week|month|year)|this (?:week|month|year|morning)|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|june|july|august|september|october|november|december|weekend|gestern|heute|morgen|letzte\w*|ayer|hoy|hier|demain)\b|\b\d{4}-\d{2}-\d{2}\b|昨天|今天|明天|上周|下周|上个?月|去年|[0-9一二三四五六七八九十]+月/iu;
const FIRST_PERSON =
  /\b(?:i|i['’](?:m|ve|d|ll)|my|me|we|our|ich|mein\w*|wir|yo|mi|je|mon|ma|eu|meu|io|mio|ik|mijn)\b|我|私/iu;
const NAME = /(?<=[\p{Ll},;:'’]\s)\p{Lu}\p{Ll}+/u;
const DAY_MS = 86_400_000;
const WINDOW = 10;
const FEW = 5;
const MANY = 20;
const BEGINNING = 500;

/** One row of features for each candidate, best first; all of them together are what is known of the question. */
export function describeFeatures(
  question: string,
  gathered: Gathered,
  ranking: readonly Ranking[],
  period: Period | undefined,
): Float64Array[] {
  const shape = shapeOf(question);
  const { candidates, known } = gathered;
  const best = ranking[0]?.score ?? 1;
  const totalRarity = known.reduce((sum, word) => sum + word.rarity, 0) || 1;
  const bestWords = Math.max(1e-9, ...ranking.map(({ parts }) => parts.bm25));
  const bestCosine = Math.max(0.05, ...ranking.map(({ parts }) => parts.cosine ?? 0));
  const typicalSize = median(ranking.map(({ candidate }) => candidate.size));
  const sessions = tally(ranking, ({ candidate }) => candidate.source.path, best);
  const days = tally(ranking, ({ candidate }) => String(Math.floor((candidate.wallMs ?? -DAY_MS) / DAY_MS)), best);
  const moments = ranking.flatMap(({ candidate }) => (candidate.wallMs === undefined ? [] : [candidate.wallMs]));
  const [first, last] = [Math.min(...moments), Math.max(...moments)];
  const share = (count: (one: Ranking) => boolean) => ranking.filter(count).length / (ranking.length || 1);
  const assistantShare = share(({ candidate }) => candidate.voice === "assistant");
  const namedShare = share(({ candidate }) => candidate.speaker !== "");
  const spread = (ranking[Math.min(9, ranking.length - 1)]?.score ?? 0) / best;
  const forms = new Map(gathered.forms.flatMap((word, index) => word.map((form) => [form, index])));
  const rarest = known.reduce((at, word, index) => (word.rarity > (known[at]?.rarity ?? 0) ? index : at), 0);
  const hasPeriod = ranking.some(({ parts }) => parts.period > 1.05);
  const seen = new Set<string>();
  const places = new Map(ranking.map(({ candidate, score }) => [placeOf(candidate, 0), score / best]));
  // One word alone has no order: of a long text that has no more of the question, the beginning says enough.
  const tokens = ranking.map(({ text, candidate: { words } }) =>
    tokenise(words.filter((word) => word > 0).length > 1 ? text : text.slice(0, BEGINNING)),
  );
  const scores = ranking.map(({ score }) => score);
  const among = describeAmong(ranking, scores, tokens, new Set(gathered.terms));
  const times = describeTimes(gathered, ranking, period);
  const wordsRanks = ranksOf(ranking.map(({ parts }) => parts.keyword));
  const cosineRanks = ranksOf(ranking.map(({ parts }) => parts.vector));
  const few = mean(ranking.slice(0, FEW));
  const many = mean(ranking.slice(0, MANY));
  return ranking.map(({ candidate, score, parts, text, vector }, rank) => {
    const { words, size } = candidate;
    const before = candidate.previous === undefined ? undefined : candidates[candidate.previous];
    const after = candidate.next === undefined ? undefined : candidates[candidate.next];
    const covered = words.filter((word) => word > 0).length;
    const coveredRarity = known.reduce((sum, { rarity }, index) => sum + ((words[index] ?? 0) > 0 ? rarity : 0), 0);
    const coveredAround = known.reduce((sum, { rarity }, index) => {
      const has = [candidate, before, after].some((one) => (one?.words[index] ?? 0) > 0);
      return sum + (has ? rarity : 0);
    }, 0);
    const { pairs, density } = matchOrder(tokens[rank] ?? [], forms);
    const session = sessions.get(candidate.source.path);
    const day = days.get(String(Math.floor((candidate.wallMs ?? -DAY_MS) / DAY_MS)));
    const beginning = text.slice(0, 80);
    const repeats = seen.has(beginning) ? 1 : 0;
    seen.add(beginning);
    return Float64Array.of(
      Math.log(score / best + 1e-6),
      Math.log(rank + 1),
      rank === 0 ? 0 : Math.log((ranking[rank - 1]?.score ?? score) / (score || 1e-9)),
      parts.keyword,
      parts.vector,
      parts.bm25 / bestWords,
      (parts.cosine ?? 0) - gathered.similarityFloor,
      parts.cosine ?? 0,
      (parts.cosine ?? 0) / bestCosine,
      covered / (known.length || 1),
      coveredRarity / totalRarity,
      coveredAround / totalRarity,
      (words[rarest] ?? 0) > 0 ? 1 : 0,
      sum(before?.words) / bestWords,
      sum(after?.words) / bestWords,
      before?.similarity ?? 0,
      after?.similarity ?? 0,
      parts.speaker > 1 ? 1 : 0,
      candidate.speaker === "" ? 0 : 1,
      candidate.voice === "assistant" ? 1 : 0,
      candidate.voice === "file" ? 1 : 0,
      candidate.kind === "question" ? 1 : 0,
      candidate.kind === "both" ? 1 : 0,
      Math.log(size + 1),
      Math.log((size + 1) / (typicalSize + 1)),
      parts.period,
      parts.period > 1 || hasPeriod ? 1 : 0,
      Math.log(candidate.ordinal + 1),
      candidate.wallMs === undefined || last <= first ? 0.5 : (candidate.wallMs - first) / (last - first),
      (session?.best ?? 0) / best,
      session?.share ?? 0,
      candidate.wallMs === undefined ? 0 : (day?.share ?? 0),
      pairs,
      density,
      /\d/.test(text) ? 1 : 0,
      TIME.test(text) ? 1 : 0,
      NAME.test(text) ? 1 : 0,
      FIRST_PERSON.test(text) ? 1 : 0,
      statesWish(text) ? 1 : 0,
      text.includes("[image") ? 1 : 0,
      repeats,
      statesRule(text) ? 1 : 0,
      candidate.isStanding ? 1 : 0,
      Math.log1p(wordsRanks[rank] ?? 0),
      Math.log1p(cosineRanks[rank] ?? 0),
      Math.max(0, ...[-2, -1, 1, 2].map((step) => places.get(placeOf(candidate, step)) ?? 0)),
      likeness(vector, few, rank < FEW ? 1 / FEW : 0),
      Math.max(0, ...ranking.slice(0, FEW).map((other, at) => (at === rank ? 0 : dot(vector, other.vector)))),
      likeness(vector, many, rank < MANY ? 1 / MANY : 0),
      known.length,
      Math.log(gathered.questionSize + 1),
      known.length / (gathered.words || 1),
      Math.log(typicalSize + 1),
      assistantShare,
      namedShare,
      bestCosine,
      spread,
      shape.when,
      shape.who,
      shape.where,
      shape.count,
      shape.why,
      shape.many,
      shape.overview,
      shape.wants,
      shape.yours,
      shape.mine,
      ...(among[rank] ?? []),
      ...(times[rank] ?? []),
    );
  });
}

/** The place of each value among all, the largest first. */
function ranksOf(values: readonly number[]): number[] {
  const ranks: number[] = [];
  values
    .map((_, index) => index)
    .toSorted((one, other) => (values[other] ?? 0) - (values[one] ?? 0))
    .forEach((index, place) => (ranks[index] = place));
  return ranks;
}

function placeOf({ source, ordinal }: Candidate, step: number): string {
  return `${source.path}#${ordinal + step}`;
}

/** The middle of some vectors. */
function mean(some: readonly Ranking[]): Float32Array | undefined {
  const vectors = some.flatMap(({ vector }) => (vector ? [vector] : []));
  return vectors[0]?.map((_, index) => vectors.reduce((all, vector) => all + (vector[index] ?? 0), 0) / vectors.length);
}

/** How like the middle a vector is, its own share in it left out. */
function likeness(vector: Float32Array | undefined, middle: Float32Array | undefined, ownShare: number): number {
  return dot(vector, middle) - ownShare * dot(vector, vector);
}

function dot(one: Float32Array | undefined, other: Float32Array | undefined): number {
  if (!one || !other) return 0;
  let all = 0;
  for (let index = 0; index < one.length; index++) all += (one[index] ?? 0) * (other[index] ?? 0);
  return all;
}

/** The best score in each group, and the group's share of all that was scored. */
function tally(ranking: readonly Ranking[], groupOf: (one: Ranking) => string, best: number) {
  const groups = new Map<string, { best: number; share: number }>();
  const top = ranking.slice(0, 50);
  const total = top.reduce((all, { score }) => all + score / best, 0) || 1;
  for (const one of top) {
    const key = groupOf(one);
    const group = groups.get(key) ?? { best: one.score, share: 0 };
    groups.set(key, { best: group.best, share: group.share + one.score / best / total });
  }
  return groups;
}

/** How many words of the question follow each other as they do there, and how many stand close together at most. */
function matchOrder(tokens: readonly string[], forms: ReadonlyMap<string, number>): { pairs: number; density: number } {
  let pairs = 0;
  let density = 0;
  let previous = { word: -2, at: -2 };
  const recent: { word: number; at: number }[] = [];
  tokens.forEach((token, at) => {
    const word = forms.get(token);
    if (word === undefined) return;
    if (word === previous.word + 1 && at - previous.at <= 3) pairs++;
    previous = { word, at };
    recent.push(previous);
    while ((recent[0]?.at ?? at) < at - WINDOW) recent.shift();
    density = Math.max(density, new Set(recent.map((one) => one.word)).size);
  });
  return { pairs, density };
}

function sum(values: readonly number[] | undefined): number {
  return values?.reduce((all, value) => all + value, 0) ?? 0;
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}
