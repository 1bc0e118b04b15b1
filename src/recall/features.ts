import { statesRule, statesWish } from "../language/standing-wish.ts";
import type { Gathered } from "../search/search.ts";
import { tokenise } from "../search/tokenise.ts";
import { shapeOf } from "./question-shape.ts";
import { describeAmong, LIST_FEATURES } from "./list-features.ts";
import type { Period } from "./period.ts";
import type { Ranking } from "./rank-candidates.ts";
import { describeTimes, TIME_FEATURES } from "./time-features.ts";

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

/** Each feature with how it is read from what is known of a candidate. */
const OWN = [
  { name: "score", of: ({ best, score }) => Math.log(score / best + 1e-6) },
  { name: "rank", of: ({ rank }) => Math.log(rank + 1) },
  {
    name: "gapAbove",
    of: ({ rank, ranking, score }) =>
      rank === 0 ? 0 : Math.log((ranking[rank - 1]?.score ?? score) / (score || 1e-9)),
  },
  { name: "keyword", of: ({ parts }) => parts.keyword },
  { name: "vector", of: ({ parts }) => parts.vector },
  { name: "ownWords", of: ({ bestWords, parts }) => parts.bm25 / bestWords },
  { name: "ownLikeness", of: ({ gathered, parts }) => (parts.cosine ?? 0) - gathered.similarityFloor },
  { name: "cosine", of: ({ parts }) => parts.cosine ?? 0 },
  { name: "cosineToBest", of: ({ bestCosine, parts }) => (parts.cosine ?? 0) / bestCosine },
  { name: "covered", of: ({ covered, known }) => covered / (known.length || 1) },
  { name: "coveredRarity", of: ({ coveredRarity, totalRarity }) => coveredRarity / totalRarity },
  { name: "coveredAround", of: ({ coveredAround, totalRarity }) => coveredAround / totalRarity },
  { name: "rarestCovered", of: ({ rarest, words }) => ((words[rarest] ?? 0) > 0 ? 1 : 0) },
  { name: "wordsBefore", of: ({ before, bestWords }) => sum(before?.words) / bestWords },
  { name: "wordsAfter", of: ({ after, bestWords }) => sum(after?.words) / bestWords },
  { name: "likenessBefore", of: ({ before }) => before?.similarity ?? 0 },
  { name: "likenessAfter", of: ({ after }) => after?.similarity ?? 0 },
  { name: "speaker", of: ({ parts }) => (parts.speaker > 1 ? 1 : 0) },
  { name: "isNamed", of: ({ candidate }) => (candidate.speaker === "" ? 0 : 1) },
  { name: "isAssistant", of: ({ candidate }) => (candidate.voice === "assistant" ? 1 : 0) },
  { name: "isFile", of: ({ candidate }) => (candidate.voice === "file" ? 1 : 0) },
  { name: "isQuestion", of: ({ candidate }) => (candidate.kind === "question" ? 1 : 0) },
  { name: "isBoth", of: ({ candidate }) => (candidate.kind === "both" ? 1 : 0) },
  { name: "size", of: ({ size }) => Math.log(size + 1) },
  { name: "sizeToTypical", of: ({ size, typicalSize }) => Math.log((size + 1) / (typicalSize + 1)) },
  { name: "period", of: ({ parts }) => parts.period },
  { name: "hasPeriod", of: ({ hasPeriod, parts }) => (parts.period > 1 || hasPeriod ? 1 : 0) },
  { name: "place", of: ({ candidate }) => Math.log(candidate.ordinal + 1) },
  {
    name: "age",
    of: ({ candidate, first, last }) =>
      candidate.wallMs === undefined || last <= first ? 0.5 : (candidate.wallMs - first) / (last - first),
  },
  { name: "sessionBest", of: ({ best, session }) => (session?.best ?? 0) / best },
  { name: "sessionShare", of: ({ session }) => session?.share ?? 0 },
  { name: "dayShare", of: ({ candidate, day }) => (candidate.wallMs === undefined ? 0 : (day?.share ?? 0)) },
  { name: "pairs", of: ({ pairs }) => pairs },
  { name: "density", of: ({ density }) => density },
  { name: "hasNumber", of: ({ text }) => (/\d/.test(text) ? 1 : 0) },
  { name: "hasTime", of: ({ text }) => (TIME.test(text) ? 1 : 0) },
  { name: "hasName", of: ({ text }) => (NAME.test(text) ? 1 : 0) },
  { name: "firstPerson", of: ({ text }) => (FIRST_PERSON.test(text) ? 1 : 0) },
  { name: "standingWish", of: ({ text }) => (statesWish(text) ? 1 : 0) },
  { name: "reports", of: ({ text }) => (text.includes("[image") ? 1 : 0) },
  { name: "repeats", of: ({ repeats }) => repeats },
  { name: "standingRule", of: ({ text }) => (statesRule(text) ? 1 : 0) },
  { name: "isStanding", of: ({ candidate }) => (candidate.isStanding ? 1 : 0) },
  { name: "wordsRank", of: ({ rank, wordsRanks }) => Math.log1p(wordsRanks[rank] ?? 0) },
  { name: "cosineRank", of: ({ cosineRanks, rank }) => Math.log1p(cosineRanks[rank] ?? 0) },
  { name: "bestBeside", of: ({ beside, candidate }) => bestBeside(beside, candidate.ordinal) },
  { name: "likeTheBest", of: ({ few, rank, vector }) => likeness(vector, few, rank < FEW ? 1 / FEW : 0) },
  { name: "likeOneOfBest", of: ({ firstFew, rank, vector }) => likeOneOf(firstFew, vector, rank) },
  { name: "likeTheMany", of: ({ many, rank, vector }) => likeness(vector, many, rank < MANY ? 1 / MANY : 0) },
  { name: "questionWords", of: ({ known }) => known.length },
  { name: "questionSize", of: ({ gathered }) => Math.log(gathered.questionSize + 1) },
  { name: "knownShare", of: ({ gathered, known }) => known.length / (gathered.words || 1) },
  { name: "typicalSize", of: ({ typicalSize }) => Math.log(typicalSize + 1) },
  { name: "assistantShare", of: ({ assistantShare }) => assistantShare },
  { name: "namedShare", of: ({ namedShare }) => namedShare },
  { name: "bestCosine", of: ({ bestCosine }) => bestCosine },
  { name: "spread", of: ({ spread }) => spread },
  { name: "when", of: ({ shape }) => shape.when },
  { name: "who", of: ({ shape }) => shape.who },
  { name: "where", of: ({ shape }) => shape.where },
  { name: "count", of: ({ shape }) => shape.count },
  { name: "why", of: ({ shape }) => shape.why },
  { name: "many", of: ({ shape }) => shape.many },
  { name: "overview", of: ({ shape }) => shape.overview },
  { name: "wants", of: ({ shape }) => shape.wants },
  { name: "yours", of: ({ shape }) => shape.yours },
  { name: "mine", of: ({ shape }) => shape.mine },
] as const satisfies readonly Feature[];

