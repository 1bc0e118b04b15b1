import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";

// Runs other memories and search libraries over the worlds of the recall benchmark, each in a process of its own, with the
// same texts and the same vectors, and writes docs/comparison.md. First: bench/peers/install.sh
//   node bench/peers/run.ts WORLDS [--worlds PER_SET] [--sets NAME,…] [--only NAME,…] [--embedder onnx:FOLDER]

const Measured = z.object({
  about: z.string(),
  sets: z.record(z.string(), z.object({ questions: z.number(), frac10: z.number() })),
  messages: z.number(),
  ingestMs: z.number(),
  questionMs: z.number(),
  diskBytes: z.number(),
  memoryMiB: z.number(),
});
type Measured = z.infer<typeof Measured>;

const HERE = import.meta.dirname;
const PEERS = [
  "mem0",
  "mastra",
  "lancedb",
  "orama",
  "langchain",
  "llamaindex",
  "minisearch",
  "qmd",
  "mcp-memory",
  "openclaw",
];
const flags = process.argv.slice(3);
const flag = (name: string) => flags[flags.indexOf(name) + 1];
const worlds = process.argv[2] ?? "";
const ALL_SETS = "locomo,beam-100k,beam-500k,lifebench-en,lifebench-zh";
const SETS = (flags.includes("--sets") ? (flag("--sets") ?? "") : ALL_SETS).split(",");
const perSet = flags.includes("--worlds") ? Number(flag("--worlds")) : 1;
const embedder = flags.includes("--embedder") ? (flag("--embedder") ?? "local") : "local";
const only = flags.includes("--only") ? (flag("--only") ?? "").split(",") : ["tidemark", ...PEERS];

const rows: string[] = [];
const failures: string[] = [];
const results = new Map<string, Measured>();
for (const name of ["tidemark", ...PEERS].filter((one) => only.includes(one))) {
  try {
    const measured = await measure(name);
    results.set(name, measured);
    rows.push(row(name, measured, await footprint(name)));
    console.log(rows.at(-1));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    failures.push(`- ${name}: ${reason.split("\n").at(-1)?.slice(0, 300) ?? ""}`);
    console.log(failures.at(-1));
  }
}
await writeComparison();

async function measure(name: string): Promise<Measured> {
  const home = join(HERE, "installed", name);
  if (name !== "tidemark") {
    if (!existsSync(join(HERE, "adapters", `${name}.mjs`))) throw new Error("not run: there is no adapter for it yet");
    if (!existsSync(join(home, "node_modules"))) throw new Error("not run: it is not installed");
    // Beside its packages, so that its imports find them.
    await copyFile(join(HERE, "adapters", `${name}.mjs`), join(home, "adapter.mjs"));
  }
  const folder = await mkdtemp(join(tmpdir(), "tidemark-peer-"));
  try {
    const script = join(HERE, "measure.ts");
    const run = promisify(execFile)(
      process.execPath,
      [script, name, worlds, String(perSet), embedder, folder, SETS.join(",")],
      {
        maxBuffer: 1 << 26,
        timeout: 900_000,
      },
    );
    const { stdout } = await run;
    return Measured.parse(JSON.parse(stdout.trim().split("\n").at(-1) ?? ""));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** How many packages an install brings, and how large they are. */
async function footprint(name: string): Promise<{ packages: number; megabytes: number } | undefined> {
  if (name === "tidemark") return undefined;
  const root = join(HERE, "installed", name, "node_modules");
  const lock = z
    .object({ packages: z.record(z.string(), z.unknown()) })
    .parse(JSON.parse(await readFile(join(root, ".package-lock.json"), "utf8")));
  return { packages: Object.keys(lock.packages).length, megabytes: (await sizeOf(root)) / 1e6 };
}

async function sizeOf(folder: string): Promise<number> {
  let total = 0;
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isFile()) total += (await stat(join(entry.parentPath, entry.name))).size;
  }
  return total;
}

function row(name: string, measured: Measured, size: { packages: number; megabytes: number } | undefined): string {
  const quality = SETS.map((set) => measured.sets[set]?.frac10.toFixed(3) ?? "–");
  return `| ${[
    name,
    ...quality,
    `${((measured.ingestMs / measured.messages) * 1_000).toFixed(0)} ms`,
    `${measured.questionMs.toFixed(1)} ms`,
    `${(measured.diskBytes / 1e6).toFixed(1)} MB`,
    `${measured.memoryMiB.toFixed(0)} MiB`,
    size ? String(size.packages) : "–",
    size ? size.megabytes.toFixed(0) : "–",
  ].join(" | ")} |`;
}

async function writeComparison(): Promise<void> {
  const own = results.get("tidemark");
  const better = SETS.flatMap((set) =>
    [...results].flatMap(([name, { sets }]) => {
      const [theirs, ours] = [sets[set]?.frac10 ?? 0, own?.sets[set]?.frac10 ?? 0];
      return name !== "tidemark" && theirs > ours
        ? [`- ${set}: ${name} finds ${theirs.toFixed(3)}, Tidemark ${ours.toFixed(3)}.`]
        : [];
    }),
  );
  const faster = [...results].flatMap(([name, one]) =>
    own && name !== "tidemark" && one.questionMs < own.questionMs ? [`${name} (${one.questionMs.toFixed(1)} ms)`] : [],
  );
  const lighter = [...results].flatMap(([name, one]) =>
    own && name !== "tidemark" && one.ingestMs < own.ingestMs
      ? [`${name} (${((one.ingestMs / one.messages) * 1_000).toFixed(0)} ms)`]
      : [],
  );
  const text = `# Comparison

Written by \`bench/peers/run.ts\`; run it to get your own figures. Quality is frac@10: the share of the labelled evidence among the
first ten messages, over ${perSet === 1 ? "the first world" : `${perSet} worlds`} of each set. Every peer gets the same texts, one a message with its date and speaker in front,
and the same vectors (embedder: ${embedder}). Times were taken on a busy machine while other work ran: they say little, also beside each other.

Tidemark's learned ranking has seen these worlds; bench/RESULTS.md has the figures of worlds that it has not. Its time to take
messages in includes embedding where the built-in table is used.

## Where others are ahead

${better.length > 0 ? better.join("\n") : "In quality, on these worlds: none."}
${faster.length > 0 ? `- A question takes less time in ${faster.join(", ")}; Tidemark takes ${own?.questionMs.toFixed(1) ?? "–"} ms.` : ""}
${lighter.length > 0 ? `- Taking in a thousand messages takes less time in ${lighter.join(", ")}; Tidemark takes ${own ? ((own.ingestMs / own.messages) * 1_000).toFixed(0) : "–"} ms, with the messages on the disk as files.` : ""}

## All figures

| | ${SETS.join(" | ")} | 1,000 messages in | a question | disk | memory | packages | MB |
|---|${SETS.map(() => "---|").join("")}---|---|---|---|---|---|
${rows.join("\n")}

Ingest is without embedding. Memory is the most that the process held, embedder included. Packages and megabytes are what
\`npm install\` of the peer brings.

## Settings

${[...results].map(([name, { about }]) => `- ${name}: ${about}`).join("\n")}

## Not measured

${failures.join("\n")}
`;
  await mkdir(join(HERE, "../../docs"), { recursive: true });
  await writeFile(join(HERE, "../../docs/comparison.md"), text.replaceAll(/\n{3,}/g, "\n\n"));
}
