import { execFile, spawn } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { parseArgs, promisify } from "node:util";
import { z } from "zod";
import { openStaticEmbedder } from "../src/model/static-embedder.ts";
import { recall } from "../src/recall/recall.ts";
import { createVectorMatrix } from "../src/search/vector-matrix.ts";
import { openFolderSearch } from "../test/support/folder-search.ts";
import { BLOCK_ROWS, packBlock, packVector } from "../src/search/packed-vector.ts";
import type { Search } from "../src/search/search.ts";
import { replaceSection } from "./recall-report.ts";
import { createTextMaker, writeLists, writeNotes } from "./search-text.ts";
import type { TextMaker } from "./search-text.ts";

// How long indexing and searching take, beside plain FTS5 over the same texts in the same run.
//   node bench/search.ts [--quick] [--only notes|lists|vectors|import|talk|million]; with --only, those lines of the table alone are written anew

const QUESTIONS = 100;
const MODES = [
  { name: "words and meaning", useKeywords: true, useVectors: true },
  { name: "words", useKeywords: true, useVectors: false },
  { name: "meaning", useKeywords: false, useVectors: true },
];
const Usage = z.object({ userCPUTime: z.number(), systemCPUTime: z.number(), maxRSS: z.number() });
const rows: string[][] = [];
const report = (what: string, value: string, remark = "") => {
  rows.push([what, value, remark]);
  console.log(`${what.padEnd(58)} ${value}  ${remark}`);
};
const ms = (value: number) => `${value < 10 ? value.toFixed(1) : value.toFixed(0)} ms`;

const { values } = parseArgs({ options: { quick: { type: "boolean" }, only: { type: "string" } } });
const isQuick = values.quick === true;
const isWanted = (part: string) => values.only === undefined || values.only === part;
const embedder = await openStaticEmbedder(join(import.meta.dirname, "../data"));
if (isWanted("notes")) for (const files of isQuick ? [200] : [1_000, 5_000, 10_000]) await measureNotes(files);
if (isWanted("lists")) await measureLists(isQuick ? 200 : 1_000);
if (isWanted("vectors")) for (const count of isQuick ? [10_000] : [10_000, 100_000, 1_000_000]) measureVectors(count);
await embedder.close();
for (const name of isQuick ? ["import"] : ["import", "talk", "million"]) if (isWanted(name)) await measureLarge(name);
if (!isQuick) await (values.only === undefined ? writeReport() : writeLines());

async function measureNotes(files: number): Promise<void> {
  const maker = createTextMaker(files);
  const workspace = await mkdtemp(join(tmpdir(), "tidemark-search-"));
  const bytes = await writeNotes(workspace, files, maker);
  const label = `${files.toLocaleString("en-US")} files`;
  report(`${label}: text`, `${(bytes / 1e6).toFixed(1)} MB`);
  try {
    if (files <= 1_000) await measureIndexing(label, workspace);
    await measureWhole(label, workspace, bytes, maker);
  } finally {
    await rm(workspace, { recursive: true });
  }
}

/** Many short passages cost more than few long ones; told in processor time, which other work does not lengthen. */
async function measureLists(files: number): Promise<void> {
  const workspace = await mkdtemp(join(tmpdir(), "tidemark-lists-"));
  const label = `${files.toLocaleString("en-US")} lists`;
  try {
    await writeLists(workspace, files, createTextMaker(files));
    const ours: number[] = [];
    const floors: number[] = [];
    for (const run of [1, 2, 3, 4, 5]) {
      ours.push(await processorTime(() => indexByWords(workspace, run)));
      floors.push(await processorTime(async () => indexPlainly(workspace, run)));
    }
    const ratio = median(ours.map((time, run) => time / (floors[run] ?? time)));
    report(`${label}: index, words alone, processor time`, ms(median(ours)), `${ratio.toFixed(1)} × the floor`);
    report(`${label}: plain FTS5, the floor, processor time`, ms(median(floors)));
  } finally {
    await rm(workspace, { recursive: true });
  }
}

