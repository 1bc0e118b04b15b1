import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { cpus, loadavg, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { chromium } from "playwright-core";
import { openMemory } from "../src/index.ts";

// The inspector over a large memory: how much is loaded, and how soon something is to be seen. bench/UI.md explains.
const FACTS = 20_000;
const SESSIONS = 500;
const MOST_BYTES = 150_000;
const ROOT = resolve(import.meta.dirname, "..");
const FIRST_VIEW_MS = 1000;
const ROUNDS = 5;

const bytes = await measurePage();
const workspace = await mkdtemp(join(tmpdir(), "tidemark-bench-ui-"));
try {
  await fill(workspace);
  const server = spawn(process.execPath, [join(ROOT, "bin/tidemark.js"), "ui", "--no-open", "-w", workspace], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const link = await new Promise<string>((found) => server.stdout.once("data", (chunk) => found(String(chunk).trim())));
  const views = await measureViews(link);
  server.kill("SIGTERM");
  await once(server, "exit");
  const over = [
    ...(bytes > MOST_BYTES ? [`the page is ${bytes} bytes`] : []),
    ...(views.memory.first > FIRST_VIEW_MS ? [`the first view took ${views.memory.first} ms`] : []),
  ];
  process.stdout.write(
    `${JSON.stringify({ bytes, facts: FACTS, sessions: SESSIONS, load: Math.round(loadavg()[0] ?? 0), ...views, over }, undefined, 2)}\n`,
  );
  if (over.length > 0) process.exitCode = 1;
  if (process.argv.includes("--write")) await writeReport(bytes, views);
} finally {
  await rm(workspace, { recursive: true, force: true });
}

/** The bytes of everything that the page can load, gzipped. */
async function measurePage(): Promise<number> {
  const folder = join(ROOT, "dist/ui");
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const sizes = await Promise.all(files.map(async (file) => gzipSync(await readFile(file)).length));
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function fill(folder: string): Promise<void> {
  // Whoever believes so much has the room for it: otherwise it would go to a note with the first digest.
  const defaults = { memoryBudgetTokens: 2_000_000, contextWindowTokens: 8_000_000 };
  await writeFile(join(folder, "config.json"), JSON.stringify({ agents: { defaults } }));
  const memory = await openMemory({ workspace: folder, passive: true });
  for (let index = 0; index < SESSIONS; index++) {
    const session = await memory.session(`bench:${index}`);
    await session.appendAll(
      Array.from({ length: 40 }, (_, place) => ({
        role: place % 2 === 0 ? ("user" as const) : ("assistant" as const),
        content: `Talk ${index}, line ${place}: the tide is ${place % 3 === 0 ? "in" : "out"}.`,
      })),
    );
  }
  await memory.close();
  await mkdir(join(folder, "memory"), { recursive: true });
  const lines = Array.from({ length: FACTS }, (_, index) => {
    const fact = `- Crate ${index} of shelf ${index % 97} holds ${(index * 7919) % 10_007} samples of seagrass, sealed on day ${index % 365}`;
    return index % 100 === 0 ? `\n## Shelf ${index / 100}\n\n${fact}` : fact;
  });
  await writeFile(join(folder, "memory", "MEMORY.md"), `# Memory\n${lines.join("\n")}\n`);
}

/** Milliseconds from the address to something that can be read; first in a fresh server and browser, then again. */
async function measureViews(link: string) {
  const browser = await chromium.launch({
    executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
  const context = await browser.newContext();
  const url = new URL(link).origin;
  const time = async (address: string, selector: string) => {
    const page = await context.newPage();
    const meter = await context.newCDPSession(page);
    // What the page's own thread worked, however busy the machine is.
    await meter.send("Performance.enable", { timeDomain: "threadTicks" });
    const begun = performance.now();
    await page.goto(address);
    await page.locator(selector).first().waitFor();
    const ms = Math.round(performance.now() - begun);
    const rows = await page.locator(selector).count();
    const { metrics } = await meter.send("Performance.getMetrics");
    const worked = metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0;
    await page.close();
    return { ms, rows, pageCpuMs: Math.round(worked * 1000) };
  };
  const measure = async (hash: string, selector: string, entry?: string) => {
    const first = await time(entry ?? `${url}/${hash}`, selector);
    const again: number[] = [];
    for (let round = 0; round < ROUNDS; round++) again.push((await time(`${url}/${hash}`, selector)).ms);
    return {
      first: first.ms,
      median: again.toSorted((one, other) => one - other)[ROUNDS >> 1] ?? 0,
      pageCpuMs: first.pageCpuMs,
      rowsDrawn: first.rows,
    };
  };
  const views = {
    memory: await measure("", ".fact", link),
    talk: await measure("#/talk", ".session-row"),
    timeline: await measure("#/timeline", ".change"),
    health: await measure("#/health", ".health-grid"),
    transcript: await measure("#/talk?session=bench%3A7", ".message"),
  };
  await browser.close();
  return views;
}

/** Puts the table into bench/UI.md; what is explained below it stays. */
async function writeReport(bytes: number, views: Awaited<ReturnType<typeof measureViews>>): Promise<void> {
  const path = join(import.meta.dirname, "UI.md");
  const [, explained = ""] = (await readFile(path, "utf8")).split(/(?=^## What it waits for$)/m);
  const rows = Object.entries(views).map(
    ([name, { first, median, pageCpuMs, rowsDrawn }]) =>
      `| ${name} | ${first} | ${median} | ${pageCpuMs} | ${rowsDrawn} |`,
  );
  const day = new Date().toISOString().slice(0, 10);
  await writeFile(
    path,
    `# The inspector over a large memory

\`npm run bench:ui -- --write\`, ${day}, Node ${process.versions.node}, ${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)}. ${FACTS.toLocaleString("en-US")} facts, ${SESSIONS} sessions, a
budget that all of it fits in. The page is ${bytes.toLocaleString("en-US")} bytes, gzipped, in all.

Milliseconds from the address to something that can be read, in Chromium: *first* in a fresh server and browser, *again* the
median of five; the page's own processor time; how many rows are drawn.

| view | first | again | page | rows |
|---|---|---|---|---|
${rows.join("\n")}

${explained}`,
  );
}
