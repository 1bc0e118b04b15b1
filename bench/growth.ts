// Measures what grows: the same things done in a small workspace and in one ten times as large. `--quick` takes a
// twentieth of the sizes; `--only sessions|session|history|facts` measures one part and writes nothing.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openMemory } from "../src/index.ts";
import type { Memory } from "../src/index.ts";
import { examine } from "../src/cli/examine.ts";
import { readStatus } from "../src/cli/read-status.ts";
import { sentence, writeFacts, writeHistory, writeSession } from "./growth-world.ts";

type Timings = Map<string, number>;

interface Part {
  name: string;
  size: number;
  unit: string;
  fill: (workspace: string, size: number) => void;
}

const { values } = parseArgs({ options: { quick: { type: "boolean" }, only: { type: "string" } } });
const SCALE = values.quick ? 20 : 1;

const PARTS: readonly Part[] = [
  {
    name: "sessions",
    size: 1000 / SCALE,
    unit: "sessions of 200 messages",
    fill: (workspace, size) => {
      for (let index = 0; index < size; index++) writeSession(workspace, `cli:${index}`, 200);
    },
  },
  {
    name: "session",
    size: 1_000_000 / SCALE,
    unit: "messages in one session",
    fill: (workspace, size) => writeSession(workspace, "cli:0", size),
  },
  { name: "history", size: 50_000 / SCALE, unit: "runs and revisions", fill: writeHistory },
  { name: "facts", size: 100_000 / SCALE, unit: "facts in MEMORY.md", fill: writeFacts },
];

/** What each thing shows or does: it may take as long as that needs, and no longer. */
const SHOWS: Readonly<Record<string, string>> = {
  open: "nothing; finishes the journal, notes an edited MEMORY.md",
  append: "one message",
  "turn context": "MEMORY.md within its budget, the newest messages",
  remember: "one fact",
  undo: "one change",
  log: "the newest 20 entries",
  why: "one fact, out of all that ever were",
  blame: "every fact that stands",
  "tidy --dry-run": "looks at every fact",
  status: "every session, and the sums over every change",
  doctor: "every line of every session",
  "serve's start": "nothing",
};

async function measure({ fill }: Part, size: number): Promise<Timings> {
  const workspace = mkdtempSync(join(tmpdir(), "tidemark-growth-"));
  const timings: Timings = new Map();
  const time = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const begun = performance.now();
    const result = await work();
    timings.set(name, performance.now() - begun);
    process.stderr.write(`  ${name}: ${format(performance.now() - begun)}\n`);
    return result;
  };
  try {
    fill(workspace, size);
    // The first start after so much was put there notes it; what counts is each one after it.
    await (await openMemory({ workspace })).close();
    const memory = await time("open", () => openMemory({ workspace }));
    await talk(memory, time);
    await look(memory, workspace, time);
    await memory.close();
    await time("serve's start", () => startServing(workspace));
    return timings;
  } finally {
    rmSync(workspace, { recursive: true, force: true });
  }
}

type Time = <T>(name: string, work: () => Promise<T>) => Promise<T>;

async function talk(memory: Memory, time: Time): Promise<void> {
  const session = await memory.session("cli:0");
  await time("append", () => session.append({ role: "user", content: "The tide turns at nine." }));
  await time("turn context", () => memory.turnContext(session, "hello"));
  await time("remember", () => memory.remember("cli:0", { fact: "The tide turns at nine", by: "bench" }));
  await time("undo", () => memory.undo({ key: "cli:0", by: "bench" }));
}

async function look(memory: Memory, workspace: string, time: Time): Promise<void> {
  await time("log", () => memory.trust.log());
  await time("why", () => memory.trust.why(sentence(7)));
  await time("blame", () => memory.trust.blame());
  await time("tidy --dry-run", () => memory.tidy({ dryRun: true }));
  await time("status", () => readStatus(memory, new Date()));
  await time("doctor", () => examine({ workspace, environment: {}, now: new Date(), fix: false }));
}

/** Starts the server as a process of its own, asks it once, and ends it. */
async function startServing(workspace: string): Promise<void> {
  const { openServing } = await import("./growth-serve.ts");
  await openServing(workspace);
}

function format(ms: number): string {
  return ms >= 10_000
    ? `${(ms / 1000).toFixed(0)} s`
    : ms >= 1000
      ? `${(ms / 1000).toFixed(1)} s`
      : `${ms.toFixed(ms < 10 ? 1 : 0)} ms`;
}

function table({ size, unit }: Part, small: Timings, large: Timings): string {
  const count = (number: number) => number.toLocaleString("en-US");
  const rows = [...large].map(([name, ms]) => {
    const before = small.get(name) ?? 0;
    return `| ${name} | ${format(before)} | ${format(ms)} | ${(ms / Math.max(before, 0.1)).toFixed(1)} × | ${SHOWS[name] ?? ""} |`;
  });
  return [
    `## ${count(size)} ${unit}`,
    "",
    `| | ${count(size / 10)} | ${count(size)} | growth | shows |`,
    "|---|---|---|---|---|",
    ...rows,
  ].join("\n");
}

const tables: string[] = [];
for (const part of PARTS.filter(({ name }) => values.only === undefined || values.only === name)) {
  process.stderr.write(`${part.name}, ${part.size / 10}\n`);
  const small = await measure(part, part.size / 10);
  process.stderr.write(`${part.name}, ${part.size}\n`);
  tables.push(table(part, small, await measure(part, part.size)));
}
const version = execFileSync(process.execPath, ["--version"], { encoding: "utf8" }).trim();
const report = [
  "# What grows",
  "",
  `\`npm run bench:growth${values.quick ? " -- --quick" : ""}\`, Node ${version}, ${cpus().length} cores. The same things done in a`,
  "small workspace and in one ten times as large, once each, in milliseconds of one process. A growth of 10 × is linear.",
  "",
  tables.join("\n\n"),
  "",
].join("\n");
process.stdout.write(report);
if (values.only === undefined) writeFileSync(join(import.meta.dirname, "GROWTH.md"), report);