async function processorTime(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** Ours and the floor in turn, so that what else the machine does weighs on both. */
async function measureIndexing(label: string, workspace: string): Promise<void> {
  const ours: number[] = [];
  const floors: number[] = [];
  for (const run of [1, 2, 3, 4, 5]) {
    ours.push(await indexByWords(workspace, run));
    floors.push(indexPlainly(workspace, run));
  }
  const ratio = median(ours.map((time, run) => time / (floors[run] ?? time)));
  report(`${label}: index, words alone`, ms(median(ours)), `${ratio.toFixed(1)} × the floor`);
  report(`${label}: plain FTS5, the floor`, ms(median(floors)));
}

/** The least that any index could cost: each file read, each paragraph put into FTS5, nothing else. */
function indexPlainly(workspace: string, run: number): number {
  const start = performance.now();
  const database = new DatabaseSync(join(workspace, `floor-${run}.sqlite`));
  database.exec("PRAGMA journal_mode = WAL; CREATE VIRTUAL TABLE k USING fts5 (text, tokenize = 'porter unicode61')");
  database.exec("BEGIN");
  const insert = database.prepare("INSERT INTO k VALUES (?)");
  const folder = join(workspace, "memory");
  for (const name of readdirSync(folder)) {
    for (const part of readFileSync(join(folder, name), "utf8").split(/\n(?=-|\n)/)) insert.run(part);
  }
  database.exec("COMMIT");
  database.close();
  return performance.now() - start;
}

async function indexByWords(workspace: string, run: number): Promise<number> {
  const start = performance.now();
  const search = await openFolderSearch({
    workspace,
    indexPath: join(workspace, `words-${run}.sqlite`),
    timezone: "UTC",
  });
  await search.sync();
  await search.close();
  return performance.now() - start;
}

async function measureWhole(label: string, workspace: string, bytes: number, maker: TextMaker): Promise<void> {
  const indexPath = join(workspace, ".tidemark", "index.sqlite");
  const start = performance.now();
  const search = await openFolderSearch({ workspace, indexPath, timezone: "UTC", embedder });
  await search.sync();
  const { passages } = await search.size();
  report(`${label}: index, words and vectors`, ms(performance.now() - start), `${passages} passages`);
  const edits = await measureEdits(search, workspace);
  report(`${label}: sync after one edit, p50`, ms(median(edits)));
  const questions = Array.from({ length: QUESTIONS }, () => maker.question());
  for (const mode of MODES) {
    const { times, cpuMs } = await measureQuestions(search, questions, mode);
    report(
      `${label}: ${mode.name}, p50 · p95`,
      `${ms(median(times))} · ${ms(percentile(times, 0.95))}`,
      `${ms(cpuMs)} of processor time on average`,
    );
  }
  report(`${label}: embedding a question, p50`, ms(median(await measureEmbedding(questions))));
  await search.close();
  const watching = await openFolderSearch({
    workspace,
    indexPath,
    timezone: "UTC",
    embedder,
    watch: { intervalMs: 60_000 },
  });
  const whole = await measureRecalls(watching, questions);
  report(
    `${label}: recall in a process that watches, p50 · p95`,
    `${ms(median(whole))} · ${ms(percentile(whole, 0.95))}`,
  );
  await watching.close();
  const looking = await openFolderSearch({ workspace, indexPath, timezone: "UTC", embedder });
  const stats = await measureRecalls(looking, questions);
  report(
    `${label}: recall that looks at every file, p50 · p95`,
    `${ms(median(stats))} · ${ms(percentile(stats, 0.95))}`,
  );
  await looking.close();
  const size = statSync(indexPath).size;
  report(`${label}: index on disk`, `${(size / 1e6).toFixed(1)} MB`, `${(size / bytes).toFixed(1)} × the text`);
  await measureShell(label, workspace, maker);
}

async function measureQuestions(
  search: Search,
  questions: readonly string[],
  mode: (typeof MODES)[number],
): Promise<{ times: number[]; cpuMs: number }> {
  const ask = (text: string) => search.gather({ ...mode, text, filter: {}, isOfInterest: undefined });
  for (const text of questions.slice(0, 10)) await ask(text);
  const times: number[] = [];
  const before = process.cpuUsage();
  for (const text of questions) {
    const start = performance.now();
    await ask(text);
    times.push(performance.now() - start);
  }
  // Where other work shares the machine, this is what a question costs; the time on the clock includes waiting.
  const { user, system } = process.cpuUsage(before);
  return { times, cpuMs: (user + system) / 1_000 / questions.length };
}

async function measureRecalls(search: Search, questions: readonly string[]): Promise<number[]> {
  const times: number[] = [];
  for (const text of ["warming up", ...questions]) {
    const start = performance.now();
    await recall(search, text, { now: new Date(), timezone: "UTC" });
    times.push(performance.now() - start);
  }
  return times.slice(1);
}

async function measureEdits(search: Search, workspace: string): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < 9; round++) {
    await writeFile(join(workspace, "memory", "1995-01-05.md"), `# Changed\n\n- for the time ${round}\n`);
    // Not counted: younger files are read twice, since a second edit could bear the same time.
    await new Promise((resolve) => setTimeout(resolve, 60));
    const start = performance.now();
    await search.sync();
    times.push(performance.now() - start);
  }
  return times;
}

