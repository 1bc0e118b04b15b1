import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { splitClauses } from "../../src/language/split-clauses.ts";
import { readSources } from "./sources.ts";
import type { SourceMessage } from "./sources.ts";

// Draws the messages to be labelled, cuts them into clauses and writes them as batches of about equal length.
//   node tools/belief/batch.ts SHARED OUT
const [shared, out] = process.argv.slice(2);
if (shared === undefined || out === undefined) {
  process.stderr.write("usage: batch.ts SHARED OUT\n");
  process.exit(2);
}
const SEED = 30;
const BATCHES = 12;
const MOST_CLAUSES = 60;
const LONGEST_CLAUSE = 600;
const WANTED: Readonly<Record<string, number>> = {
  "arena-hard": 726,
  "counsel-chat": 496,
  beam: 500,
  locomo: 500,
  "lifebench-en": 400,
  "lifebench-zh": 400,
};

const all = readSources(shared);
const drawn = Object.entries(WANTED).flatMap(([source, wanted]) => {
  const messages = all.filter((message) => message.source === source && splitClauses(message.text).length > 0);
  return draw(messages, wanted, SEED);
});
const batches: { lines: string[]; length: number }[] = Array.from({ length: BATCHES }, () => ({
  lines: [],
  length: 0,
}));
for (const message of shuffled(drawn, SEED)) {
  const clauses = splitClauses(message.text)
    .slice(0, MOST_CLAUSES)
    .map(({ text }) => (text.length > LONGEST_CLAUSE ? `${text.slice(0, LONGEST_CLAUSE)} […]` : text));
  const { id, source, before } = message;
  const line = JSON.stringify(before === undefined ? { id, source, clauses } : { id, source, before, clauses });
  const lightest = batches.reduce((best, batch) => (batch.length < best.length ? batch : best));
  lightest.lines.push(line);
  lightest.length += line.length;
}
mkdirSync(out, { recursive: true });
for (const [index, { lines, length }] of batches.entries()) {
  const name = `b${String(index + 1).padStart(2, "0")}.jsonl`;
  writeFileSync(join(out, name), `${lines.join("\n")}\n`);
  process.stdout.write(`${name}: ${lines.length} messages, ${length} characters\n`);
}

/** Spread evenly over the source, so that every world and every stretch of time is among them. */
function draw(messages: readonly SourceMessage[], wanted: number, seed: number): SourceMessage[] {
  if (messages.length <= wanted) return [...messages];
  const random = seeded(seed);
  const step = messages.length / wanted;
  return Array.from({ length: wanted }, (_, index) => messages[Math.floor((index + random()) * step)]).filter(
    (message) => message !== undefined,
  );
}

function shuffled<T>(items: readonly T[], seed: number): T[] {
  const random = seeded(seed);
  return items
    .map((item) => ({ item, at: random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
