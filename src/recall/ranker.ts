import { FEATURES } from "./features.ts";
import type { Ranking } from "./rank.ts";
import { readRankModel } from "./rank-model.ts";
import type { RankModel } from "./rank-model.ts";

/** How many of the first candidates are looked at more closely. */
export const RANKED_CLOSELY = 80;

/** The factors by which the trees change the candidates' scores. */
export function judgeCandidates(ranking: readonly Ranking[], features: readonly Float64Array[]): number[] {
  const model = readRankModel();
  const columns = model.features.map((name) => FEATURES.indexOf(name));
  const sums = features.map((row) => model.trees.reduce((sum, tree) => sum + walk(tree, row, columns), 0));
  // It learnt from talk. What stands in files is what is believed: it keeps its score, and no talk rises above its own.
  const isFile = ranking.map(({ candidate }) => candidate.voice === "file");
  const highest = isFile.includes(true) ? Math.max(0, ...sums.filter((_, index) => !isFile[index])) : 0;
  return sums.map((sum, index) => (isFile[index] ? 1 : Math.exp((sum - highest) / model.scale)));
}

function walk(tree: RankModel["trees"][number], row: Float64Array, columns: readonly number[]): number {
  if (tree.feature.length === 0) return tree.leaf[0] ?? 0;
  let node = 0;
  while (node >= 0) {
    const value = row[columns[tree.feature[node] ?? 0] ?? 0] ?? 0;
    node = (value <= (tree.threshold[node] ?? 0) ? tree.left[node] : tree.right[node]) ?? -1;
  }
  return tree.leaf[-node - 1] ?? 0;
}