async function measureEmbedding(questions: readonly string[]): Promise<number[]> {
  const times: number[] = [];
  for (const text of questions) {
    const start = performance.now();
    await embedder.embed([text], { kind: "query" });
    times.push(performance.now() - start);
  }
  return times;
}

/** The command line in a process of its own: wall time and the most memory it held. */
async function measureShell(label: string, workspace: string, maker: TextMaker): Promise<void> {
  const times: number[] = [];
  const costs: { cpuMs: number; kilobytes: number }[] = [];
  for (let round = 0; round < 9; round++) {
    const start = performance.now();
    const outcome = await runSearch(workspace, maker.question());
    if (outcome.cost === undefined) return report(`${label}: tidemark search`, "–", outcome.error.trim().slice(0, 120));
    times.push(performance.now() - start);
    costs.push(outcome.cost);
  }
  report(
    `${label}: tidemark search from the shell, p50`,
    ms(median(times)),
    `${ms(median(costs.map(({ cpuMs }) => cpuMs)))} of processor time, ${(median(costs.map(({ kilobytes }) => kilobytes)) / 1024).toFixed(0)} MiB`,
  );
}

async function runSearch(workspace: string, question: string) {
  const told = join(workspace, "told.json");
  const hook = `import{writeFileSync}from"node:fs";process.on("exit",()=>writeFileSync(${JSON.stringify(told)},JSON.stringify(process.resourceUsage())))`;
  const cli = join(import.meta.dirname, "../bin/tidemark.js");
  const child = spawn(
    process.execPath,
    [`--import=data:text/javascript,${encodeURIComponent(hook)}`, cli, "search", question, "-w", workspace, "--json"],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  let error = "";
  child.stderr.on("data", (chunk: Buffer) => (error += chunk.toString()));
  const status = await new Promise((resolve) => child.on("close", resolve));
  if (status !== 0) return { error, cost: undefined };
  const { userCPUTime, systemCPUTime, maxRSS } = Usage.parse(JSON.parse(await readFile(told, "utf8")));
  return { error, cost: { cpuMs: (userCPUTime + systemCPUTime) / 1000, kilobytes: maxRSS } };
}

/** Each in a process of its own, so that its memory is what it took. */
async function measureLarge(name: string): Promise<void> {
  const script = join(import.meta.dirname, "search-large.ts");
  const { stdout } = await promisify(execFile)(process.execPath, [script, name], { maxBuffer: 1 << 24 });
  const Rows = z.array(z.tuple([z.string(), z.string(), z.string()]));
  for (const row of Rows.parse(JSON.parse(stdout.trim().split("\n").at(-1) ?? "[]"))) report(...row);
}

function measureVectors(count: number): void {
  const dimensions = embedder.dimensions;
  const matrix = createVectorMatrix(dimensions);
  const vector = (seed: number) => {
    const raw = Float32Array.from({ length: dimensions }, (_, index) => Math.sin(seed * 12.9898 + index * 78.233));
    const length = Math.hypot(...raw);
    return raw.map((value) => value / length);
  };
  const block = packBlock(
    Array.from({ length: BLOCK_ROWS }, (_, seed) => packVector(vector(seed))),
    dimensions,
  );
  const places = Math.ceil(count / BLOCK_ROWS);
  for (let place = 0; place < places; place++) matrix.put(place, block);
  const times = Array.from({ length: 21 }, (_, seed) => {
    const start = performance.now();
    matrix.ask(vector(seed + 0.5));
    for (let place = 0; place < places; place++) matrix.compare(place);
    return performance.now() - start;
  });
  report(`${count.toLocaleString("en-US")} vectors × ${dimensions}: compare with all, p50`, ms(median(times)));
}

function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

async function writeReport(): Promise<void> {
  const path = join(import.meta.dirname, "RESULTS.md");
  const table = ["| what | measured | |", "|---|---|---|", ...rows.map((row) => `| ${row.join(" | ")} |`)].join("\n");
  const machine = `Node ${process.versions.node}, ${cpus().length} cores (${cpus()[0]?.model.trim() ?? "unknown"}), other work beside it: trust the ratios.`;
  await writeFile(path, await replaceSection(path, "Speed", `${machine}\n\n${table}`));
}

async function writeLines(): Promise<void> {
  const path = join(import.meta.dirname, "RESULTS.md");
  const fresh = new Map(rows.map((row) => [row[0], `| ${row.join(" | ")} |`]));
  const lines = (await readFile(path, "utf8")).split("\n");
  await writeFile(path, lines.map((line) => fresh.get(/^\| (.+?) \| /.exec(line)?.[1] ?? "") ?? line).join("\n"));
}
