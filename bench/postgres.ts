import { fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import { openMemory } from "../src/index.ts";
import type { Memory } from "../src/index.ts";
import { startFleet } from "../test/postgres/fleet.ts";
import { startPostgres } from "../test/postgres/postgres-server.ts";
import { startEchoModel } from "../test/postgres/scripted-model.ts";
import {
  fillWithPassages,
  measureAppend,
  measureManyAppends,
  measureSearch,
  measureTurns,
  startAsker,
} from "./postgres-measures.ts";
import type { Times } from "./postgres-measures.ts";

// The store on PostgreSQL beside the store of files, on one machine and in one run.
// node bench/postgres.ts [--quick] [--write] [append] [turns] [search] [large-search] [across] [many]
// --quick leaves the 100,000 passages out; --write puts the table into bench/POSTGRES.md, of which the named parts are
// measured again, or all.

const REPORT = join(import.meta.dirname, "POSTGRES.md");

const isQuick = process.argv.includes("--quick");
const WORKSPACES = isQuick ? 20 : 200;
const PASSAGES_EACH = 1000;
const FLEETS = [1, 2, 4];
const TURN_SECONDS = isQuick ? 4 : 8;
const CLIENTS = 4;
const QUESTIONS = 60;
const COLD_RUNS = 3;
// What is asked of it at p50, and of a server that has never seen the workspace, in milliseconds.
const LIMITS: Readonly<Record<number, { warm: number; cold: number }>> = {
  10_000: { warm: 25, cold: 1_000 },
  100_000: { warm: 60, cold: 6_000 },
};
const MOST_MEMORY_MB = 1_024;
const Held = z.object({ rssMb: z.number(), coldMs: z.number(), warmMs: z.number() });

const folder = mkdtempSync(join(tmpdir(), "tidemark-bench-postgres-"));
process.env["TIDEMARK_CACHE"] = join(folder, "cache");
const postgres = await startPostgres(["max_connections=500", "shared_buffers=512MB"]);
const model = await startEchoModel();
const PARTS: Readonly<Record<string, () => Promise<void>>> = {
  append: compareAppends,
  turns: compareTurns,
  search: () => compareSearch(10_000),
  "large-search": () => compareSearch(100_000),
  across: measureAcross,
  many: measureMany,
};
const wanted = process.argv.filter((argument) => argument in PARTS);
const usual = Object.keys(PARTS).filter((part) => !isQuick || part !== "large-search");
try {
  for (const part of wanted.length > 0 ? wanted : usual) await PARTS[part]?.();
} finally {
  model.close();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}

function render(rows: readonly string[][]): string {
  const table = [["what", "PostgreSQL", "files", "load", "remark"], ["---", "---", "---", "---", "---"], ...rows]
    .map((row) => `| ${row.join(" | ")} |`)
    .join("\n");
  const [cpu] = cpus();
  return `# The store on PostgreSQL

Written by \`npm run bench:postgres -- --write\` on ${cpus().length} cores (${cpu?.model ?? ""}), Node ${process.version.slice(1)}. *Load* is the load average while a row was measured: above ${cpus().length}
the machine was shared, and everything waited for its turn; then ratios and processor times are what counts, and times by the clock say how busy it was.
Servers, clients, model and PostgreSQL share the machine; the database is reached over loopback, and commits are on the disk when they are answered.
*Processor time* is that of one question, our process and the database together; it grows less with the load than the clock does, but it grows. Questions are asked
of both stores in turn, twenty at a time, so that both meet the same load, each by a process of its own. *Cold* is a server that never saw the workspace: its cache is made
with the first question, which answers after two seconds at most with what is there by then, and says so; then it is asked until an answer is whole.

${table}
`;
}

/** A row at a time: what was measured is there, however it ends. Rows of other parts stay as they were. */
function add(what: string, onPostgres: string, onFiles: string, remark = ""): void {
  const row = [what, onPostgres, onFiles, (loadavg()[0] ?? 0).toFixed(0), remark];
  process.stdout.write(`${row.join(" | ")}\n`);
  if (!process.argv.includes("--write")) return;
  const before = existsSync(REPORT) ? readFileSync(REPORT, "utf8").split("\n") : [];
  const known = before.filter((line) => /^\| (?!what|---)/.test(line)).map((line) => line.slice(2, -2).split(" | "));
  const others = known.filter(([name, ...rest]) => name !== what && rest.length === row.length - 1);
  writeFileSync(REPORT, render([...others, row].toSorted((one, other) => placeOf(one) - placeOf(other))));
}

/** In the order of the parts, whichever was measured last. */
function placeOf([what = ""]: readonly string[]): number {
  const starts = [
    "append",
    "turn",
    "indexing 10,",
    "hybrid search, 10,",
    "first question, 10,",
    "cold, 10,",
    "index of 10,",
    "indexing 100,",
    "hybrid search, 100,",
    "first question, 100,",
    "cold, 100,",
    "index of 100,",
    "a message",
  ];
  const place = starts.findIndex((start) => what.startsWith(start));
  return place === -1 ? starts.length : place;
}

async function compareAppends(): Promise<void> {
  const [rowsOf, filesOf] = [await open("appends"), await openFolder("appends")];
  add(
    "append, p50 / p95",
    pair(await measureAppend(rowsOf, 200)),
    pair(await measureAppend(filesOf, 200)),
    "one session, one after the other",
  );
  const many = async (memory: Memory) => `${Math.round(await measureManyAppends(memory, 16, 25))}/s`;
  add("append, 16 sessions at once", await many(rowsOf), await many(filesOf), "one process");
  await rowsOf.close();
  await filesOf.close();
}

async function compareTurns(): Promise<void> {
  const filesWorkspace = join(folder, "turns");
  await writeConfig(filesWorkspace);
  const ofFiles = await turnsOf(filesWorkspace, 1);
  for (const servers of FLEETS) {
    const store = `${postgres.url}?workspace=turns-${servers}`;
    await writeConfig(store);
    const turns = await turnsOf(store, servers);
    const files = servers === 1 ? `${pair(ofFiles)}, ${ofFiles.perSecond.toFixed(0)}/s` : "";
    const remark = `${CLIENTS} clients with pauses of 100 ms, ${turns.count} turns`;
    add(
      `turn overhead, ${servers === 1 ? "1 server" : `${servers} servers`}, p50 / p95`,
      `${pair(turns)}, ${turns.perSecond.toFixed(0)}/s`,
      files,
      remark,
    );
  }
}

async function turnsOf(store: string, servers: number) {
  const fleet = await startFleet(store, { servers, workers: 0, serverArgs: ["--metrics", "off"] });
  await fleet.untilReady();
  const turns = await measureTurns(fleet.urls, { clients: CLIENTS, seconds: TURN_SECONDS });
  await fleet.stop();
  return turns;
}

async function compareSearch(size: number): Promise<void> {
  const [rowsOf, filesOf] = [await open(`search-${size}`), await openFolder(`search-${size}`)];
  const filled = { rows: await fillWithPassages(rowsOf, size), files: await fillWithPassages(filesOf, size) };
  const rate = ({ passages, ms }: { passages: number; ms: number }) =>
    `${Math.round(passages / (ms / 1000))}/s, ${(ms / 1000).toFixed(0)} s`;
  add(
    `indexing ${count(size)} passages`,
    rate(filled.rows),
    rate(filled.files),
    `${count(filled.rows.passages)} passages, with writing their texts`,
  );
  await rowsOf.close();
  await filesOf.close();
  await addSearch(size);
  await addFirstQuestion(size);
  await addCold(size);
  await addIndexSize(size);
}

/** What a process pays once: the cache is there, but this process has not read it. */
async function addFirstQuestion(size: number): Promise<void> {
  const [rowsOf, filesOf] = [await open(`search-${size}`), await openFolder(`search-${size}`)];
  const first = async (memory: Memory) => {
    const begun = performance.now();
    await memory.search("a first question about anything", { limit: 10 });
    return `${(performance.now() - begun).toFixed(0)} ms`;
  };
  add(
    `first question, ${count(size)} passages`,
    await first(rowsOf),
    await first(filesOf),
    "opening the embedder included",
  );
  await rowsOf.close();
  await filesOf.close();
}

/** A server that has never seen the workspace, and a folder without its index, until an answer is whole. */
async function addCold(size: number): Promise<void> {
  const places = { rows: addressOf(`search-${size}`), files: join(folder, `search-${size}`) };
  const runs = { rows: new Array<Cold>(), files: new Array<Cold>() };
  for (let run = 0; run < COLD_RUNS; run++) {
    rmSync(join(folder, "cache"), { recursive: true, force: true });
    runs.rows.push(await askCold(places.rows));
    rmSync(join(places.files, ".tidemark/index.sqlite"), { force: true });
    runs.files.push(await askCold(places.files));
  }
  const [rows, files] = [middle(runs.rows), middle(runs.files)];
  const limit = LIMITS[size]?.cold ?? Infinity;
  add(
    `cold, ${count(size)} passages, until an answer is whole`,
    show(rows),
    show(files),
    `middle of ${COLD_RUNS}; asked for: ${limit} ms; ${rows.wholeMs <= limit ? "met" : "not met"}`,
  );
}

/** When the first answer came, when the first whole one did, and the processor time of our process until then. */
interface Cold {
  firstMs: number;
  wholeMs: number;
  cpuMs: number;
}

async function askCold(place: string): Promise<Cold> {
  const ask = startAsker(place);
  await ask.ready;
  const begun = performance.now();
  let [firstMs, cpuMs] = [0, 0];
  for (;;) {
    const answer = await ask.question("where did we leave the old boat");
    firstMs ||= performance.now() - begun;
    cpuMs += answer.cpuMs;
    if (answer.isWhole) break;
  }
  const wholeMs = performance.now() - begun;
  await ask.end();
  return { firstMs, wholeMs, cpuMs };
}

function middle(runs: readonly Cold[]): Cold {
  const sorted = runs.toSorted((one, other) => one.wholeMs - other.wholeMs);
  return sorted[Math.floor(sorted.length / 2)] ?? { firstMs: 0, wholeMs: 0, cpuMs: 0 };
}

function show({ firstMs, wholeMs, cpuMs }: Cold): string {
  const isPartial = wholeMs > firstMs + 1;
  const first = isPartial ? `, a partial one after ${firstMs.toFixed(0)} ms` : "";
  return `${wholeMs.toFixed(0)} ms${first}; ${cpuMs.toFixed(0)} ms of processor time`;
}

async function addIndexSize(size: number): Promise<void> {
  const [rowsOf, filesOf] = [await open(`search-${size}`), await openFolder(`search-${size}`)];
  const mb = async (memory: Memory) => `${((await memory.index()).size.bytes / 1e6).toFixed(0)} MB`;
  add(`index of ${count(size)} passages`, await mb(rowsOf), await mb(filesOf), "in the cache of each server");
  await rowsOf.close();
  await filesOf.close();
}

/** What is said on one server, asked for on another: how long the answer that has it takes, and what that one reads. */
async function measureAcross(): Promise<void> {
  const [here, there] = [await openMemoryAt("across", "here"), await openMemoryAt("across", "there")];
  await fillWithPassages(here, 2_000);
  await there.index();
  await there.search("anything");
  const session = await here.session("cli:a");
  const times: number[] = [];
  for (let turn = 0; turn < 50; turn++) {
    await session.append({ role: "user", content: `The password of turn ${turn} is zebra-${turn * 7919}` });
    const begun = performance.now();
    const { results } = await there.search(`turn ${turn} zebra-${turn * 7919}`);
    times.push(performance.now() - begun);
    if (!results.some(({ messages, text }) => messages.length > 0 && text.includes(`turn ${turn} `)))
      throw new Error(`what was said in turn ${turn} was not found`);
  }
  const sorted = times.toSorted((one, other) => one - other);
  add(
    "a message of another server, asked for at once, p50 / p95",
    `${(sorted[25] ?? 0).toFixed(1)} / ${(sorted[47] ?? 0).toFixed(1)} ms`,
    "",
    "50 of 50 found by the next question",
  );
  await here.close();
  await there.close();
}

async function openMemoryAt(workspace: string, cache: string): Promise<Memory> {
  const before = process.env["TIDEMARK_CACHE"];
  process.env["TIDEMARK_CACHE"] = join(folder, "cache", cache);
  const memory = await open(workspace);
  process.env["TIDEMARK_CACHE"] = before;
  return memory;
}

/** Many workspaces of one server, all of them open: each is asked in turn, twice. */
async function measureMany(): Promise<void> {
  const first = await open("many-0");
  const { passages } = await fillWithPassages(first, PASSAGES_EACH);
  const texts = await Promise.all(
    (await first.store.documents.list("docs", { isDeep: true })).map(async ({ path }) => ({
      path,
      text: (await first.store.documents.read(path)) ?? "",
    })),
  );
  await first.close();
  for (let number = 1; number < WORKSPACES; number++) {
    const memory = await open(`many-${number}`);
    for (const { path, text } of texts) await memory.store.documents.write(path, text);
    await memory.close();
  }
  rmSync(join(folder, "cache"), { recursive: true, force: true });
  const addresses = Array.from({ length: WORKSPACES }, (_, number) => `${addressOf(`many-${number}`)}&pool_size=1`);
  const child = fork(join(import.meta.dirname, "postgres-many.ts"), addresses);
  child.once("exit", (code) => code && process.exit(code));
  const [told] = await once(child, "message");
  const { rssMb, coldMs, warmMs } = Held.parse(told);
  const bytes = readdirSync(join(folder, "cache")).reduce(
    (sum, name) => sum + statSync(join(folder, "cache", name)).size,
    0,
  );
  child.disconnect();
  await once(child, "exit");
  add(
    `${WORKSPACES} workspaces of ${count(passages)} passages, all open in one server`,
    `${rssMb.toFixed(0)} MB of memory, ${(bytes / 1e6).toFixed(0)} MB of cache; ${coldMs.toFixed(0)} ms cold, ${warmMs.toFixed(0)} ms warm`,
    "",
    `asked in turn, twice; asked for: ${count(MOST_MEMORY_MB)} MB; ${rssMb <= MOST_MEMORY_MB ? "met" : "not met"}`,
  );
}

async function addSearch(size: number): Promise<void> {
  const what = `hybrid search, ${count(size)} passages`;
  const places = [addressOf(`search-${size}`), join(folder, `search-${size}`)];
  const [onRows, onFiles] = await measureSearch(places, QUESTIONS, () => postgres.cpuMs());
  if (!onRows || !onFiles) return;
  add(`${what}, p50 / p95`, pair(onRows), pair(onFiles), judge(size, onRows.p50));
  add(
    `${what}, processor time`,
    `${(onRows.cpuMs + onRows.databaseMs).toFixed(1)} ms, ${onRows.databaseMs.toFixed(1)} of it the database`,
    `${onFiles.cpuMs.toFixed(1)} ms`,
  );
}

function addressOf(workspace: string): string {
  return `${postgres.url}?workspace=${workspace}`;
}

function open(workspace: string): Promise<Memory> {
  return openMemory({ store: addressOf(workspace), passive: true, isLongRunning: true });
}

function openFolder(name: string): Promise<Memory> {
  return openMemory({ workspace: join(folder, name), passive: true, isLongRunning: true });
}

async function writeConfig(store: string): Promise<void> {
  const memory = await openMemory(
    store.startsWith("postgres:") ? { store, passive: true } : { workspace: store, passive: true },
  );
  await memory.store.documents.write("config.json", JSON.stringify(model.config));
  await memory.close();
}

function judge(size: number, ms: number): string {
  const limit = LIMITS[size]?.warm ?? Infinity;
  return `asked for: ${limit} ms; ${ms <= limit ? "met" : "not met"}`;
}

function pair({ p50, p95 }: Times): string {
  return `${p50.toFixed(1)} / ${p95.toFixed(1)} ms`;
}

function count(number: number): string {
  return number.toLocaleString("en");
}
