import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { isStopWord } from "../../src/language/stop-words.ts";
import type { Embedder } from "../../src/model/embedder.ts";
import { openEmbedder } from "../../src/model/open-embedder.ts";
import { recall } from "../../src/recall/recall.ts";
import { openSearch } from "../../src/store/files/index/open-search.ts";
import { scoreRecall } from "../recall-score.ts";
import type { Judged } from "../recall-score.ts";
import { readWorlds, writeSessions } from "../recall-world.ts";
import type { World } from "../recall-world.ts";

// One peer over the first worlds of each set; prints what was measured as one line of JSON. Started by run.ts.

/** What an adapter gives: a memory that takes messages in and answers with their numbers, best first. */
interface Peer {
  add(messages: readonly { text: string }[], vectors: readonly Float32Array[]): Promise<unknown>;
  ask(query: string, limit: number, vector: Float32Array): Promise<number[]>;
  close(): Promise<unknown>;
}

const LIMIT = 30;
const [name = "", folder = "", perSet = "1", model = "local", scratch = "", chosen = ""] = process.argv.slice(2);
const embedder = await openEmbedder({ model, dataFolder: fileURLToPath(new URL("../../data", import.meta.url)) });
const judged = new Map<string, Judged[]>();
const times: number[] = [];
let ingestMs = 0;
let messages = 0;
let diskBytes = 0;
let about = "as installed: words and meaning, the built-in settings";
const all = (await readWorlds(folder, { quick: false })).filter(({ set }) => chosen.split(",").includes(set));
for (const [set, members] of Map.groupBy(all, (world) => world.set)) {
  for (const [index, world] of members.slice(0, Number(perSet)).entries()) {
    const place = join(scratch, `${set}-${index}`);
    const asked = name === "tidemark" ? await askOurs(world, place, embedder) : await askPeer(world, place, embedder);
    judged.set(set, [...(judged.get(set) ?? []), ...asked]);
    messages += world.messages.length;
    diskBytes += await sizeOf(place);
  }
}
await embedder.close();
const sets = Object.fromEntries([...judged].map(([set, one]) => [set, pickScores(one)]));
const questionMs = times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)] ?? 0;
const memoryMiB = process.resourceUsage().maxRSS / 1_024;
process.stdout.write(`\n${JSON.stringify({ about, sets, messages, ingestMs, questionMs, diskBytes, memoryMiB })}\n`);
process.exit(0);

function pickScores(one: readonly Judged[]): { questions: number; frac10: number } {
  const { questions, frac10 } = scoreRecall(one);
  return { questions, frac10 };
}

async function askOurs(world: World, workspace: string, shared: Embedder): Promise<Judged[]> {
  // Embedded before, as for everyone else: what is measured is the memory, not the embedder.
  const ready = await remembering(shared, world);
  const start = performance.now();
  await writeSessions(world, workspace);
  const indexPath = join(workspace, ".tidemark", "index.sqlite");
  const search = await openSearch({ workspace, indexPath, timezone: "UTC", embedder: ready });
  await search.sync();
  ingestMs += performance.now() - start;
  const asked: Judged[] = [];
  for (const { query, evidence } of world.queries) {
    const begin = performance.now();
    const { results } = await recall(search, query, {
      limit: LIMIT,
      now: new Date("2026-11-15T12:00:00Z"),
      timezone: "UTC",
    });
    times.push(performance.now() - begin);
    asked.push({ hits: results, evidence });
  }
  await search.close();
  return asked;
}

/** The embedder with the answers to all that will be asked at hand. */
async function remembering(shared: Embedder, world: World): Promise<Embedder> {
  if (shared.isFree) return shared;
  const known = new Map<string, Float32Array>();
  const texts = world.messages.map(({ name: speaker, content }) => (speaker ? `${speaker}: ${content}` : content));
  const vectors = await shared.embed(texts, { kind: "passage" });
  texts.forEach((text, index) => known.set(text, vectors[index] ?? new Float32Array()));
  return {
    ...shared,
    async embed(wanted, options) {
      const missing = wanted.filter((text) => !known.has(text));
      const fresh = missing.length > 0 ? await shared.embed(missing, options) : [];
      const found = new Map(missing.map((text, index) => [text, fresh[index] ?? new Float32Array()]));
      return wanted.map((text) => known.get(text) ?? found.get(text) ?? new Float32Array());
    },
  };
}

async function askPeer(world: World, place: string, shared: Embedder): Promise<Judged[]> {
  const { mkdir } = await import("node:fs/promises");
  await mkdir(place, { recursive: true });
  const adapter: unknown = await import(
    pathToFileURL(join(import.meta.dirname, "installed", name, "adapter.mjs")).href
  );
  if (!isAdapter(adapter)) throw new Error(`The adapter of ${name} has no open()`);
  about = adapter.about;
  const texts = world.messages.map(({ name: speaker, role, timestamp, content }) => ({
    text: `[${timestamp ?? ""}] ${speaker ?? role}: ${content}`,
  }));
  const vectors = await shared.embed(
    texts.map(({ text }) => text),
    { kind: "passage" },
  );
  const known = new Map(texts.map(({ text }, index) => [text, vectors[index]]));
  const embed = async (wanted: readonly string[]) => {
    const found = wanted.map((text) => known.get(text));
    return found.every((vector) => vector !== undefined) ? found : shared.embed(wanted, { kind: "query" });
  };
  const peer = await adapter.open({
    folder: place,
    dimensions: shared.dimensions,
    embed,
    isSmallWord: (word) => isStopWord(word, "en"),
  });
  const start = performance.now();
  await peer.add(texts, vectors);
  ingestMs += performance.now() - start;
  const asked: Judged[] = [];
  for (const { query, evidence } of world.queries) {
    const begin = performance.now();
    const [vector] = await shared.embed([query], { kind: "query" });
    const numbers = await peer.ask(query, LIMIT, vector ?? new Float32Array());
    times.push(performance.now() - begin);
    const hits = numbers.flatMap((number) => {
      const message = world.messages[number];
      return message ? [{ messages: [message.id], text: message.content }] : [];
    });
    asked.push({ hits, evidence });
  }
  await peer.close();
  return asked;
}

interface Adapter {
  readonly about: string;
  open(world: {
    folder: string;
    dimensions: number;
    embed: (texts: readonly string[]) => Promise<(Float32Array | undefined)[]>;
    isSmallWord: (word: string) => boolean;
  }): Promise<Peer>;
}

function isAdapter(value: unknown): value is Adapter {
  return typeof value === "object" && value !== null && "open" in value && "about" in value;
}

async function sizeOf(place: string): Promise<number> {
  let total = 0;
  for (const entry of await readdir(place, { withFileTypes: true, recursive: true })) {
    if (entry.isFile()) total += (await stat(join(entry.parentPath, entry.name))).size;
  }
  return total;
}
