import type { Features } from "../../src/belief/features.ts";
import { FRAMES, HEADS, TOPICS, WHOSE } from "../../src/belief/reader.ts";
import type { Label } from "./labelled.ts";

/** A clause to learn from: what it looks like, what its vector is, what it was labelled. */
export interface Example {
  source: string;
  message: string;
  features: Features;
  vector: Float32Array;
  label: Label;
}

/** What is learnt: a row for each known feature, one for each number of a vector, and what the hidden units say. */
export interface Learnt {
  hashes: Uint32Array;
  hidden: number;
  rows: Float32Array;
  vectors: Float32Array;
  bias: Float32Array;
  heads: Float32Array;
  headBias: Float32Array;
}

export interface Settings {
  hidden: number;
  epochs: number;
  rate: number;
  leastCount: number;
  dropped: number;
  useVectors: boolean;
  seed: number;
}

const PARTS = ["words", "structure", "context"] as const;

/** Numbers from a seed, the same on every machine. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let value = Math.imul(state ^ (state >>> 15), state | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Learns by stochastic gradient descent with a step of its own for each number (AdaGrad). */
export function train(examples: readonly Example[], settings: Settings): Learnt {
  const random = seeded(settings.seed);
  const hashes = knownFeatures(examples, settings.leastCount);
  const index = new Map<number, number>();
  for (const [row, hash] of hashes.entries()) index.set(hash, row);
  const { hidden } = settings;
  const dimensions = settings.useVectors ? (examples[0]?.vector.length ?? 0) : 0;
  const small = (length: number, size: number) => Float32Array.from({ length }, () => (random() - 0.5) * size);
  const learnt: Learnt = {
    hashes,
    hidden,
    rows: small(hashes.length * hidden, 0.2),
    vectors: small(dimensions * hidden, 0.2),
    bias: new Float32Array(hidden).fill(0.1),
    heads: small(HEADS * hidden, 0.6),
    headBias: new Float32Array(HEADS),
  };
  const squares = {
    rows: new Float32Array(learnt.rows.length).fill(0.01),
    vectors: new Float32Array(learnt.vectors.length).fill(0.01),
    bias: new Float32Array(hidden).fill(0.01),
    heads: new Float32Array(learnt.heads.length).fill(0.01),
    headBias: new Float32Array(HEADS).fill(0.01),
  };
  const encoded = examples.map((example) => ({
    example,
    parts: PARTS.map((part) => Int32Array.from(example.features[part].flatMap((hash) => index.get(hash) ?? []))),
  }));
  const units = new Float32Array(hidden);
  const back = new Float32Array(hidden);
  const outputs = new Float32Array(HEADS);
  const order = encoded.map((_, at) => at);
  for (let epoch = 0; epoch < settings.epochs; epoch++) {
    shuffle(order, random);
    const rate = settings.rate * (1 - (0.9 * epoch) / settings.epochs);
    for (const at of order) {
      const item = encoded[at];
      if (item === undefined) continue;
      const { example, parts } = item;
      const active = parts.map((rows) => rows.filter(() => random() >= settings.dropped));
      units.set(learnt.bias);
      for (const rows of active) addRows(units, learnt.rows, rows, 1 / Math.sqrt(rows.length + 1));
      if (dimensions > 0) addVector(units, learnt.vectors, example.vector);
      forward(units, learnt, outputs);
      const slopes = slopesOf(outputs, example.label, example.source === "counsel-chat" ? 0.1 : 1);
      back.fill(0);
      for (const [head, slope] of slopes) {
        for (let unit = 0; unit < hidden; unit++) {
          const place = head * hidden + unit;
          const value = Math.max(0, units[unit] ?? 0);
          if ((units[unit] ?? 0) > 0) back[unit] = (back[unit] ?? 0) + slope * (learnt.heads[place] ?? 0);
          step(learnt.heads, squares.heads, place, slope * value + 1e-5 * (learnt.heads[place] ?? 0), rate);
        }
        step(learnt.headBias, squares.headBias, head, slope, rate);
      }
      for (let unit = 0; unit < hidden; unit++) {
        const slope = back[unit] ?? 0;
        if (slope === 0) continue;
        step(learnt.bias, squares.bias, unit, slope, rate);
        for (const rows of active) {
          const share = slope / Math.sqrt(rows.length + 1);
          for (const row of rows) step(learnt.rows, squares.rows, row * hidden + unit, share, rate);
        }
        for (let number = 0; number < dimensions; number++)
          step(learnt.vectors, squares.vectors, number * hidden + unit, slope * (example.vector[number] ?? 0), rate);
      }
    }
  }
  return learnt;
}

