import { readFileSync } from "node:fs";
import { z } from "zod";
import { shippedPath } from "../shipped.ts";
import { FEATURES } from "./features.ts";

// Thousands of numbers, which are looked at once in a process: one check a list, and none a number.
const numbers = (isRight: (value: unknown) => boolean) =>
  z.custom<readonly number[]>((value) => Array.isArray(value) && value.every(isRight));
const anyNumbers = numbers(Number.isFinite);
const wholeNumbers = numbers(Number.isSafeInteger);
const places = numbers((value) => typeof value === "number" && Number.isSafeInteger(value) && value >= 0);

/** A tree: at each node a feature is compared with a threshold; up to it the way goes left. Leaves have negative numbers. */
const Tree = z.object({
  feature: places,
  threshold: anyNumbers,
  left: wholeNumbers,
  right: wholeNumbers,
  leaf: anyNumbers,
});

const Numbers = z.array(z.number()).length(5);

/** What tools/rank has learnt: trees whose sum raises or lowers a first score, and what tells an answer from none. */
const RankModel = z.object({
  version: z.literal(1),
  features: z.array(z.enum(FEATURES)),
  /** How much the logarithm of the first score weighs beside the trees. */
  scale: z.number().positive(),
  trees: z.array(Tree),
  confidence: z.object({ middle: Numbers, size: Numbers, weight: Numbers, bias: z.number() }),
});
export type RankModel = z.infer<typeof RankModel>;

const MODEL_FILE = shippedPath("data/rank-model.json");
let loaded: RankModel | undefined;

/** The model that is shipped; it is read with the first question. */
export function readRankModel(): RankModel {
  return (loaded ??= RankModel.parse(JSON.parse(readFileSync(MODEL_FILE, "utf8"))));
}
