import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readWorlds, writeSessions } from "../../bench/recall-world.ts";
import type { Embedder } from "../../src/model/embedder.ts";
import { openStaticEmbedder } from "../../src/model/static-embedder.ts";
import { describeFeatures } from "../../src/recall/features.ts";
import { judgeCandidates } from "../../src/recall/judge-candidates.ts";
import { rankFirst } from "../../src/recall/recall.ts";
import { openFolderSearch } from "../../test/support/folder-search.ts";
import type { Search } from "../../src/search/search.ts";
import { tokenise } from "../../src/search/tokenise.ts";

// What tries at the question and at the order of its hits give, before any of them gets into the code: frac@10 of the first
// ranking and of the learned one (which has seen these worlds), for each set.
//   node tools/rank/try.ts WORLDS [SET/NAME] [TRIES]
const [worldsFolder = "", only = "", named = ""] = process.argv.slice(2);
const NOW = new Date("2026-11-15T12:00:00Z");
const MOST = 80;

interface Hit {
  readonly message: string;
  readonly session: string;
  readonly day: number;
  readonly text: string;
  readonly vector: Float32Array | undefined;
  readonly score: number;
}

let turned: ((question: Float32Array) => Float32Array) | undefined;
const local = await openStaticEmbedder(join(import.meta.dirname, "../../data"));
/** The local embedder, whose questions a try may turn another way. */
const embedder: Embedder = {
  ...local,
  async embed(texts, options) {
    const vectors = await local.embed(texts, options);
    const turn = turned;
    return options?.kind === "query" && turn ? vectors.map(turn) : vectors;
  },
};

type Try = (search: Search, query: string, base: readonly Hit[]) => Promise<readonly Hit[]>;

const TRIES: Record<string, Try> = {
  none: async (_, __, base) => base,
  "meaning of the first 3 added, 20 %": feedback(3, 0.2),
  "meaning of the first 5 added, 40 %": feedback(5, 0.4),
  "2 words of the first 5 added": withWords(5, 2),
  "4 words of the first 10 added": withWords(10, 4),
  "MMR, 10 % for being unlike": async (_, __, base) => diverse(base, 0.1),
  "MMR, 25 % for being unlike": async (_, __, base) => diverse(base, 0.25),
  "sessions as passages, 10 %": async (_, query, base) => byGroup(query, base, (hit) => hit.session, 0.1),
  "sessions as passages, 30 %": async (_, query, base) => byGroup(query, base, (hit) => hit.session, 0.3),
  "days as passages, 10 %": async (_, query, base) => byGroup(query, base, (hit) => String(hit.day), 0.1),
  "days as passages, 30 %": async (_, query, base) => byGroup(query, base, (hit) => String(hit.day), 0.3),
  "parts of the question, best of": decomposed("best"),
  "parts of the question, in turn": decomposed("turns"),
};

const sums = new Map<string, { first: number; learned: number; count: number }>();
for (const world of await readWorlds(worldsFolder, { quick: false })) {
  if (!`${world.set}/${world.name}`.includes(only)) continue;
  const folder = await mkdtemp(join(tmpdir(), "tidemark-try-"));
  await writeSessions(world, folder);
  const indexPath = join(folder, ".tidemark", "index.sqlite");
  const search = await openFolderSearch({ workspace: folder, indexPath, timezone: "UTC", embedder });
  for (const { query, evidence } of world.queries) {
    if (evidence.length === 0) continue;
    const first = await rank(search, query, false);
    const learned = await rank(search, query, true);
    for (const [name, attempt] of Object.entries(TRIES)) {
      if (!name.includes(named)) continue;
      const key = `${world.set} | ${name}`;
      const sum = sums.get(key) ?? { first: 0, learned: 0, count: 0 };
      sum.first += frac(await attempt(search, query, first), evidence);
      sum.learned += frac(await attempt(search, query, learned), evidence);
      sum.count++;
      sums.set(key, sum);
    }
  }
  await search.close();
  await rm(folder, { recursive: true });
  process.stderr.write(`${world.set}/${world.name}\n`);
}
for (const [key, { first, learned, count }] of [...sums].toSorted(([one], [other]) => one.localeCompare(other))) {
  process.stdout.write(`${key} | ${count} | ${(first / count).toFixed(4)} | ${(learned / count).toFixed(4)}\n`);
}
await local.close();

async function rank(search: Search, query: string, isLearned: boolean): Promise<Hit[]> {
  const { ranking, gathered, period } = await rankFirst(search, query, { now: NOW, timezone: "UTC" }, MOST);
  const factors = isLearned ? judgeCandidates(ranking, describeFeatures(query, gathered, ranking, period)) : [];
  return ranking
    .map(({ candidate, score, found, text, vector }, index) => ({
      message: found.messages[0] ?? "",
      session: candidate.source.path,
      day: Math.floor((candidate.wallMs ?? 0) / 86_400_000),
      text,
      vector,
      score: score * (factors[index] ?? 1),
    }))
    .toSorted((one, other) => other.score - one.score);
}

