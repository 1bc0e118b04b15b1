import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStaticEmbedder } from "../src/model/static-embedder.ts";
import { recall } from "../src/recall/recall.ts";
import { openFolderSearch } from "../test/support/folder-search.ts";
import { createTextMaker, writeNotes } from "./search-text.ts";
import type { TextMaker } from "./search-text.ts";

// What large memories cost. Run in a process of its own by bench/search.ts, so that its memory is that of one search:
//   node bench/search-large.ts million | talk | import

/** One line of the table: what, how much, and a remark. */
type LargeRow = readonly [string, string, string];

const NOTES_FOR_A_MILLION = 51_930;
const MESSAGES = 50_000;
const IMPORTED = 2_960;
const PER_SESSION = 500;

if (import.meta.filename === process.argv[1]) {
  const measures = { million: measureMillion, talk: measureFirstSearch, import: measureImport };
  const name = process.argv[2];
  const measure = Object.entries(measures).find(([key]) => key === name)?.[1];
  if (!measure) {
    process.stderr.write("usage: search-large.ts million | talk | import\n");
    process.exit(2);
  }
  const workspace = await mkdtemp(join(tmpdir(), "tidemark-large-"));
  try {
    const rows = await measure(workspace);
    process.stdout.write(`${JSON.stringify(rows)}\n`);
  } finally {
    await rm(workspace, { recursive: true });
  }
}

/** A million passages in one workspace, asked by a process that stays. */
async function measureMillion(workspace: string): Promise<LargeRow[]> {
  const maker = createTextMaker(7);
  const bytes = await writeNotes(workspace, NOTES_FOR_A_MILLION, maker);
  const indexPath = join(workspace, ".tidemark", "index.sqlite");
  await inOwnProcess(workspace);
  const embedder = await openEmbedder();
  const search = await openFolderSearch({
    workspace,
    indexPath,
    timezone: "UTC",
    embedder,
    watch: { intervalMs: 600_000 },
  });
  await search.sync();
  const times: number[] = [];
  const spent: number[] = [];
  for (let round = 0; round < 45; round++) {
    const text = maker.question();
    const start = performance.now();
    const before = process.cpuUsage();
    await search.gather({ text, filter: {}, isOfInterest: undefined, useKeywords: true, useVectors: true });
    // The first ones read the vectors.
    if (round < 5) continue;
    times.push(performance.now() - start);
    spent.push(processorTime(before));
  }
  const { passages } = await search.size();
  await search.close();
  await embedder.close();
  const size = statSync(indexPath).size;
  const most = process.resourceUsage().maxRSS / 1_024;
  return [
    ["a million: passages", passages.toLocaleString("en-US"), `${(bytes / 1e6).toFixed(0)} MB of text`],
    [
      "a million: words and meaning, p50 · p95",
      `${ms(percentile(times, 0.5))} · ${ms(percentile(times, 0.95))}`,
      `${ms(percentile(spent, 0.5))} of processor time`,
    ],
    ["a million: most memory of the process that searches", `${most.toFixed(0)} MiB`, ""],
    ["a million: index on disk", `${(size / 1e6).toFixed(0)} MB`, `${(size / bytes).toFixed(2)} × the text`],
  ];
}

/** Fills the index elsewhere, so that what it takes does not count as the search's. */
async function inOwnProcess(workspace: string): Promise<void> {
  const script = `
    const { openFolderSearch } = await import(${JSON.stringify(join(import.meta.dirname, "../test/support/folder-search.ts"))});
    const { openStaticEmbedder } = await import(${JSON.stringify(join(import.meta.dirname, "../src/model/static-embedder.ts"))});
    const embedder = await openStaticEmbedder(${JSON.stringify(join(import.meta.dirname, "../data"))});
    const workspace = ${JSON.stringify(workspace)};
    const search = await openFolderSearch({ workspace, indexPath: workspace + "/.tidemark/index.sqlite", timezone: "UTC", embedder });
    await search.sync();
    await search.close();`;
  await mkdir(join(workspace, ".tidemark"), { recursive: true });
  await finished(spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: "inherit" }));
}

/** The first question to a process that stays, over talk that nobody has indexed. */
async function measureFirstSearch(workspace: string): Promise<LargeRow[]> {
  await writeTalk(workspace, MESSAGES, createTextMaker(11));
  const embedder = await openEmbedder();
  const indexPath = join(workspace, ".tidemark", "index.sqlite");
  const search = await openFolderSearch({
    workspace,
    indexPath,
    timezone: "UTC",
    embedder,
    watch: { intervalMs: 600_000 },
  });
  const start = performance.now();
  const before = process.cpuUsage();
  const answer = await recall(search, "what is there", { now: new Date(), timezone: "UTC", waitMs: 2_000 });
  const first = performance.now() - start;
  const spent = processorTime(before);
  const done = answer.stale ? "answers from what is there, and says so" : "all there";
  await search.sync();
  const whole = performance.now() - start;
  const spentInAll = processorTime(before);
  await search.close();
  await embedder.close();
  return [
    ["50,000 messages: first search in a process that stays", ms(first), `${done}; ${ms(spent)} of processor time`],
    ["50,000 messages: all indexed after", ms(whole), `${ms(spentInAll)} of processor time`],
  ];
}

/** `tidemark import` of the messages of a world, from the first byte read to the last one on the disk. */
async function measureImport(workspace: string): Promise<LargeRow[]> {
  const maker = createTextMaker(3);
  const lines = Array.from({ length: IMPORTED }, (_, index) =>
    JSON.stringify({
      session: `session-${Math.floor(index / 25)}`,
      id: `m${index}`,
      role: index % 2 === 0 ? "user" : "assistant",
      content: maker.sentence(),
      timestamp: "2026-01-05T10:00:00",
    }),
  );
  const file = join(workspace, "world.jsonl");
  await writeFile(file, `${lines.join("\n")}\n`);
  const times: number[] = [];
  for (const round of [1, 2, 3]) {
    const start = performance.now();
    const cli = join(import.meta.dirname, "../bin/tidemark.js");
    const target = join(workspace, `imported-${round}`);
    await finished(spawn(process.execPath, [cli, "import", file, "-w", target], { stdio: "ignore" }));
    times.push(performance.now() - start);
  }
  return [["2,960 messages in 119 sessions: tidemark import, p50", ms(percentile(times, 0.5)), "all on the disk"]];
}

async function writeTalk(workspace: string, count: number, maker: TextMaker): Promise<void> {
  const folder = join(workspace, "sessions");
  await mkdir(folder, { recursive: true });
  for (let first = 0; first < count; first += PER_SESSION) {
    const lines = Array.from({ length: PER_SESSION }, (_, index) =>
      JSON.stringify({
        role: index % 2 === 0 ? "user" : "assistant",
        content: maker.sentence(),
        id: `m${first + index}`,
        timestamp: "2026-01-05T10:00:00.000+00:00",
      }),
    );
    await writeFile(join(folder, `talk_${first}.jsonl`), `${lines.join("\n")}\n`);
  }
}

async function finished(child: ReturnType<typeof spawn>): Promise<void> {
  const status = await new Promise((resolve) => child.on("close", resolve));
  if (status !== 0) throw new Error(`The process ended with ${String(status)}`);
}

function openEmbedder() {
  return openStaticEmbedder(join(import.meta.dirname, "../data"));
}

function processorTime(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1_000;
}

function ms(value: number): string {
  return `${value < 10 ? value.toFixed(1) : value.toFixed(0)} ms`;
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
