import { access, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { openStaticEmbedder } from "../../src/model/static-embedder.ts";
import { openTeacher, teachers } from "./teacher.ts";
import type { TeacherName } from "./teacher.ts";
import { readWorlds } from "./world.ts";
import type { World } from "./world.ts";

// Compares the tables with the models they were made from, by cosine alone: every message and every question is embedded, and
// the share of the labelled evidence among the first 5, 10 and 20 messages is counted.
// Usage: compare.ts WORLDS_DIR… [--tables WORLDS_DIR…]; worlds after --tables are asked of the tables only, since models are slow.

interface Candidate {
  readonly name: string;
  embed(texts: readonly string[]): Promise<Float32Array[]>;
  close(): Promise<void>;
}

const depths = [5, 10, 20];
const pairs = [
  ["The kitten slept on the sofa.", "A young cat was napping on the couch."],
  ["She quit her job in March.", "In spring she resigned from work."],
  ["What medicine does he take?", "The doctor prescribed antibiotics for him."],
  ["She bought a red bicycle.", "The committee approved the budget."],
  ["他昨天买了一辆自行车。", "他买了单车。"],
  ["他昨天买了一辆自行车。", "He bought a bicycle yesterday."],
  ["他昨天买了一辆自行车。", "会议推迟到下周三。"],
] as const;

const split = process.argv.indexOf("--tables");
const folders = process.argv.slice(2, split === -1 ? undefined : split);
const tableFolders = split === -1 ? [] : process.argv.slice(split + 1);
if (folders.length === 0 && tableFolders.length === 0) {
  process.stderr.write("usage: compare.ts WORLDS_DIR… [--tables WORLDS_DIR…]\n");
  process.exit(2);
}

const tables = await openTables();
const models = folders.length === 0 ? [] : await openModels();
const sections = [];
for (const folder of folders) {
  sections.push(await compareOn(folder, [...tables, ...models]));
}
for (const folder of tableFolders) {
  sections.push(await compareOn(folder, tables));
}
sections.push(await compareLikeness([...tables, ...models]));
await Promise.all([...tables, ...models].map((candidate) => candidate.close()));
const intro = `# Tables and their teachers

Written by \`node tools/distil/compare.ts\`. Cosine alone, one message a passage ("name: content"), no keywords: the share of the
labelled evidence among the first 5, 10 and 20 messages. Speed is that of one process on two busy cores, for comparison within
a table only; messages of BEAM and LifeBench are long (2,800 and 1,100 characters), those of LoCoMo short (150).
`;
await writeFile(join(import.meta.dirname, "RESULTS.md"), [intro, ...sections].join("\n"));

async function openTables(): Promise<Candidate[]> {
  const plain = join(import.meta.dirname, "build/plain");
  const hasPlain = await access(plain).then(
    () => true,
    () => false,
  );
  const places = [
    ...(hasPlain ? [["plain table", plain] as const] : []),
    ["trained table", join(import.meta.dirname, "../../data")] as const,
  ];
  return Promise.all(
    places.map(async ([name, folder]) => {
      const embedder = await openStaticEmbedder(folder);
      return { name, embed: (texts: readonly string[]) => embedder.embed(texts), close: () => embedder.close() };
    }),
  );
}

async function openModels(): Promise<Candidate[]> {
  const names: TeacherName[] = ["all-MiniLM-L6-v2", "gte-small", "bge-small-en-v1.5"];
  return Promise.all(
    names.map(async (name) => {
      const model = await openTeacher(name);
      return {
        name: `${name} (${teachers[name].precision})`,
        embed: (texts: readonly string[]) => model.embed(texts),
        close: () => model.close(),
      };
    }),
  );
}

async function compareOn(folder: string, candidates: readonly Candidate[]): Promise<string> {
  const worlds = await readWorlds(folder);
  const questions = worlds.reduce((sum, world) => sum + world.questions.length, 0);
  const lines = [
    `## ${basename(folder)}: ${worlds.length} worlds, ${questions} questions`,
    "",
    `| | ${depths.map((depth) => `frac@${depth}`).join(" | ")} | texts a second |`,
    `|---|${depths.map(() => "---|").join("")}---|`,
  ];
  for (const candidate of candidates) {
    const { found, perSecond } = await measure(candidate, worlds);
    const shares = found.map((sum) => (sum / questions).toFixed(3).replace(/^0/, ""));
    lines.push(`| ${candidate.name} | ${shares.join(" | ")} | ${perSecond.toFixed(0)} |`);
    process.stdout.write(`${lines.at(-1)}\n`);
  }
  return `${lines.join("\n")}\n`;
}

async function measure(
  candidate: Candidate,
  worlds: readonly World[],
): Promise<{ found: number[]; perSecond: number }> {
  const found = depths.map(() => 0);
  let texts = 0;
  let seconds = 0;
  for (const world of worlds) {
    const started = performance.now();
    const messages = await candidate.embed(world.messages.map(({ name, content }) => `${name}: ${content}`));
    const questions = await candidate.embed(world.questions.map(({ query }) => query));
    seconds += (performance.now() - started) / 1000;
    texts += messages.length + questions.length;
    for (const [index, { evidence }] of world.questions.entries()) {
      const question = questions[index] ?? new Float32Array(0);
      const ranked = messages
        .map((message, place) => ({ id: world.messages[place]?.id ?? "", score: cosine(question, message) }))
        .toSorted((a, b) => b.score - a.score);
      for (const [column, depth] of depths.entries()) {
        const first = new Set(ranked.slice(0, depth).map(({ id }) => id));
        const hits = evidence.filter((id) => first.has(id)).length;
        found[column] = (found[column] ?? 0) + hits / evidence.length;
      }
    }
  }
  return { found, perSecond: texts / seconds };
}

async function compareLikeness(candidates: readonly Candidate[]): Promise<string> {
  const rows = await Promise.all(
    pairs.map(async ([one, other]) => {
      const values = await Promise.all(
        candidates.map(async (candidate) => {
          const [a = new Float32Array(0), b = new Float32Array(0)] = await candidate.embed([one, other]);
          return cosine(a, b).toFixed(2);
        }),
      );
      return `| ${one} | ${other} | ${values.join(" | ")} |`;
    }),
  );
  const head = `| | | ${candidates.map(({ name }) => name).join(" | ")} |\n|---|---|${candidates.map(() => "---|").join("")}`;
  return `## Likeness of a few sentences (cosine)\n\nOnly the tables know Chinese; models differ in how far their cosines spread.\n\n${head}\n${rows.join("\n")}\n`;
}

function cosine(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);
}