function frac(hits: readonly Hit[], evidence: readonly string[]): number {
  const messages = [...new Set(hits.map(({ message }) => message))].slice(0, 10);
  return messages.filter((message) => evidence.includes(message)).length / new Set(evidence).size;
}

/** Pseudo-relevance: the question moves towards what was found first. */
function feedback(count: number, share: number): Try {
  return async (search, query, base) => {
    const middle = mean(base.slice(0, count));
    if (!middle) return base;
    turned = (question) => question.map((value, index) => value + share * (middle[index] ?? 0));
    try {
      const again = await rank(search, query, false);
      return fuse([base, again]);
    } finally {
      turned = undefined;
    }
  };
}

/** Co-occurrence: words that several of the first hits share, and the question does not have. */
function withWords(count: number, most: number): Try {
  return async (search, query, base) => {
    const own = new Set(tokenise(query));
    const seen = new Map<string, number>();
    for (const { text } of base.slice(0, count)) {
      for (const word of new Set(tokenise(text)))
        if (!own.has(word) && word.length > 4) seen.set(word, (seen.get(word) ?? 0) + 1);
    }
    const added = [...seen]
      .filter(([, times]) => times > 1 && times < count)
      .toSorted((one, other) => other[1] - one[1]);
    if (added.length === 0) return base;
    const words = added.slice(0, most).map(([word]) => word);
    return fuse([base, await rank(search, `${query} ${words.join(" ")}`, false)]);
  };
}

function diverse(base: readonly Hit[], share: number): Hit[] {
  const left = base.slice(0, 40);
  const best = base[0]?.score ?? 1;
  const chosen: Hit[] = [];
  while (left.length > 0 && chosen.length < 10) {
    const worth = left.map(
      (hit) => hit.score / best - share * Math.max(0, ...chosen.map((other) => dot(hit.vector, other.vector))),
    );
    chosen.push(...left.splice(worth.indexOf(Math.max(...worth)), 1));
  }
  return chosen;
}

/** What stands for a session or day is the middle of its hits: how like the question that is lifts all of them. */
async function byGroup(
  query: string,
  base: readonly Hit[],
  groupOf: (hit: Hit) => string,
  share: number,
): Promise<Hit[]> {
  const [question] = await local.embed([query], { kind: "query" });
  const groups = Map.groupBy(base, groupOf);
  const likeness = new Map([...groups].map(([key, hits]) => [key, dot(unit(mean(hits)), question)]));
  const best = Math.max(0.01, ...likeness.values());
  const top = base[0]?.score ?? 1;
  return base
    .map((hit) => ({ ...hit, score: hit.score / top + share * ((likeness.get(groupOf(hit)) ?? 0) / best) }))
    .toSorted((one, other) => other.score - one.score);
}

/** Questions about several things are asked for each of them, too. */
function decomposed(how: "best" | "turns"): Try {
  return async (search, query, base) => {
    const parts = query
      .split(/\b(?:and|or|before|after|while|then|compared to|versus|as well as)\b|[,;，；、]|以及|和|之前|之后/u)
      .map((part) => part.trim())
      .filter((part) => part.length > (/[\u4e00-\u9fff]/.test(part) ? 3 : 12));
    if (parts.length < 2) return base;
    const lists = [base];
    for (const part of parts.slice(0, 4)) lists.push(await rank(search, part, false));
    if (how === "best") return fuse(lists);
    const turns = Array.from({ length: 10 }, (_, place) => lists.map((list) => list[place]));
    return turns.flat().filter((hit) => hit !== undefined);
  };
}

/** By rank; the first list counts most. */
function fuse(lists: readonly (readonly Hit[])[]): Hit[] {
  const scores = new Map<string, { hit: Hit; score: number }>();
  lists.forEach((list, number) => {
    list.forEach((hit, place) => {
      const known = scores.get(hit.message) ?? { hit, score: 0 };
      known.score += (number === 0 ? 1 : 0.5) / (10 + place);
      scores.set(hit.message, known);
    });
  });
  return [...scores.values()].toSorted((one, other) => other.score - one.score).map(({ hit }) => hit);
}

function mean(hits: readonly Hit[]): Float32Array | undefined {
  const vectors = hits.flatMap(({ vector }) => (vector ? [vector] : []));
  return vectors[0]?.map((_, index) => vectors.reduce((sum, vector) => sum + (vector[index] ?? 0), 0) / vectors.length);
}

function unit(vector: Float32Array | undefined): Float32Array | undefined {
  const length = Math.sqrt(dot(vector, vector)) || 1;
  return vector?.map((value) => value / length);
}

function dot(one: Float32Array | undefined, other: Float32Array | undefined): number {
  let sum = 0;
  one?.forEach((value, index) => (sum += value * (other?.[index] ?? 0)));
  return sum;
}
