import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { readMessage } from "../src/belief/read-message.ts";
import { readClauses } from "../src/belief/reader.ts";
import { openMemory } from "../src/index.ts";
import { replaceSection } from "./recall-report.ts";

// What the memory without a model keeps, line by line of what it promises; `--write` puts the table into RESULTS.md.
const WANTED = {
  found: 75,
  falsely: 3,
  prompts: 3,
  right: 80,
  stale: 2,
  clauseMs: 0.1,
  digestSeconds: 3,
  worstMs: 100,
};
const shared = join(import.meta.dirname, "../../shared/belief");
const rows: { what: string; measured: string; wanted: string; isMet: boolean }[] = [];
const note = (what: string, measured: string, wanted: string, isMet: boolean): void => {
  rows.push({ what, measured, wanted, isMet });
  console.log(`${isMet ? "   " : "LOW"} ${what}: ${measured} (wanted: ${wanted})`);
};
const percent = (part: number, whole: number) => (100 * part) / Math.max(1, whole);

await measurePairs();
measureTime();
await measureDigest();
if (existsSync(join(shared, "score.mjs"))) {
  measurePrompts();
  measureLines();
  measurePeople();
}
const table = [
  "| what | measured | wanted |",
  "|---|---|---|",
  ...rows.map(({ what, measured, wanted, isMet }) => `| ${what} | ${measured}${isMet ? "" : " (below)"} | ${wanted} |`),
].join("\n");
if (process.argv.includes("--write")) {
  const path = join(import.meta.dirname, "RESULTS.md");
  const head =
    "What the memory keeps without a model (`npm run bench:belief -- --write`). What the reader of clauses scores on sources that it never saw is in `tools/belief/README.md`.";
  writeFileSync(path, await replaceSection(path, "Belief without a model", `${head}\n\n${table}`));
}

/** The second of two messages is about something else: what the first one left must still be there, unmarked. */
async function measurePairs(): Promise<void> {
  const pairs = readFileSync(join(import.meta.dirname, "belief/pairs.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => z.tuple([z.string(), z.string(), z.string()]).parse(JSON.parse(line)));
  let [stayed, kept] = [0, 0];
  for (const [first, then, word] of pairs) {
    const before = await factsAfter(first);
    const after = await factsAfter(first, then);
    if (before.every((line) => after.includes(line))) stayed += 1;
    if (before.some((line) => line.toLowerCase().includes(word.toLowerCase()))) kept += 1;
  }
  note("pairs of which both must stay", `${stayed} of ${pairs.length}`, "all", stayed === pairs.length);
  note("… of which the first was kept at all", `${kept} of ${pairs.length}`, "–", true);
}

async function factsAfter(...said: string[]): Promise<string[]> {
  return inMemory(async (memory) => {
    const session = await memory.session("cli:main");
    for (const [day, content] of said.entries()) {
      await session.append({ role: "user", content, timestamp: `2026-05-0${3 + day}T09:00:00Z` });
      await memory.consolidate("cli:main", { all: true });
    }
    return (await memory.readMemory("cli:main")).split("\n").filter((line) => line.startsWith("- "));
  });
}

async function inMemory<T>(use: (memory: Awaited<ReturnType<typeof openMemory>>) => Promise<T>): Promise<T> {
  const workspace = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "belief-bench-"));
  const memory = await openMemory({ workspace });
  try {
    return await use(memory);
  } finally {
    await memory.close();
    rmSync(workspace, { recursive: true, force: true });
  }
}

