import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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
  measureAppend,
  measureManyAppends,
  measureSearch,
  measureTurns,
} from "./postgres-measures.ts";
import type { Times } from "./postgres-measures.ts";

// The store on PostgreSQL beside the store of files, on one machine and in one run.
// node bench/postgres.ts [--quick] [--write] [append] [turns] [search] [large-search]
// --quick leaves the 100,000 passages out; --write puts the table into bench/POSTGRES.md, of which the named parts are
// measured again, or all.

const REPORT = join(import.meta.dirname, "POSTGRES.md");

const isQuick = process.argv.includes("--quick");
const BESIDE = isQuick ? 100 : 1000;
const FLEETS = [1, 2, 4];
const TURN_SECONDS = isQuick ? 4 : 8;
const CLIENTS = 4;
const QUESTIONS = 60;
// What is asked of it, in milliseconds at p50.
const LIMITS: Readonly<Record<number, number>> = { 10_000: 25, 100_000: 60 };

const folder = mkdtempSync(join(tmpdir(), "tidemark-bench-postgres-"));
const postgres = await startPostgres(["max_connections=200", "shared_buffers=512MB"]);
const model = await startEchoModel();
const PARTS: Readonly<Record<string, () => Promise<void>>> = {
  append: compareAppends,
  turns: compareTurns,
  search: () => searchIn([10_000]),
  "large-search": () => searchIn([100_000]),
};
let hasOthers = false;
const wanted = process.argv.filter((argument) => argument in PARTS);
const usual = Object.keys(PARTS).filter((part) => !isQuick || part !== "large-search");
try {
  for (const part of wanted.length > 0 ? wanted : usual) await PARTS[part]?.();
} finally {
  model.close();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function searchIn(sizes: readonly number[]): Promise<void> {
  for (const size of sizes) await compareSearch(size);
  await fillOthers();
  for (const size of sizes) await searchBesideOthers(size);
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
*Processor time* is that of one question, our process and the database together; it grows less with the load
than the clock does, but it grows. Questions are asked of both stores in turn, twenty at a time, so that both meet the same load, each by a process of its own. *First question* is that of a process that has just
been started: it reads the passages and vectors of the workspace, without their texts, and keeps them.

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
    "index of 10,",
    "indexing 100,",
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
  await addSearch(`hybrid search, ${count(size)} passages`, size);
  await addFirstQuestion(size);
  await addIndexSize(size);
}

/** What a process pays once: with another one the texts are read, but the passages are not known yet. */
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

async function addIndexSize(size: number): Promise<void> {
  const [rowsOf, filesOf] = [await open(`search-${size}`), await openFolder(`search-${size}`)];
  const mb = async (memory: Memory) => `${((await memory.index()).size.bytes / 1e6).toFixed(0)} MB`;
  const disk = ((await indexOnDisk()) / 1e6).toFixed(0);
  add(
    `index of ${count(size)} passages`,
    `${await mb(rowsOf)} of rows`,
    await mb(filesOf),
    `${disk} MB on the disk for every index so far, keys and room for changes included`,
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

/** One workspace of twenty passages, and all of its rows once more under many other names; they stay for later parts. */
async function fillOthers(): Promise<void> {
  if (hasOthers) return;
  hasOthers = true;
  const one = await open("beside");
  await fillWithPassages(one, 20);
  await one.close();
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  await client.query(`
    DO $$
    DECLARE part record;
    BEGIN
      PERFORM set_config('tidemark.workspace', 'beside', true);
      CREATE TEMP TABLE parts ON COMMIT DROP AS
        SELECT c.relname AS name, string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) AS columns
        FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
        WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relname LIKE 'tidemark\\_%'
          AND EXISTS (SELECT 1 FROM pg_attribute w WHERE w.attrelid = c.oid AND w.attname = 'workspace')
          AND a.attname <> 'workspace' GROUP BY c.relname;
      FOR part IN SELECT * FROM parts LOOP
        EXECUTE format('CREATE TEMP TABLE copy_%s ON COMMIT DROP AS SELECT * FROM %1$s', part.name);
      END LOOP;
      FOR number IN 1..${BESIDE - 1} LOOP
        PERFORM set_config('tidemark.workspace', 'beside-' || number, true);
        FOR part IN SELECT * FROM parts LOOP
          EXECUTE format('INSERT INTO %1$s (workspace, %2$s) SELECT %3$L, %2$s FROM copy_%1$s', part.name, part.columns,
            'beside-' || number);
        END LOOP;
      END LOOP;
    END $$`);
  await client.end();
}

async function searchBesideOthers(size: number): Promise<void> {
  await addSearch(`hybrid search, ${count(size)} passages, ${count(BESIDE)} workspaces beside it`, size);
}

async function addSearch(what: string, size: number): Promise<void> {
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
  const limit = LIMITS[size] ?? Infinity;
  return `asked for: ${limit} ms; ${ms <= limit ? "met" : "not met"}`;
}

function pair({ p50, p95 }: Times): string {
  return `${p50.toFixed(1)} / ${p95.toFixed(1)} ms`;
}

function count(number: number): string {
  return number.toLocaleString("en");
}
