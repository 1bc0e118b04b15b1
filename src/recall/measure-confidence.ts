import type { Gathered } from "../search/search.ts";
import { FEATURES } from "./features.ts";
import { readRankModel } from "./rank-model.ts";
import { RANKED_CLOSELY } from "./judge-candidates.ts";
import type { Ranked } from "./rank-candidates.ts";

const FEW = 5;
const FIRST_TEN = 10;
// Measured on small talk: what answers has a likeness of .3 and more, chance .2 and less. That puts them around DOUBTFUL.
const SMALL_MEMORY = 4 / 3;
// What is worth less than this was only asked, or is a phrase.
const TELLING_SHARE = 0.1;
const LEAST = 0.01;

/**
 * How likely it is that something on record answers the question, from 0 to 1. `ranking` is the first one, best first,
 * and `features` what the ranker saw of it, where it looked.
 */
export function measureConfidence(
  { mode, keywordCeiling }: Gathered,
  ranking: readonly Ranked[],
  features: readonly Float64Array[],
): number {
  const telling = ranking.filter(({ parts }) => parts.kind >= TELLING_SHARE);
  if (telling.length === 0) return LEAST;
  if (mode === "keyword") {
    const words = Math.max(0, ...telling.map(({ parts }) => parts.bm25));
    return clamp(keywordCeiling > 0 ? words / keywordCeiling : 0);
  }
  const likest = telling.map(({ parts }) => parts.cosine ?? 0).toSorted((one, other) => other - one);
  if (features.length === 0) return clamp(mean(likest.slice(0, FEW)));
  // The curve was learnt where there is plenty to choose from; a small memory has no crowd to stand out from.
  if (features.length < RANKED_CLOSELY) {
    const words = Math.max(0, ...telling.map(({ parts }) => parts.bm25)) / (keywordCeiling || 1);
    return clamp(SMALL_MEMORY * Math.max(likest[0] ?? 0, words));
  }
  const column = (name: (typeof FEATURES)[number], most: number) =>
    features.slice(0, most).map((row) => row[FEATURES.indexOf(name)] ?? 0);
  return judge([
    mean(likest.slice(0, FIRST_TEN)),
    Math.max(...column("coveredRarity", FEW)),
    Math.max(...column("knownShare", 1)),
    mean(column("score", FIRST_TEN)),
    mean(column("likeTheMany", FIRST_TEN)),
  ]);
}

/** The model's logistic curve over the signs, in the order that it was trained with. */
function judge(signs: readonly number[]): number {
  const { middle, size, weight, bias } = readRankModel().confidence;
  const sum = signs.reduce(
    (total, sign, index) => total + ((weight[index] ?? 0) * (sign - (middle[index] ?? 0))) / (size[index] ?? 1),
    bias,
  );
  return clamp(1 / (1 + Math.exp(-sum)));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / (values.length || 1);
}

function clamp(value: number): number {
  return Math.min(1, Math.max(LEAST, value));
}
