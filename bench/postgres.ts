import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { openMemory } from "../src/index.ts";
import type { Memory } from "../src/index.ts";
import { startFleet } from "../test/postgres/fleet.ts";
import { startPostgres } from "../test/postgres/postgres-server.ts";
import { startEchoModel } from "../test/postgres/scripted-model.ts";
import {
  fillWithPassages,
  forEach,
  measureAppend,
  measureManyAppends,
  measureSearch,
  measureTurns,
} from "./postgres-measures.ts";
import type { Times } from "./postgres-measures.ts";

// The store on PostgreSQL beside the store of files, on one machine and in one run.
// node bench/postgres.ts [--quick] [--write]
// --quick leaves the 100,000 passages out; --write puts the table into bench/POSTGRES.md.

const isQuick = process.argv.includes("--quick");
const BESIDE = isQuick ? 100 : 1000;
const FLEETS = [1, 2, 4];
const TURN_SECONDS = isQuick ? 4 : 8;
const CLIENTS = 4;
// What is asked of it, in milliseconds at p50.
const LIMITS: Readonly<Record<number, number>> = { 10_000: 25, 100_000: 60 };

const rows: string[][] = [];
const folder = mkdtempSync(join(tmpdir(), "tidemark-bench-postgres-"));
const postgres = await startPostgres(["max_connections=200", "shared_buffers=512MB"]);
const model = await startEchoModel();
const before = loadavg()[0] ?? 0;
try {
  await compareAppends();
  await compareTurns();
  await compareSearch(10_000);
  await searchBesideOthers(10_000);
  if (!isQuick) await compareSearch(100_000);
} finally {
  model.close();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}
process.stdout.write(render());

function render(): string {
  const table = [["what", "PostgreSQL", "files", "remark"], ["---", "---", "---", "---"], ...rows]
    .map((row) => `| ${row.join(" | ")} |`)
    .join("\n");
  const [cpu] = cpus();
  return `# The store on PostgreSQL

Written by \`npm run bench:postgres --${isQuick ? " --quick" : ""} --write\` on ${cpus().length} cores (${cpu?.model ?? ""}), Node ${process.version.slice(1)}, load
average ${before.toFixed(0)} before and ${(loadavg()[0] ?? 0).toFixed(0)} after (more than the cores: everything waits for its turn, and the ratios and processor times are what counts).
Servers, clients, model and PostgreSQL share the machine; the database is reached over loopback, and commits are on the disk when they are answered.
${postgres.pgvector === true ? "With pgvector." : `Without pgvector: ${postgres.pgvector}.`} *Processor time* is that of our process and of the database together, for one question; it grows less with the load
than the clock does, but it grows.

${table}
`;
}

/** A row at a time: what was measured is there, however it ends. */
function add(what: string, onPostgres: string, onFiles: string, remark = ""): void {
  rows.push([what, onPostgres, onFiles, remark]);
  process.stderr.write(`${what}: ${onPostgres}; files ${onFiles}; ${remark}\n`);
  if (process.argv.includes("--write")) writeFileSync(join(import.meta.dirname, "POSTGRES.md"), render());
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
  const rate = ({ passages, ms }: { passages: number; ms: number }) => `${Math.round(passages / (ms / 1000))}/s`;
  add(
    `indexing ${count(size)} passages`,
    rate(filled.rows),
    rate(filled.files),
    `${count(filled.rows.passages)} passages`,
  );
  const beside = size > 10_000 ? `, ${count(BESIDE)} workspaces beside it` : "";
  const onRows = await measureSearch(rowsOf, 60, () => postgres.cpuMs());
  const onFiles = await measureSearch(filesOf, 60, () => 0);
  addSearch(`hybrid search, ${count(size)} passages${beside}`, size, onRows, onFiles);
  const mb = async (memory: Memory) => `${((await memory.store.indexBytes()) / 1e6).toFixed(0)} MB`;
  const disk = ((await indexOnDisk()) / 1e6).toFixed(0);
  add(
    `index of ${count(size)} passages`,
    await mb(rowsOf),
    await mb(filesOf),
    `${disk} MB of tables and indexes so far`,
  );
  await rowsOf.close();
  await filesOf.close();
}

/** What the tables of every index take, with what belongs to them. */
async function indexOnDisk(): Promise<number> {
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  const found = await client.query<{ bytes: string }>(
    "SELECT sum(pg_total_relation_size(oid)) AS bytes FROM pg_class WHERE relkind = 'r' AND relname LIKE 'tidemark_index_%'",
  );
  await client.end();
  return Number(found.rows[0]?.bytes ?? 0);
}

async function searchBesideOthers(size: number): Promise<void> {
  await forEach(BESIDE, 4, async (index) => {
    const other = await open(`beside-${index}`);
    await fillWithPassages(other, 20);
    await other.close();
  });
  const memory = await open(`search-${size}`);
  const times = await measureSearch(memory, 60, () => postgres.cpuMs());
  addSearch(`hybrid search, ${count(size)} passages, ${count(BESIDE)} workspaces beside it`, size, times);
  await memory.close();
}

type Searched = Awaited<ReturnType<typeof measureSearch>>;

function addSearch(what: string, size: number, onRows: Searched, onFiles?: Searched): void {
  add(`${what}, p50 / p95`, pair(onRows), onFiles ? pair(onFiles) : "", judge(size, onRows.p50));
  const time = ({ cpuMs }: Searched) => `${cpuMs.toFixed(1)} ms`;
  add(`${what}, processor time`, time(onRows), onFiles ? time(onFiles) : "", judge(size, onRows.cpuMs));
}

function open(workspace: string): Promise<Memory> {
  return openMemory({ store: `${postgres.url}?workspace=${workspace}`, passive: true, isLongRunning: true });
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
  const limit = LIMITS[size] ?? Infinity;
  return `asked for: ${limit} ms; ${ms <= limit ? "met" : "not met"}`;
}

function pair({ p50, p95 }: Times): string {
  return `${p50.toFixed(1)} / ${p95.toFixed(1)} ms`;
}

function count(number: number): string {
  return number.toLocaleString("en");
}
