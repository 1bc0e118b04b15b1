import { readFileSync } from "node:fs";
import { splitClauses } from "../language/split-clauses.ts";
import { openTextVectors } from "../model/static-embedder.ts";
import { shippedPath } from "../shipped.ts";
import { describeClauses, seeClauses } from "./features.ts";
import type { Features, SeenClause } from "./features.ts";

/** What a clause may be: asserted, asked, worked on, fiction, a joke, hypothetical, an order once or for good, a phrase. */
export const FRAMES = ["a", "q", "w", "f", "j", "h", "o", "s", "p"] as const;
/** The user's own, someone's close to them, nobody's in particular. */
export const WHOSE = ["U", "C", "N"] as const;
export const TOPICS = ["about", "health", "people", "work", "home", "plans", "style", "likes", "other"] as const;
export type Frame = (typeof FRAMES)[number];
export type Topic = (typeof TOPICS)[number];
/** Kept, lasting, denied, and one for each of the above. */
export const HEADS = 3 + FRAMES.length + WHOSE.length + TOPICS.length;
/** What the second layer is told of a clause by the first. */
export const TOLD = 3 + FRAMES.length + WHOSE.length;

/** A clause, and what the reader makes of it. */
export interface ReadClause extends SeenClause {
  /** How likely it is something that a good memory keeps. */
  keep: number;
  lasts: number;
  denied: number;
  frames: Readonly<Record<Frame, number>>;
  /** How likely it is about the user themself, and not someone close to them. */
  own: number;
  topic: Topic;
}

/** A layer: a row for each known feature and for each number of a vector, and what its units say. */
export interface Layer {
  hidden: number;
  rowOf: (hash: number) => number | undefined;
  rows: Int8Array;
  rowScale: number;
  vectors: Int8Array;
  vectorScale: number;
  bias: Float32Array;
  heads: Float32Array;
  headBias: Float32Array;
}

const LONGEST_MESSAGE = 20_000;

/** Reads a message clause by clause. Pure: the same words are read the same way, wherever and whenever. */
export function readClauses(said: string, before?: string, spoken?: string): ReadClause[] {
  const text = said.slice(0, LONGEST_MESSAGE);
  const seen = seeClauses(splitClauses(text), text, spoken);
  const features = describeClauses(seen, text, before);
  const { first, second, vectorOf } = weights();
  const told = seen.map((clause, index) => chancesOf(first, features[index], vectorOf(clause.text)));
  const around = tellAround(told.map((heads) => heads.slice(0, TOLD)));
  return seen.map((clause, index) => {
    const own = features[index];
    const heads = chancesOf(second, own && { words: [], structure: own.structure, context: [] }, around[index]);
    const frames = 3;
    const topics = frames + FRAMES.length + WHOSE.length;
    const chance = (at: number) => heads[at] ?? 0;
    const [a, q, w, f, j, h, o, s, p] = heads.slice(frames, frames + FRAMES.length);
    const topic = (told[index] ?? []).slice(topics);
    return {
      ...clause,
      keep: chance(0),
      lasts: chance(1),
      denied: chance(2),
      frames: { a: a ?? 0, q: q ?? 0, w: w ?? 0, f: f ?? 0, j: j ?? 0, h: h ?? 0, o: o ?? 0, s: s ?? 0, p: p ?? 0 },
      own: chance(frames + FRAMES.length),
      topic: TOPICS[topic.indexOf(Math.max(...topic))] ?? "other",
    };
  });
}

/** What the second layer sees of a clause: what the first says of it, its neighbours, and its message as a whole. */
export function tellAround(told: readonly (readonly number[])[]): Float32Array[] {
  const none = Array.from({ length: TOLD }, () => 0);
  const mean = none.map((_, at) => told.reduce((sum, heads) => sum + (heads[at] ?? 0), 0) / Math.max(1, told.length));
  const most = none.map((_, at) => told.reduce((high, heads) => Math.max(high, heads[at] ?? 0), 0));
  return told.map((heads, index) =>
    Float32Array.from(
      [
        heads,
        told[index - 1] ?? none,
        told[index + 1] ?? none,
        mean,
        most,
        told[0] ?? none,
        told[index - 2] ?? none,
      ].flat(),
    ),
  );
}