/** How long a clause takes, and the worst 20 kB that anyone has thought of. */
function measureTime(): void {
  const text = "My sister Ana lives in Leeds, and I work nights at the Royal. Can you help me plan a trip? ".repeat(40);
  readClauses(text);
  const started = performance.now();
  const clauses = Array.from({ length: 10 }, () => readClauses(text).length).reduce((sum, count) => sum + count, 0);
  const each = (performance.now() - started) / clauses;
  note("a clause", `${each.toFixed(3)} ms`, `≤ ${WANTED.clauseMs} ms`, each <= WANTED.clauseMs);
  const units = [
    "dog's cat's ",
    "a, ",
    "((",
    "and I ",
    "? ",
    "\n- ",
    "x: y\n",
    '"',
    "我，",
    "Ana said I live in ",
    "😀 ",
    "…",
    "> a\n",
    "a\n\n",
  ];
  const times = units.map((unit) => {
    const worst = unit.repeat(Math.ceil(20_000 / unit.length));
    const begun = performance.now();
    readMessage({ id: "m", text: worst, speaker: "User", saidAt: new Date(), timezone: "UTC" });
    return { unit, ms: performance.now() - begun };
  });
  const slowest = times.toSorted((one, other) => other.ms - one.ms)[0];
  const ms = slowest?.ms ?? 0;
  note(
    "the worst 20 kB",
    `${ms.toFixed(0)} ms (${JSON.stringify(slowest?.unit)})`,
    `≤ ${WANTED.worstMs} ms`,
    ms <= WANTED.worstMs,
  );
}

/** A thousand messages, one digest. */
async function measureDigest(): Promise<void> {
  const seconds = await inMemory(async (memory) => {
    const session = await memory.session("cli:main");
    await session.appendAll(
      Array.from({ length: 1000 }, (_, at) => ({
        role: "user" as const,
        content: `My colleague number ${at} is called Name${at}, and I keep ${at} bees in hive ${at % 7}. What do you think?`,
        timestamp: new Date(Date.UTC(2026, 0, 1) + at * 60_000).toISOString(),
      })),
    );
    const started = performance.now();
    await memory.consolidate("cli:main", { all: true });
    return (performance.now() - started) / 1000;
  });
  note(
    "a digest of 1,000 messages",
    `${seconds.toFixed(1)} s`,
    `≤ ${WANTED.digestSeconds} s`,
    seconds <= WANTED.digestSeconds,
  );
}

/** Real prompts to assistants: hardly any says something lasting about its writer. The reader has learnt from them. */
function measurePrompts(): void {
  const Real = z.object({ source: z.string(), text: z.string() });
  const prompts = readFileSync(join(shared, "real/messages.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => Real.parse(JSON.parse(line)))
    .filter(({ source }) => source === "arena-hard");
  const leaving = prompts.filter(
    ({ text }) =>
      readMessage({ id: "m", text, speaker: "User", saidAt: undefined, timezone: "UTC" }).quotations.length > 0,
  ).length;
  const share = percent(leaving, prompts.length);
  note(
    "work prompts that leave anything (learnt from)",
    `${share.toFixed(1)} of 100`,
    `≤ ${WANTED.prompts}`,
    share <= WANTED.prompts,
  );
}

function score(mode: "lines" | "people", data: string): Readonly<Record<string, number>> {
  const dist = join(import.meta.dirname, "../dist/index.js");
  const { stdout } = spawnSync(
    process.execPath,
    [join(shared, "score.mjs"), mode, join(shared, data), "--dist", dist, "--json"],
    {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  return z.object({ total: z.record(z.string(), z.number()) }).parse(JSON.parse(stdout)).total;
}

function measureLines(): void {
  const { found = 0, expected = 0, falsely = 0, traps = 0 } = score("lines", "lines-dev.jsonl");
  const [recall, wrong] = [percent(found, expected), percent(falsely, traps)];
  note("development lines: found", `${recall.toFixed(1)} %`, `≥ ${WANTED.found} %`, recall >= WANTED.found);
  note(
    "development lines: believed falsely",
    `${wrong.toFixed(1)} %`,
    `≤ ${WANTED.falsely} %`,
    wrong <= WANTED.falsely,
  );
}

function measurePeople(): void {
  const { asked = 0, right = 0, stale = 0 } = score("people", "people-dev");
  const [good, old] = [percent(right, asked), percent(stale, asked)];
  note("questions to people: first line right", `${good.toFixed(1)} %`, `≥ ${WANTED.right} %`, good >= WANTED.right);
  note("questions to people: stale", `${old.toFixed(1)} %`, `≤ ${WANTED.stale} %`, old <= WANTED.stale);
}
