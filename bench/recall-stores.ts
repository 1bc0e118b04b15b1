import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Embedder } from "../src/model/embedder.ts";
import { openStaticEmbedder } from "../src/model/static-embedder.ts";
import { recall } from "../src/recall/recall.ts";
import type { Search } from "../src/search/search.ts";
import { openStore } from "../src/open-store.ts";
import { openStoreSearch } from "../test/support/folder-search.ts";
import type { Store } from "../src/store/store.ts";
import { scoreRecall } from "./recall-score.ts";
import type { Judged } from "./recall-score.ts";
import { readWorlds, writeSessions } from "./recall-world.ts";
import type { World } from "./recall-world.ts";

// Asks the questions of the recall worlds of a folder and of PostgreSQL, and compares: search is the same in both.
//   node bench/recall-stores.ts DIR postgres://… [--questions=N] [SET…]

const LIMIT = 60;
const NOW = new Date("2026-11-15T12:00:00Z");

const [folder, address, ...rest] = process.argv.slice(2);
const sets = rest.filter((word) => !word.startsWith("--"));
const most = Number(rest.find((word) => word.startsWith("--questions="))?.slice("--questions=".length) ?? Infinity);
if (folder === undefined || address === undefined) {
  console.error("usage: bench/recall-stores.ts DIR postgres://… [--questions=N] [SET…]");
  process.exit(2);
}
const embedder = await openStaticEmbedder(join(import.meta.dirname, "../data"));
console.log("| world | store | questions | frac@5 | frac@10 | mrr | ms a question |\n|---|---|---|---|---|---|---|");
let furthest = 0;
for (const world of await readWorlds(folder, { quick: true })) {
  if (sets.length > 0 && !sets.includes(world.set)) continue;
  furthest = Math.max(furthest, await compareStores(world, address));
}
await embedder.close();
console.log(`\nfrac@10 differs by ${furthest.toFixed(4)} at most`);
process.exitCode = furthest > 0.01 ? 1 : 0;

async function compareStores(world: World, place: string): Promise<number> {
  const workspace = await mkdtemp(join(tmpdir(), "tidemark-recall-"));
  await writeSessions(world, workspace);
  const files = await openStore(workspace, console.error);
  const url = new URL(place);
  url.searchParams.set("workspace", `recall ${world.set} ${Date.now()}`);
  const rows = await openStore(url.href, console.error);
  try {
    for (const head of await files.store.logs.heads("present")) {
      const log = await files.store.logs.openHead(head);
      await log.load(0);
      const { key, identity, cursor, updatedAt, metadata } = log;
      const messages = log.messages(0);
      await rows.store.logs.put({ key, archive: undefined, identity, cursor, updatedAt, metadata, messages });
    }
    const shares: number[] = [];
    for (const { name, store } of [
      { name: "folder", store: files.store },
      { name: "PostgreSQL", store: rows.store },
    ])
      shares.push(await askStore(world, name, store, embedder));
    return Math.abs((shares[0] ?? 0) - (shares[1] ?? 0));
  } finally {
    await files.store.close();
    await rows.store.close();
    await rm(workspace, { recursive: true });
  }
}

async function askStore(world: World, name: string, store: Store, chosen: Embedder): Promise<number> {
  const facts = { version: async () => "1", list: async () => world.facts };
  const search: Search = await openStoreSearch(store, { timezone: "UTC", embedder: chosen, facts });
  await search.sync();
  const judged: Judged[] = [];
  const begun = performance.now();
  const asked = world.queries.slice(0, most);
  for (const { query, evidence } of asked) {
    const { results } = await recall(search, query, { limit: LIMIT, now: NOW, timezone: "UTC" });
    judged.push({ hits: results, evidence });
  }
  const ms = (performance.now() - begun) / Math.max(1, asked.length);
  await search.close();
  const { questions, frac5, frac10, mrr } = scoreRecall(judged);
  const cells = [world.set, name, questions, frac5.toFixed(3), frac10.toFixed(3), mrr.toFixed(3), ms.toFixed(1)];
  console.log(`| ${cells.join(" | ")} |`);
  return frac10;
}