/** What the ranker looks at; a model names the features that it was trained with. */
const TABLE = [
  ...OWN,
  ...LIST_FEATURES.map((name) => ({ name, of: ({ among }: Seen) => among?.[name] ?? 0 })),
  ...TIME_FEATURES.map((name) => ({ name, of: ({ times }: Seen) => times?.[name] ?? 0 })),
];

/** The names of the features, in the order of the rows. */
export const FEATURES = TABLE.map(({ name }) => name);
export type FeatureName = (typeof FEATURES)[number];

/** One row of features for each candidate, best first; all of them together are what is known of the question. */
export function describeFeatures(
  question: string,
  gathered: Gathered,
  ranking: readonly Ranking[],
  period: Period | undefined,
): Float64Array[] {
  return lookAt(question, gathered, ranking, period).map((seen) => Float64Array.from(TABLE, ({ of }) => of(seen)));
}

/** What is known of each candidate, and with it of all of them and of the question. */
function lookAt(question: string, gathered: Gathered, ranking: readonly Ranking[], period: Period | undefined) {
  const { candidates, known } = gathered;
  const best = ranking[0]?.score ?? 1;
  const totalRarity = known.reduce((sum, word) => sum + word.rarity, 0) || 1;
  const bestWords = Math.max(1e-9, ...ranking.map(({ parts }) => parts.bm25));
  const bestCosine = Math.max(0.05, ...ranking.map(({ parts }) => parts.cosine ?? 0));
  const sessions = tally(ranking, ({ candidate }) => candidate.source.path, best);
  const days = tally(ranking, ({ candidate }) => String(Math.floor((candidate.wallMs ?? -DAY_MS) / DAY_MS)), best);
  const moments = ranking.flatMap(({ candidate }) => (candidate.wallMs === undefined ? [] : [candidate.wallMs]));
  const share = (count: (one: Ranking) => boolean) => ranking.filter(count).length / (ranking.length || 1);
  const forms = new Map(gathered.forms.flatMap((word, index) => word.map((form) => [form, index])));
  const seen = new Set<string>();
  const places = new Map<string, Map<number, number>>();
  for (const { candidate, score } of ranking) {
    const { path } = candidate.source;
    places.set(path, (places.get(path) ?? new Map<number, number>()).set(candidate.ordinal, score / best));
  }
  // One word alone has no order: of a long text that has no more of the question, the beginning says enough.
  const tokens = ranking.map(({ text, candidate: { words } }) =>
    tokenise(words.filter((word) => word > 0).length > 1 ? text : text.slice(0, BEGINNING)),
  );
  const scores = ranking.map(({ score }) => score);
  const among = describeAmong(ranking, scores, tokens, new Set(gathered.terms));
  const times = describeTimes(gathered, ranking, period);
  const firstFew = ranking.slice(0, FEW);
  const list = {
    gathered,
    ranking,
    known,
    shape: shapeOf(question),
    best,
    totalRarity,
    bestWords,
    bestCosine,
    typicalSize: median(ranking.map(({ candidate }) => candidate.size)),
    first: Math.min(...moments),
    last: Math.max(...moments),
    assistantShare: share(({ candidate }) => candidate.voice === "assistant"),
    namedShare: share(({ candidate }) => candidate.speaker !== ""),
    spread: (ranking[Math.min(9, ranking.length - 1)]?.score ?? 0) / best,
    rarest: known.reduce((at, word, index) => (word.rarity > (known[at]?.rarity ?? 0) ? index : at), 0),
    hasPeriod: ranking.some(({ parts }) => parts.period > 1.05),
    wordsRanks: ranksOf(ranking.map(({ parts }) => parts.keyword)),
    cosineRanks: ranksOf(ranking.map(({ parts }) => parts.vector)),
    firstFew,
    few: mean(firstFew),
    many: mean(ranking.slice(0, MANY)),
  };
  return ranking.map(({ candidate, score, parts, text, vector }, rank) => {
    const { words, size } = candidate;
    const before = candidate.previous === undefined ? undefined : candidates[candidate.previous];
    const after = candidate.next === undefined ? undefined : candidates[candidate.next];
    const covered = words.filter((word) => word > 0).length;
    const coveredRarity = known.reduce((sum, { rarity }, index) => sum + ((words[index] ?? 0) > 0 ? rarity : 0), 0);
    const coveredAround = known.reduce((sum, { rarity }, index) => {
      const own = words[index] ?? 0;
      const has = own > 0 || (before?.words[index] ?? 0) > 0 || (after?.words[index] ?? 0) > 0;
      return sum + (has ? rarity : 0);
    }, 0);
    const { pairs, density } = matchOrder(tokens[rank] ?? [], forms);
    const session = sessions.get(candidate.source.path);
    const day = days.get(String(Math.floor((candidate.wallMs ?? -DAY_MS) / DAY_MS)));
    const beginning = text.slice(0, 80);
    const repeats = seen.has(beginning) ? 1 : 0;
    seen.add(beginning);
    return {
      ...list,
      candidate,
      score,
      parts,
      text,
      vector,
      rank,
      words,
      size,
      before,
      after,
      covered,
      coveredRarity,
      coveredAround,
      pairs,
      density,
      session,
      day,
      repeats,
      beside: places.get(candidate.source.path),
      among: among[rank],
      times: times[rank],
    };
  });
}

type Seen = ReturnType<typeof lookAt>[number];
interface Feature {
  name: string;
  of(seen: Seen): number;
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

/** The best score of those one or two places away. */
function bestBeside(scores: ReadonlyMap<number, number> | undefined, ordinal: number): number {
  let best = 0;
  for (const step of [-2, -1, 1, 2]) best = Math.max(best, scores?.get(ordinal + step) ?? 0);
  return best;
}

/** The middle of some vectors. */
function mean(some: readonly Ranking[]): Float32Array | undefined {
  const vectors = some.flatMap(({ vector }) => (vector ? [vector] : []));
  return vectors[0]?.map((_, index) => vectors.reduce((all, vector) => all + (vector[index] ?? 0), 0) / vectors.length);
}

/** How like the likest of some others a vector is. */
function likeOneOf(others: readonly Ranking[], vector: Float32Array | undefined, rank: number): number {
  let most = 0;
  for (const [at, other] of others.entries()) if (at !== rank) most = Math.max(most, dot(vector, other.vector));
  return most;
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
