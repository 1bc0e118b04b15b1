import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { openMemory } from "../src/index.ts";
import type { Memory } from "../src/index.ts";

// What the promises of DESIGN 2 cost, as ratios in one run. Writes its table to bench/CORE.md.

const SIZES = [100, 10_000, 100_000];
const APPENDS = 60;

const folder = mkdtempSync(join(tmpdir(), "tidemark-bench-"));

function message(index: number): string {
  const content = `message ${index}: ${"what was said on that day, at some length, ".repeat(4)}`;
  return JSON.stringify({
    role: index % 2 === 0 ? "user" : "assistant",
    content,
    timestamp: "2026-11-15T10:00:00.000+00:00",
    id: `m${index}`,
  });
}

/** A session file of this many messages, with everything but the last fifty digested. */
function writeSession(workspace: string, size: number, isMarked: boolean): string {
  mkdirSync(join(workspace, "sessions"), { recursive: true });
  const path = join(workspace, "sessions", "cli_bench.jsonl");
  const head = {
    _type: "metadata",
    key: "cli:bench",
    created_at: "2026-11-15T10:00:00.000+00:00",
    metadata: {},
    last_consolidated: 0,
  };
  const lines = [JSON.stringify(head), ...Array.from({ length: size }, (_, index) => message(index))];
  const cursor = Math.max(0, size - 50);
  const offset = Buffer.byteLength(lines.slice(0, cursor + 1).join("\n")) + 1;
  const last = { ...head, last_consolidated: cursor, ...(isMarked ? { tide_mark: { messages: cursor, offset } } : {}) };
  writeFileSync(path, `${[...lines, JSON.stringify(last)].join("\n")}\n`);
  return path;
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}

/** Bytes that this process has read so far, as the kernel counts them; undefined where it does not tell. */
function bytesRead(): number | undefined {
  try {
    return Number(/rchar: (\d+)/.exec(readFileSync("/proc/self/io", "utf8"))?.[1]);
  } catch {
    return undefined;
  }
}

async function withMemory<T>(workspace: string, work: (memory: Memory) => Promise<T>): Promise<T> {
  const memory = await openMemory({ workspace, config: { agents: { defaults: { memoryWindow: 0 } } } });
  try {
    return await work(memory);
  } finally {
    await memory.close();
  }
}

async function measureAppends(size: number) {
  const workspace = join(folder, `append-${size}`);
  writeSession(workspace, size, true);
  return withMemory(workspace, async (memory) => {
    const session = await memory.session("cli:bench");
    const times: number[] = [];
    // Reading the kernel's count is itself a read; what one look costs is taken off.
    const before = bytesRead();
    const look = (bytesRead() ?? 0) - (before ?? 0);
    const start = bytesRead() ?? 0;
    for (let index = 0; index < APPENDS; index++) {
      const begun = performance.now();
      await session.append({ role: "user", content: `one more ${index}` });
      times.push(performance.now() - begun);
    }
    const read = Math.max(0, (bytesRead() ?? 0) - start - look) / APPENDS;
    return { ms: median(times), readPerAppend: before === undefined ? undefined : read };
  });
}

/** The ancestors' way: the whole file is written anew for each message. */
async function measureRewrites(size: number): Promise<number> {
  const workspace = join(folder, `rewrite-${size}`);
  const path = writeSession(workspace, size, false);
  const messages: unknown[] = readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const times: number[] = [];
  for (let index = 0; index < (size > 50_000 ? 7 : 25); index++) {
    messages.push({ role: "user", content: `one more ${index}` });
    const begun = performance.now();
    const file = await open(path, "w");
    await file.writeFile(`${messages.map((each) => JSON.stringify(each)).join("\n")}\n`);
    await file.sync();
    await file.close();
    times.push(performance.now() - begun);
  }
  return median(times);
}

async function measureOpen(isMarked: boolean): Promise<number> {
  const workspace = join(folder, `open-${isMarked}`);
  writeSession(workspace, 100_000, isMarked);
  const times: number[] = [];
  for (let round = 0; round < 7; round++) {
    await withMemory(workspace, async (memory) => {
      const begun = performance.now();
      const session = await memory.session("cli:bench");
      if (session.history().length !== 50) throw new Error("the session did not open as written");
      times.push(performance.now() - begun);
    });
  }
  return median(times);
}

const appends = new Map<number, Awaited<ReturnType<typeof measureAppends>>>();
const rewrites = new Map<number, number>();
// Interleaved, so that a noisy minute falls on all of them.
for (const size of SIZES) {
  appends.set(size, await measureAppends(size));
  rewrites.set(size, await measureRewrites(size));
}
const lazy = await measureOpen(true);
const whole = await measureOpen(false);
rmSync(folder, { recursive: true, force: true });

const base = appends.get(100)?.ms ?? 1;
const rows = SIZES.map((size) => {
  const { ms, readPerAppend } = appends.get(size) ?? { ms: 0, readPerAppend: undefined };
  const rewrite = rewrites.get(size) ?? 0;
  const read = readPerAppend === undefined ? "?" : `${Math.round(readPerAppend)} B`;
  return `| ${size.toLocaleString("en")} | ${ms.toFixed(2)} ms | ${(ms / base).toFixed(2)}× | ${read} | ${rewrite.toFixed(2)} ms | ${(rewrite / ms).toFixed(1)}× |`;
});
const report = `# Core benchmark

Written by \`npm run bench:core\` (Node ${process.version}, ${cpus().length} cores, a shared machine: trust the ratios).

Appending one message to a session, synced to the disk (median of ${APPENDS}), against rewriting the whole file:

| messages in the session | append | against 100 | read from disk per append | rewrite, as the ancestors do | rewrite against append |
|---|---|---|---|---|---|
${rows.join("\n")}

(The bytes read are the lock's own first page; the session's file is not read.)

Opening a session of 100,000 messages whose cursor is 50 before its end, up to the messages to send (median of 7):

| | time | |
|---|---|---|
| from the tide mark | ${lazy.toFixed(2)} ms | ${(whole / lazy).toFixed(0)}× faster |
| parsing everything | ${whole.toFixed(1)} ms | |
`;
writeFileSync(new URL("CORE.md", import.meta.url), report);
console.log(report);
const flat = Math.max(...SIZES.map((size) => appends.get(size)?.ms ?? 0)) / base;
if (flat > 2 || whole / lazy < 20) {
  console.error(
    `not reached: appends are ${flat.toFixed(2)}× apart (at most 2), opening is ${(whole / lazy).toFixed(1)}× faster (at least 20)`,
  );
  process.exitCode = 1;
}
