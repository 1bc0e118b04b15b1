import type { Gathered } from "../search/search.ts";
import { FEATURES } from "./features.ts";
import type { FeatureName } from "./features.ts";
import { readRankModel } from "./rank-model.ts";
import { RANKED_CLOSELY } from "./judge-candidates.ts";
import type { Ranked } from "./rank-candidates.ts";

const FEW = 5;
const FIRST_TEN = 10;
// Measured on small talk: what answers has a likeness of .3 and more, chance .2 and less. That puts them around DOUBTFUL.
const SMALL_MEMORY = 4 / 3;
// By words alone, on the recall worlds and on notes: of what is asked of another world one passage has half of it in 2 to 7 %
// of the questions, of what has an answer in 69 to 92 % (LifeBench: 32 and 56 %). So half of it lies just below DOUBTFUL.
const HALF_IS_DOUBTFUL = 1.5;
// None of 600 questions of another world, or without an answer, found a passage like this below DOUBTFUL; of eight about
// single lines among long notes all did, and the curve gave seven of them less.
const NEARLY_ALL = 0.8;
// A long line is less like what is asked; chance is below this.
const ALIKE = 0.2;
const ANSWERS_ALONE = 0.6;
// What is worth less than this was only asked, or is a phrase.
const TELLING_SHARE = 0.1;
const LEAST = 0.01;

/**
 * How likely it is that something on record answers the question, from 0 to 1. `ranking` is the first one, best first,
 * and `features` what the ranker saw of it, where it looked.
 */
export function measureConfidence(
  gathered: Gathered,
  ranking: readonly Ranked[],
  features: readonly Float64Array[],
): number {
  const telling = ranking.filter(({ parts }) => parts.kind >= TELLING_SHARE);
  if (telling.length === 0) return LEAST;
  const words = Math.max(...telling.map((one) => coverage(gathered, one))) ** HALF_IS_DOUBTFUL;
  if (gathered.mode === "keyword") return clamp(words);
  const likest = telling.map(({ parts }) => parts.cosine ?? 0).toSorted((one, other) => other - one);
  if (features.length === 0) return clamp(mean(likest.slice(0, FEW)));
  // The curve was learnt where there is plenty to choose from; a small memory has no crowd to stand out from.
  if (features.length < RANKED_CLOSELY) return clamp(Math.max(SMALL_MEMORY * (likest[0] ?? 0), words));
  const column = (name: FeatureName, most: number) =>
    features.slice(0, most).map((row) => row[FEATURES.indexOf(name)] ?? 0);
  const curve = judge([
    mean(likest.slice(0, FIRST_TEN)),
    Math.max(...column("coveredRarity", FEW)),
    Math.max(...column("knownShare", 1)),
    mean(column("score", FIRST_TEN)),
    mean(column("likeTheMany", FIRST_TEN)),
  ]);
  // One line about the boiler among a hundred notes about other things answers what is asked about the boiler.
  const isAlone = telling
    .slice(0, FEW)
    .some((one) => (one.parts.cosine ?? 0) >= ALIKE && coverage(gathered, one) >= NEARLY_ALL);
  return isAlone ? Math.max(curve, ANSWERS_ALONE) : curve;
}

/** How much of the question one passage has, each word as much as it is rare; what nobody ever said is the rarest. */
function coverage({ known, words }: Gathered, { candidate }: Ranked): number {
  const all = known.reduce((sum, { rarity }) => sum + rarity, 0);
  const rarest = Math.max(0, ...known.map(({ rarity }) => rarity));
  const covered = known.reduce((sum, { rarity }, index) => sum + ((candidate.words[index] ?? 0) > 0 ? rarity : 0), 0);
  return covered / (all + Math.max(0, words - known.length) * rarest || 1);
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
