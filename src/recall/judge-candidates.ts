import { FEATURES } from "./features.ts";
import type { Ranking } from "./rank-candidates.ts";
import { readRankModel } from "./rank-model.ts";
import type { RankModel } from "./rank-model.ts";

/** How many of the first candidates are looked at more closely. */
export const RANKED_CLOSELY = 80;

/** The factors by which the trees change the candidates' scores. */
export function judgeCandidates(ranking: readonly Ranking[], features: readonly Float64Array[]): number[] {
  const model = readRankModel();
  const columns = model.features.map((name) => FEATURES.indexOf(name));
  const sums = features.map((row) => {
    const chosen = Float64Array.from(columns, (column) => row[column] ?? 0);
    let sum = 0;
    for (const tree of model.trees) sum += walk(tree, chosen);
    return sum;
  });
  // It learnt from talk. What stands in files is what is believed: it keeps its score, and no talk rises above its own.
  const isFile = ranking.map(({ candidate }) => candidate.voice === "file");
  const highest = isFile.includes(true) ? Math.max(0, ...sums.filter((_, index) => !isFile[index])) : 0;
  return sums.map((sum, index) => (isFile[index] ? 1 : Math.exp((sum - highest) / model.scale)));
}

function walk({ feature, threshold, left, right, leaf }: RankModel["trees"][number], row: Float64Array): number {
  if (feature.length === 0) return leaf[0] ?? 0;
  let node = 0;
  while (node >= 0) {
    const goesLeft = (row[feature[node] ?? 0] ?? 0) <= (threshold[node] ?? 0);
    node = (goesLeft ? left[node] : right[node]) ?? -1;
  }
  return leaf[-node - 1] ?? 0;
}
