import { FEATURES } from "./features.ts";
import type { Ranking } from "./rank-candidates.ts";
import { readRankModel } from "./rank-model.ts";
import type { RankModel } from "./rank-model.ts";

/** How many of the first candidates are looked at more closely. */
export const RANKED_CLOSELY = 80;

/** The factors by which the trees change the candidates' scores. */
export function judgeCandidates(ranking: readonly Ranking[], features: readonly Float64Array[]): number[] {
  const model = readRankModel();
  forest ??= plantForest(model);
  const trees = forest;
  const sums = features.map((row) => sumTrees(trees, row));
  // It learnt from talk. What stands in files is what is believed: it keeps its score, and no talk rises above its own.
  const isFile = ranking.map(({ candidate }) => candidate.voice === "file");
  const highest = isFile.includes(true) ? Math.max(0, ...sums.filter((_, index) => !isFile[index])) : 0;
  return sums.map((sum, index) => (isFile[index] ? 1 : Math.exp((sum - highest) / model.scale)));
}

/** All trees in a few rows of numbers: each candidate is led through all of them. */
interface Forest {
  /** Where each tree begins; below zero it is the leaf that is all of it. */
  readonly roots: Int32Array;
  readonly feature: Int32Array;
  readonly threshold: Float64Array;
  readonly left: Int32Array;
  readonly right: Int32Array;
  readonly leaf: Float64Array;
}

let forest: Forest | undefined;

function plantForest({ features, trees }: RankModel): Forest {
  const columns = features.map((name) => FEATURES.indexOf(name));
  const starts = trees.map((_, index) => countBefore(trees, index, ({ feature }) => feature.length));
  const leaves = trees.map((_, index) => countBefore(trees, index, ({ leaf }) => leaf.length));
  const placeOf = (tree: number, node: number) => (node < 0 ? node - (leaves[tree] ?? 0) : node + (starts[tree] ?? 0));
  return {
    roots: Int32Array.from(trees, ({ feature }, tree) => placeOf(tree, feature.length === 0 ? -1 : 0)),
    feature: Int32Array.from(trees.flatMap(({ feature }) => feature.map((index) => columns[index] ?? 0))),
    threshold: Float64Array.from(trees.flatMap(({ threshold }) => threshold)),
    left: Int32Array.from(trees.flatMap(({ left }, tree) => left.map((node) => placeOf(tree, node)))),
    right: Int32Array.from(trees.flatMap(({ right }, tree) => right.map((node) => placeOf(tree, node)))),
    leaf: Float64Array.from(trees.flatMap(({ leaf }) => leaf)),
  };
}

type Tree = RankModel["trees"][number];

function countBefore(trees: readonly Tree[], index: number, count: (tree: Tree) => number): number {
  return trees.slice(0, index).reduce((sum, tree) => sum + count(tree), 0);
}

function sumTrees({ roots, feature, threshold, left, right, leaf }: Forest, row: Float64Array): number {
  let sum = 0;
  for (let tree = 0; tree < roots.length; tree++) {
    let node = roots[tree] ?? -1;
    while (node >= 0) {
      const goesLeft = (row[feature[node] ?? 0] ?? 0) <= (threshold[node] ?? 0);
      node = (goesLeft ? left[node] : right[node]) ?? -1;
    }
    sum += leaf[-node - 1] ?? 0;
  }
  return sum;
}
