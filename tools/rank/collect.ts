import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { askedBefore, readWorlds, writeSessions } from "../../bench/recall-world.ts";
import type { World } from "../../bench/recall-world.ts";
import { openStaticEmbedder } from "../../src/model/static-embedder.ts";
import { describeFeatures, FEATURES } from "../../src/recall/features.ts";
import { RANKED_CLOSELY } from "../../src/recall/judge-candidates.ts";
import { rankFirst } from "../../src/recall/recall.ts";
import { openFolderSearch } from "../../test/support/folder-search.ts";
import type { Search } from "../../src/search/search.ts";

// Asks every question of every world and writes what the ranker sees of each candidate, for train.py.
//   node tools/rank/collect.ts WORLDS OUT [SET/NAME [VARIANTS]]
const [worldsFolder, out, only = "", variants = "plain,foreign,facts,asked"] = process.argv.slice(2);
if (worldsFolder === undefined || out === undefined) {
  process.stderr.write("usage: collect.ts WORLDS OUT [SET/NAME]\n");
  process.exit(2);
}
const NOW = new Date("2026-11-15T12:00:00Z");
// As many as recall looks at closely: what a feature says depends on those beside it.
const MOST = RANKED_CLOSELY;
const MOST_FOREIGN = 60;
const embedder = await openStaticEmbedder(join(import.meta.dirname, "../../data"));
await mkdir(out, { recursive: true });
const worlds = await readWorlds(worldsFolder, { quick: false });
for (const world of worlds) {
  if (!`${world.set}/${world.name}`.includes(only)) continue;
  const folder = await mkdtemp(join(tmpdir(), "tidemark-rank-"));
  try {
    await writeSessions(world, folder);
    await collect(world, folder, "plain");
    await collect(strangerTo(world, worlds), folder, "foreign");
    if (world.facts.length > 0) await collect(world, folder, "facts");
    await writeSessions(askedBefore(world), folder);
    await collect(world, folder, "asked");
  } finally {
    await rm(folder, { recursive: true });
  }
}
await embedder.close();

async function collect(
  world: World,
  workspace: string,
  variant: "plain" | "facts" | "asked" | "foreign",
): Promise<void> {
  if (!variants.split(",").includes(variant)) return;
  const search = await openFolderSearch({
    workspace,
    // What was asked is added to the index that is there; only facts need one of their own.
    indexPath: join(workspace, ".tidemark", variant === "facts" ? "index-facts.sqlite" : "index.sqlite"),
    timezone: "UTC",
    embedder,
    facts: variant === "facts" ? { version: async () => "1", list: async () => world.facts } : undefined,
  });
  const rows: Float32Array[] = [];
  const about: unknown[] = [];
  for (const { id, query, evidence, category } of world.queries) {
    const described = await describe(search, query);
    about.push({
      id,
      category,
      evidence: new Set(evidence).size,
      hits: described.map(({ messages, text }) => ({
        gold: messages.some((message) => evidence.includes(message)) ? 1 : 0,
        tokens: Math.ceil(text.length / 4),
      })),
    });
    for (const { features } of described) rows.push(Float32Array.from(features));
  }
  await search.close();
  const name = `${world.set}--${world.name}--${variant}`;
  await writeFile(join(out ?? "", `${name}.bin`), Buffer.concat(rows.map((row) => Buffer.from(row.buffer))));
  await writeFile(join(out ?? "", `${name}.json`), JSON.stringify({ features: FEATURES, questions: about }));
  process.stdout.write(`${name}: ${rows.length} candidates of ${about.length} questions\n`);
}

/** A world that is asked the questions of another one of its set, about its own people: nothing on record answers. */
function strangerTo(world: World, all: readonly World[]): World {
  const others = all.filter((other) => other.set === world.set && other.name !== world.name);
  const other = others[world.messages.length % (others.length || 1)];
  const [own, their] = [world, other].map((one) => [...new Set(one?.messages.map((message) => message.name ?? ""))]);
  const queries = (other?.queries ?? []).slice(0, MOST_FOREIGN).map((query) => ({
    ...query,
    evidence: [],
    query: (their ?? []).reduce(
      (text, name, index) => (name === "" ? text : text.replaceAll(name, own?.[index] ?? name)),
      query.query,
    ),
  }));
  return { ...world, queries };
}

async function describe(search: Search, query: string) {
  const { ranking, gathered, period } = await rankFirst(search, query, { now: NOW, timezone: "UTC" }, MOST);
  const features = describeFeatures(query, gathered, ranking, period);
  return ranking.flatMap(({ text, found: { messages } }, index) => {
    const row = features[index];
    return row ? [{ text, messages, features: row }] : [];
  });
}
