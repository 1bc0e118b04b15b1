import { execFile } from "node:child_process";
import { copyFile, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import { Measured, Measurements, writeComparison } from "./comparison.ts";

// Runs other memories and search libraries over the worlds of the recall benchmark, each in a process of its own, with the
// same texts and the same vectors. What was measured is kept in measured.json, from which docs/comparison.md is written; a
// run replaces only the figures that it takes. First: bench/peers/install.sh
//   node bench/peers/run.ts WORLDS [--sets NAME,…] [--only NAME,…] [--questions MOST] [--embedder onnx:FOLDER]

const HERE = import.meta.dirname;
const NAMES = "tidemark,mem0,mastra,lancedb,orama,langchain,llamaindex,minisearch,qmd,mcp-memory,openclaw".split(",");
const LONGEST_MS = 3_600_000;
const flags = process.argv.slice(3);
const flag = (name: string, fallback: string) =>
  flags.includes(name) ? (flags[flags.indexOf(name) + 1] ?? fallback) : fallback;
const worlds = process.argv[2] ?? "";
const sets = flag("--sets", "locomo,beam-100k,lifebench-en,lifebench-zh").split(",");
const only = flag("--only", NAMES.join(",")).split(",");
const embedder = flag("--embedder", "local");
const questions = flag("--questions", "1000");
// Where a model lies is this machine's affair; its name is what others need.
const embedderName = embedder.split(/[:/]/).at(-1) ?? embedder;

const path = join(HERE, "measured.json");
for (const name of NAMES.filter((one) => only.includes(one))) {
  for (const set of sets) {
    const key = `${embedderName} ${set} ${name}`;
    const outcome = await measure(name, set).catch((error: unknown) => ({ failure: lastLine(error) }));
    console.log(key, JSON.stringify(outcome));
    // Read anew each time: another run may have added to it.
    await writeFile(path, `${JSON.stringify({ ...(await readMeasured()), [key]: outcome }, null, 2)}\n`);
  }
}
await writeFile(join(HERE, "../../docs/comparison.md"), writeComparison(await readMeasured()));

async function readMeasured(): Promise<Measurements> {
  return existsSync(path) ? Measurements.parse(JSON.parse(await readFile(path, "utf8"))) : {};
}

/** What a process said last of what went wrong. */
function lastLine(error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  const lines = reason.trim().split("\n");
  return (lines.findLast((line) => /^\S*Error\b.*:/.test(line)) ?? lines.at(-1) ?? "").slice(0, 200);
}

async function measure(name: string, set: string): Promise<Measured> {
  const home = join(HERE, "installed", name);
  if (name !== "tidemark") {
    if (!existsSync(join(home, "node_modules"))) throw new Error("it could not be installed");
    // Beside its packages, so that its imports find them.
    await copyFile(join(HERE, "adapters", `${name}.mjs`), join(home, "adapter.mjs"));
  }
  const folder = await mkdtemp(join(tmpdir(), "tidemark-peer-"));
  try {
    const script = join(HERE, "measure.ts");
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [script, name, worlds, set, questions, embedder, folder],
      { maxBuffer: 1 << 26, timeout: LONGEST_MS },
    );
    const measured: unknown = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
    return Measured.parse({ ...z.looseObject({}).parse(measured), ...(await footprint(name, folder)) });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** How many packages an install brings, and how large they are. */
async function footprint(name: string, folder: string): Promise<{ packages: number; megabytes: number }> {
  if (name === "tidemark") await installOurs(folder);
  const root = join(name === "tidemark" ? folder : join(HERE, "installed", name), "node_modules");
  const lock = z
    .object({ packages: z.record(z.string(), z.unknown()) })
    .parse(JSON.parse(await readFile(join(root, ".package-lock.json"), "utf8")));
  return { packages: Object.keys(lock.packages).length, megabytes: Math.round((await sizeOf(root)) / 1e6) };
}

/** What is installed of us when somebody asks for the package. */
async function installOurs(folder: string): Promise<void> {
  const npm = (words: readonly string[], cwd: string) => promisify(execFile)("npm", [...words], { cwd });
  const { stdout } = await npm(
    ["pack", "--ignore-scripts", "--pack-destination", folder, "--loglevel=error"],
    join(HERE, "../.."),
  );
  await writeFile(join(folder, "package.json"), "{}\n");
  await npm(
    ["install", "--omit=dev", "--loglevel=error", join(folder, stdout.trim().split("\n").at(-1) ?? "")],
    folder,
  );
}

async function sizeOf(folder: string): Promise<number> {
  let total = 0;
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isFile()) total += (await stat(join(entry.parentPath, entry.name))).size;
  }
  return total;
}