/** What each head says, as chances. */
function chancesOf(layer: Layer, features: Features | undefined, vector: Float32Array | undefined): number[] {
  const { hidden, rows, rowScale, vectors, vectorScale, heads, headBias } = layer;
  const units = Float32Array.from(layer.bias);
  for (const part of features ? [features.words, features.structure, features.context] : []) {
    const known = part.flatMap((hash) => layer.rowOf(hash) ?? []);
    const share = rowScale / Math.sqrt(known.length + 1);
    for (const row of known)
      for (let unit = 0; unit < hidden; unit++)
        units[unit] = (units[unit] ?? 0) + share * (rows[row * hidden + unit] ?? 0);
  }
  for (let number = 0; number < (vector?.length ?? 0); number++) {
    const value = (vector?.[number] ?? 0) * vectorScale;
    if (value === 0) continue;
    for (let unit = 0; unit < hidden; unit++)
      units[unit] = (units[unit] ?? 0) + value * (vectors[number * hidden + unit] ?? 0);
  }
  const outputs = Array.from({ length: HEADS }, (_, head) => {
    let sum = headBias[head] ?? 0;
    for (let unit = 0; unit < hidden; unit++) sum += Math.max(0, units[unit] ?? 0) * (heads[head * hidden + unit] ?? 0);
    return sum;
  });
  return toChances(outputs);
}

/** Heads as chances: three of their own, then one of each list. */
export function toChances(outputs: readonly number[]): number[] {
  const list = (from: number, length: number): number[] => {
    const part = outputs.slice(from, from + length);
    const most = Math.max(...part);
    const sized = part.map((value) => Math.exp(value - most));
    const total = sized.reduce((sum, value) => sum + value, 0);
    return sized.map((value) => value / total);
  };
  const single = outputs.slice(0, 3).map((value) => 1 / (1 + Math.exp(-value)));
  const topics = 3 + FRAMES.length + WHOSE.length;
  return [
    ...single,
    ...list(3, FRAMES.length),
    ...list(3 + FRAMES.length, WHOSE.length),
    ...list(topics, TOPICS.length),
  ];
}

interface Weights {
  first: Layer;
  second: Layer;
  /** From which chance on a clause is kept. */
  threshold: number;
  vectorOf: (text: string) => Float32Array;
}

let loaded: Weights | undefined;

/** From which chance on a clause is kept; chosen where what is kept is right more often than what is left out is missed. */
export function keepThreshold(): number {
  return weights().threshold;
}

function weights(): Weights {
  return (loaded ??= {
    ...parseWeights(readFileSync(shippedPath("data/belief-reader.bin"))),
    vectorOf: openTextVectors(shippedPath("data")),
  });
}

/** The file: its threshold, then two layers, each as its sizes and scales, hashes, rows, vectors, biases and heads; little-endian. */
function parseWeights(file: Buffer): Omit<Weights, "vectorOf"> {
  let at = 0;
  const number = (): number => {
    at += 4;
    return file.readFloatLE(at - 4);
  };
  const floats = (length: number): Float32Array => Float32Array.from({ length }, () => number());
  const bytes = (length: number): Int8Array => {
    at += length;
    return Int8Array.from(file.subarray(at - length, at), (byte) => (byte << 24) >> 24);
  };
  const layer = (): Layer => {
    const [hidden = 0, known = 0, dimensions = 0, rowScale = 0, vectorScale = 0] = floats(5);
    const rowOf = new Map<number, number>();
    for (let row = 0; row < known; row++, at += 4) rowOf.set(file.readUInt32LE(at), row);
    const rows = bytes(known * hidden);
    const vectors = bytes(dimensions * hidden);
    const bias = floats(hidden);
    const heads = floats(HEADS * hidden);
    return {
      hidden,
      rowOf: (hash) => rowOf.get(hash),
      rows,
      rowScale,
      vectors,
      vectorScale,
      bias,
      heads,
      headBias: floats(HEADS),
    };
  };
  const threshold = number();
  return { threshold, first: layer(), second: layer() };
}
