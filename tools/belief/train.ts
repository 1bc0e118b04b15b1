import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describeClauses, seeClauses } from "../../src/belief/features.ts";
import { tellAround, toChances, TOLD } from "../../src/belief/reader.ts";
import { openTextVectors } from "../../src/model/static-embedder.ts";
import { augment } from "./augment.ts";
import { readOthers, readWritten } from "./labelled.ts";
import type { Labelled } from "./labelled.ts";
import { predict, train } from "./model.ts";
import type { Example, Learnt, Settings } from "./model.ts";

// Learns the reader of data/belief-reader.bin from labelled messages, and measures it on sources that it has not seen.
//   node tools/belief/train.ts SHARED [--write] [--sources] [--curve]
const root = join(import.meta.dirname, "../..");
const shared = process.argv.slice(2).find((word) => !word.startsWith("--")) ?? join(root, "../shared");
const wants = (name: string) => process.argv.includes(`--${name}`);

const FIRST: Settings = { hidden: 16, epochs: 4, rate: 0.02, leastCount: 6, dropped: 0.2, useVectors: true, seed: 1 };
const SECOND: Settings = { hidden: 12, epochs: 6, rate: 0.02, leastCount: 4, dropped: 0.1, useVectors: true, seed: 2 };
const FOLDS = 3;
const DEVELOPMENT = 7;
// On messages to an assistant that were kept apart for development, so much of what is kept must be right.
const WANTED_PRECISION = 0.8;
/** Collections that are never learnt from: their licences do not allow it, or nobody knows. */
const TESTED = new Set(["locomo", "beam"]);

const vectorOf = openTextVectors(join(root, "data"));
const folder = join(root, "tools/belief/labels");
const others = examplesOf(readOthers(join(folder, "others"), shared));
const own = readWritten(join(folder, "written"), "train-");
const written = examplesOf(own);
/** Only learnt from: sentences of our own messages, each set into frames several times. */
const framed = examplesOf([1, 2].flatMap((seed) => augment(own, seed)));
const unseen = examplesOf(readWritten(join(folder, "written"), "test-"));
const pool = [...others.filter(({ source }) => !TESTED.has(source)), ...written];
const tests = [...others.filter(({ source }) => TESTED.has(source)), ...unseen];

const reader = learn(pool.filter((example) => !isDevelopment(example)));
const development = pool.filter((example) => isDevelopment(example));
const threshold = thresholdFor(
  scoresOf(
    reader,
    development.filter(({ source }) => source.startsWith("train-") || source === "arena-hard"),
  ),
  WANTED_PRECISION,
);
report("development", scoresOf(reader, development), threshold);
for (const [source, list] of [
  ...Map.groupBy(tests, (example) => familyOf(example.source)),
  ["all tests", tests] as const,
])
  report(source, scoresOf(reader, list), threshold);
if (wants("write")) {
  // What was kept apart for choosing the threshold is learnt from in the end.
  const { first, second } = learn(pool);
  const file = Buffer.concat([floats([threshold]), pack(first), pack(second)]);
  writeFileSync(join(root, "data/belief-reader.bin"), file);
  process.stdout.write(`data/belief-reader.bin: ${file.length} bytes, threshold ${threshold.toFixed(3)}\n`);
}
if (wants("sources"))
  for (const source of new Set(pool.map((example) => familyOf(example.source)))) {
    const without = learn(pool.filter((example) => familyOf(example.source) !== source));
    report(
      `without ${source}`,
      scoresOf(
        without,
        pool.filter((example) => familyOf(example.source) === source),
      ),
      threshold,
    );
  }
if (wants("curve"))
  for (const share of [0.1, 0.25, 0.5, 0.75, 1]) {
    const part = learn(
      pool.filter((example) => !isDevelopment(example) && hashOf(`curve ${example.message}`) % 100 < share * 100),
    );
    report(`${share * 100} % of the messages`, scoresOf(part, tests), threshold);
  }

interface Reader {
  first: Learnt;
  second: Learnt;
}

interface Score {
  score: number;
  keep: boolean;
}

/** Learns from examples, and from what was made of those messages among them. */
function learn(given: readonly Example[]): Reader {
  const messages = new Set(given.map(({ message }) => message));
  const more = framed.filter(({ message }) => messages.has(message.split(" ")[1] ?? ""));
  const examples = [...given, ...more];
  const first = train(examples, FIRST);
  // The second layer must see what the first says of messages that it has not learnt.
  const told = new Map<Example, number[]>();
  for (let fold = 0; fold < FOLDS; fold++) {
    const isFold = ({ message }: Example) => hashOf(message) % FOLDS === fold;
    const part = train(
      examples.filter((example) => !isFold(example)),
      FIRST,
    );
    const held = examples.filter((example) => isFold(example));
    for (const [at, chances] of chancesOf(part, held).entries()) {
      const example = held[at];
      if (example) told.set(example, chances);
    }
  }
  return { first, second: train(stack(examples, told), SECOND) };
}

