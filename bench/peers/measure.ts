import { mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { isStopWord } from "../../src/language/stop-words.ts";
import { openEmbedder } from "../../src/model/open-embedder.ts";
import { recall } from "../../src/recall/recall.ts";
import type { Search } from "../../src/search/search.ts";
import { openFolderSearch } from "../../test/support/folder-search.ts";
import { scoreRecall } from "../recall-score.ts";
import type { Judged } from "../recall-score.ts";
import { cacheEmbedder } from "./cached-embedder.ts";
import { readWorlds, writeSessions } from "../recall-world.ts";
import type { World } from "../recall-world.ts";

// One peer over the first world of a set; prints what was measured as one line of JSON. Started by run.ts.

/** What an adapter gives: a memory that takes messages in and answers with their numbers, best first. */
interface Peer {
  add(messages: readonly { text: string }[], vectors: readonly Float32Array[]): Promise<unknown>;
  ask(query: string, limit: number, vector: Float32Array): Promise<number[]>;
  close(): Promise<unknown>;
}

const LIMIT = 30;
const [name = "", folder = "", set = "", most = "1000", model = "local", scratch = ""] = process.argv.slice(2);
const opened = await openEmbedder({ model, dataFolder: fileURLToPath(new URL("../../data", import.meta.url)) });
const embedder = await cacheEmbedder(opened, join(import.meta.dirname, "installed", "vectors"));
const times: number[] = [];
let ingestMs = 0;
let about = "as installed: words and meaning, the built-in settings";
let mostQuestions = Number(most);
const world = (await readWorlds(folder, { quick: true })).find((one) => one.set === set);
if (!world) throw new Error(`There is no world of ${set} in ${folder}`);
const place = join(scratch, "world");
const judged = name === "tidemark" ? await askOurs(world) : await askPeer(world);
const diskBytes = await sizeOf(place);
await embedder.close();
const { questions, frac10 } = scoreRecall(judged);
const questionMs = times.toSorted((one, other) => one - other)[times.length >> 1] ?? 0;
const memoryMiB = process.resourceUsage().maxRSS / 1_024;
const messages = world.messages.length;
const measured = { about, questions, frac10, messages, ingestMs, questionMs, diskBytes, memoryMiB };
process.stdout.write(`\n${JSON.stringify(measured)}\n`);
process.exit(0);

/** So many questions that have an answer, spread evenly over the world. */
function chosenQuestions({ queries }: World): World["queries"] {
  const answerable = queries.filter(({ evidence }) => evidence.length > 0);
  const step = Math.max(1, answerable.length / mostQuestions);
  return answerable.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step));
}

async function askOurs(one: World): Promise<Judged[]> {
  // Embedded before, as for everyone else: what is measured is the memory, not the embedder.
  if (!embedder.isFree) await (await openOurs(one, join(scratch, "before"))).close();
  const start = performance.now();
  const search = await openOurs(one, place);
  ingestMs = performance.now() - start;
  const asked: Judged[] = [];
  for (const { query, evidence } of chosenQuestions(one)) {
    const begin = performance.now();
    const now = new Date("2026-11-15T12:00:00Z");
    const { results } = await recall(search, query, { limit: LIMIT, now, timezone: "UTC" });
    times.push(performance.now() - begin);
    asked.push({ hits: results, evidence });
  }
  await search.close();
  return asked;
}

async function openOurs(one: World, workspace: string): Promise<Search> {
  await writeSessions(one, workspace);
  const indexPath = join(workspace, ".tidemark", "index.sqlite");
  // As in a process that stays, like everyone else's here.
  const watch = { intervalMs: 600_000 };
  const search = await openFolderSearch({ workspace, indexPath, timezone: "UTC", embedder, watch });
  await search.sync();
  return search;
}

async function askPeer(one: World): Promise<Judged[]> {
  await mkdir(place, { recursive: true });
  const adapter: unknown = await import(
    pathToFileURL(join(import.meta.dirname, "installed", name, "adapter.mjs")).href
  );
  if (!isAdapter(adapter)) throw new Error(`The adapter of ${name} has no open()`);
  about = adapter.about;
  mostQuestions = Math.min(mostQuestions, adapter.mostQuestions ?? mostQuestions);
  const texts = one.messages.map(({ name: speaker, role, timestamp, content }) => ({
    text: `[${timestamp ?? ""}] ${speaker ?? role}: ${content}`,
  }));
  const vectors = await embedder.embed(
    texts.map(({ text }) => text),
    { kind: "passage" },
  );
  const known = new Map(texts.map(({ text }, index) => [text, vectors[index]]));
  const embed = async (wanted: readonly string[]) => {
    const found = wanted.map((text) => known.get(text));
    return found.every((vector) => vector !== undefined) ? found : embedder.embed(wanted, { kind: "query" });
  };
  const peer = await adapter.open({
    folder: place,
    dimensions: embedder.dimensions,
    embed,
    isSmallWord: (word) => isStopWord(word, "en"),
    isChinese: one.set.endsWith("-zh"),
  });
  const start = performance.now();
  await peer.add(texts, vectors);
  ingestMs = performance.now() - start;
  const asked: Judged[] = [];
  for (const { query, evidence } of chosenQuestions(one)) {
    const begin = performance.now();
    const [vector] = await embedder.embed([query], { kind: "query" });
    const numbers = await peer.ask(query, LIMIT, vector ?? new Float32Array());
    times.push(performance.now() - begin);
    const hits = numbers.flatMap((number) => {
      const message = one.messages[number];
      return message ? [{ messages: [message.id], text: message.content }] : [];
    });
    asked.push({ hits, evidence });
  }
  await peer.close();
  return asked;
}

interface Adapter {
  readonly about: string;
  /** Where a question costs much. */
  readonly mostQuestions?: number;
  open(world: {
    folder: string;
    dimensions: number;
    embed: (texts: readonly string[]) => Promise<(Float32Array | undefined)[]>;
    isSmallWord: (word: string) => boolean;
    isChinese: boolean;
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