/** What each head says of a clause, as the shipped reader reckons it. */
export function predict(learnt: Learnt, index: ReadonlyMap<number, number>, example: Example): Float32Array {
  const units = Float32Array.from(learnt.bias);
  for (const part of PARTS) {
    const rows = Int32Array.from(example.features[part].flatMap((hash) => index.get(hash) ?? []));
    addRows(units, learnt.rows, rows, 1 / Math.sqrt(rows.length + 1));
  }
  if (learnt.vectors.length > 0) addVector(units, learnt.vectors, example.vector);
  const outputs = new Float32Array(HEADS);
  forward(units, learnt, outputs);
  return outputs;
}

function knownFeatures(examples: readonly Example[], leastCount: number): Uint32Array {
  const counts = new Map<number, number>();
  for (const { features } of examples)
    for (const part of PARTS) for (const hash of new Set(features[part])) counts.set(hash, (counts.get(hash) ?? 0) + 1);
  return Uint32Array.from([...counts].filter(([, count]) => count >= leastCount).map(([hash]) => hash)).toSorted();
}

function addRows(units: Float32Array, table: Float32Array, rows: Int32Array, share: number): void {
  const hidden = units.length;
  for (const row of rows)
    for (let unit = 0; unit < hidden; unit++)
      units[unit] = (units[unit] ?? 0) + share * (table[row * hidden + unit] ?? 0);
}

function addVector(units: Float32Array, table: Float32Array, vector: Float32Array): void {
  const hidden = units.length;
  for (let number = 0; number < vector.length; number++) {
    const value = vector[number] ?? 0;
    for (let unit = 0; unit < hidden; unit++)
      units[unit] = (units[unit] ?? 0) + value * (table[number * hidden + unit] ?? 0);
  }
}

function forward(units: Float32Array, { heads, headBias, hidden }: Learnt, outputs: Float32Array): void {
  for (let head = 0; head < HEADS; head++) {
    let sum = headBias[head] ?? 0;
    for (let unit = 0; unit < hidden; unit++) sum += Math.max(0, units[unit] ?? 0) * (heads[head * hidden + unit] ?? 0);
    outputs[head] = sum;
  }
}

const KEEP_WEIGHT = 2;

/** How each head that a label speaks of should move. */
function slopesOf(outputs: Float32Array, label: Label, topicWeight: number): [number, number][] {
  const slopes: [number, number][] = [];
  const binary = (head: number, wanted: boolean, weight: number) =>
    slopes.push([head, weight * (1 / (1 + Math.exp(-(outputs[head] ?? 0))) - (wanted ? 1 : 0))]);
  const choice = (first: number, names: readonly string[], wanted: string | undefined, weight: number) => {
    const at = names.indexOf(wanted ?? "");
    if (at < 0) return;
    const chances = softmax(outputs, first, names.length);
    for (const [place, chance] of chances.entries())
      slopes.push([first + place, weight * (chance - (place === at ? 1 : 0))]);
  };
  binary(0, label.keep, KEEP_WEIGHT);
  choice(3, FRAMES, label.frame, 1);
  if (label.lasts !== undefined) binary(1, label.lasts, 0.7);
  if (label.denied !== undefined) binary(2, label.denied, 0.5);
  choice(3 + FRAMES.length, WHOSE, label.whose, 0.7);
  // What people write to counsellors is nearly all about their health.
  choice(3 + FRAMES.length + WHOSE.length, TOPICS, label.topic, topicWeight);
  return slopes;
}

function softmax(outputs: Float32Array, first: number, length: number): number[] {
  const part = [...outputs.subarray(first, first + length)];
  const most = Math.max(...part);
  const sized = part.map((value) => Math.exp(value - most));
  const total = sized.reduce((sum, value) => sum + value, 0);
  return sized.map((value) => value / total);
}

function step(values: Float32Array, squares: Float32Array, at: number, slope: number, rate: number): void {
  const square = (squares[at] ?? 0) + slope * slope;
  squares[at] = square;
  values[at] = (values[at] ?? 0) - (rate * slope) / Math.sqrt(square);
}

function shuffle(order: number[], random: () => number): void {
  for (let last = order.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    const held = order[last] ?? 0;
    order[last] = order[other] ?? 0;
    order[other] = held;
  }
}