function scoresOf({ first, second }: Reader, examples: readonly Example[]): Score[] {
  const chances = chancesOf(first, examples);
  const told = new Map(examples.map((example, at) => [example, chances[at] ?? []]));
  const stacked = stack(examples, told);
  return chancesOf(second, stacked).map(([score = 0], at) => ({ score, keep: stacked[at]?.label.keep ?? false }));
}

function chancesOf(learnt: Learnt, examples: readonly Example[]): number[][] {
  const index = new Map([...learnt.hashes].map((hash, row) => [hash, row] as const));
  return examples.map((example) => toChances([...predict(learnt, index, example)]));
}

function stack(examples: readonly Example[], told: ReadonlyMap<Example, readonly number[]>): Example[] {
  return [...Map.groupBy(examples, ({ message }) => message).values()].flatMap((clauses) => {
    const around = tellAround(clauses.map((clause) => (told.get(clause) ?? []).slice(0, TOLD)));
    return clauses.map((clause, at) => ({
      ...clause,
      vector: around[at] ?? new Float32Array(0),
      features: { words: [], structure: clause.features.structure, context: [] },
    }));
  });
}

function examplesOf(messages: readonly Labelled[]): Example[] {
  return messages.flatMap(({ id, source, text, before, clauses, labels }) => {
    const features = describeClauses(seeClauses(clauses, text), text, before);
    return clauses.flatMap((clause, at): Example[] => {
      const [feature, label] = [features[at], labels[at]];
      return feature && label ? [{ source, message: id, features: feature, vector: vectorOf(clause.text), label }] : [];
    });
  });
}

/** The lowest score from which on what is kept is right often enough. */
function thresholdFor(scores: readonly Score[], precision: number): number {
  let [right, threshold] = [0, 1];
  for (const [at, { score, keep }] of scores.toSorted((one, other) => other.score - one.score).entries()) {
    if (keep) right += 1;
    if (at > 20 && right / (at + 1) >= precision) threshold = score;
  }
  return threshold;
}

function report(name: string, scores: readonly Score[], from: number): void {
  const kept = scores.filter(({ score }) => score >= from);
  const right = kept.filter(({ keep }) => keep).length;
  const wanted = scores.filter(({ keep }) => keep).length;
  const percent = (part: number, whole: number) => (whole === 0 ? "–" : `${((100 * part) / whole).toFixed(1)} %`);
  process.stdout.write(
    `${name.padEnd(28)} ${scores.length} clauses, ${wanted} to keep: precision ${percent(right, kept.length)}, recall ${percent(right, wanted)}\n`,
  );
}

/** English and Chinese LifeBench are one text in two languages; authors are told apart by English and the rest. */
function familyOf(source: string): string {
  if (source.startsWith("lifebench")) return "lifebench";
  return source.replace(/^(train|test)-(?!en$).*/, "$1-other languages");
}

function isDevelopment({ message }: Example): boolean {
  return hashOf(message) % DEVELOPMENT === 0;
}

function hashOf(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  return value >>> 0;
}

function pack({ hashes, hidden, rows, vectors, bias, heads, headBias }: Learnt): Buffer {
  const [rowScale, vectorScale] = [scaleOf(rows), scaleOf(vectors)];
  return Buffer.concat([
    floats([hidden, hashes.length, vectors.length / hidden, rowScale, vectorScale]),
    Buffer.from(hashes.buffer, hashes.byteOffset, hashes.byteLength),
    bytes(rows, rowScale),
    bytes(vectors, vectorScale),
    floats(bias),
    floats(heads),
    floats(headBias),
  ]);
}

/** One step of a byte, so that all but the very largest numbers fit. */
function scaleOf(values: Float32Array): number {
  const sorted = values.map((value) => Math.abs(value)).toSorted();
  return (sorted[Math.floor(sorted.length * 0.999)] ?? 1) / 127;
}

function bytes(values: Float32Array, scale: number): Buffer {
  return Buffer.from(
    Int8Array.from(values, (value) => Math.max(-127, Math.min(127, Math.round(value / scale)))).buffer,
  );
}

function floats(values: ArrayLike<number>): Buffer {
  const out = Buffer.alloc(values.length * 4);
  for (let at = 0; at < values.length; at++) out.writeFloatLE(values[at] ?? 0, at * 4);
  return out;
}
