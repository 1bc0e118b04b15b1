import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Embedder } from "../src/model/embedder.ts";
import { openStaticEmbedder } from "../src/model/static-embedder.ts";
import { recall } from "../src/recall/recall.ts";
import type { RecallOptions } from "../src/recall/recall.ts";
import { openFolderSearch } from "../test/support/folder-search.ts";
import type { Search } from "../src/search/search.ts";
import { isStopWord } from "../src/language/stop-words.ts";
import { areaUnderCurve, scoreRecall } from "./recall-score.ts";
import type { Judged, RecallScores } from "./recall-score.ts";
import { replaceSection } from "./recall-report.ts";
import { askedBefore, readWorlds, writeSessions } from "./recall-world.ts";
import type { World } from "./recall-world.ts";

// Asks every question of every world of the session files and scores what comes back, in several settings in one run.
// With --sets only the rows of these are taken anew.
//   node bench/recall.ts DIR [--quick] [--sets=NAME,…]

interface Setting {
  readonly name: string;
  readonly settings?: RecallOptions["settings"];
  readonly withFacts?: boolean;
  /** Every question was asked before, in a session of its own, and answered with a stock phrase. */
  readonly isAsked?: boolean;
}

const SETTINGS: readonly Setting[] = [
  { name: "words and meaning" },
  { name: "words alone", settings: { vectorWeight: 0, textWeight: 1 } },
  { name: "meaning alone", settings: { vectorWeight: 1, textWeight: 0 } },
  { name: "rank fusion (RRF)", settings: { fusion: "rrf" } },
  {
    name: "plain keys: no neighbours, speaker, voice or time",
    settings: { neighbours: [], speaker: 1, assistant: 1, period: 0 },
  },
  { name: "every question asked before", isAsked: true },
  { name: "with the facts of consolidation in the keys", withFacts: true },
];

// As many as 2,000 tokens of short messages need.
const LIMIT = 60;
const NOW = new Date("2026-11-15T12:00:00Z");

const INTRODUCTION =
  "frac@10 is the share of labelled evidence among the first 10 messages, frac@1000t that within the first 1,000 tokens " +
  "of returned text; AUC says how well the best hit's score tells answerable questions from those that nothing on " +
  "record answers. Rows with words and meaning have the learned second pass; the model has seen these worlds, see Ranking " +
  "for those it has not.";
const HEADER = "| set | setting | questions | frac@5 | frac@10 | all@10 | frac@1000t | frac@2000t | mrr | AUC |";
const RULE = "|---|---|---|---|---|---|---|---|---|---|";

interface Outcome {
  readonly judged: Judged[];
  readonly answered: number[];
  readonly unanswered: number[];
}

const [folder, ...flags] = process.argv.slice(2);
if (folder === undefined || folder.startsWith("--")) {
  console.error("usage: bench/recall.ts DIR [--quick] [--sets=NAME,…]");
  process.exit(2);
}
await main(folder, flags.includes("--quick"));

async function main(path: string, quick: boolean): Promise<void> {
  const wanted = flags
    .find((flag) => flag.startsWith("--sets="))
    ?.slice("--sets=".length)
    .split(",");
  const all = await readWorlds(path, { quick });
  const worlds = all.filter(({ set }) => wanted?.includes(set) ?? true);
  const embedder = await openStaticEmbedder(join(import.meta.dirname, "../data"));
  const rows: string[] = [];
  for (const [set, members] of Map.groupBy(worlds, (world) => world.set)) {
    rows.push(row(set, "plain FTS5 (porter, stop words dropped)", scoreRecall(members.flatMap(askPlainly))));
    const outcomes = new Map<Setting, Outcome>();
    for (const world of members) await askWorld(world, embedder, outcomes);
    for (const [setting, outcome] of outcomes) rows.push(row(set, setting.name, scoreRecall(outcome.judged), outcome));
  }
  await embedder.close();
  console.log([HEADER, RULE, ...rows].join("\n"));
  if (quick) return;
  const table = [HEADER, RULE, ...[...(await keptRows(wanted)), ...rows].toSorted(bySet)].join("\n");
  const text = `Asked with the embedder ${embedder.id}; ${all.length} worlds; first ${LIMIT} results; ${INTRODUCTION}\n\n${table}`;
  const results = join(import.meta.dirname, "RESULTS.md");
  await writeFile(results, await replaceSection(results, "Recall", text));
}

/** The rows of other sets, as they are in the results. */
async function keptRows(wanted: readonly string[] | undefined): Promise<string[]> {
  if (!wanted) return [];
  const before = await readFile(join(import.meta.dirname, "RESULTS.md"), "utf8");
  const section = before.slice(before.indexOf(HEADER)).split("\n\n")[0] ?? "";
  const isWanted = (line: string) => wanted.some((set) => line.startsWith(`| ${set} |`));
  return section.split("\n").filter((line) => line !== HEADER && line !== RULE && !isWanted(line));
}

function bySet(one: string, other: string): number {
  const setOf = (line: string) => line.split(" | ")[0] ?? "";
  return setOf(one).localeCompare(setOf(other));
}

/** Asks a world's questions in every setting, and adds what comes back to the outcomes. */
async function askWorld(world: World, embedder: Embedder, outcomes: Map<Setting, Outcome>): Promise<void> {
  const workspace = await mkdtemp(join(tmpdir(), "tidemark-recall-"));
  await writeSessions(world, workspace);
  try {
    for (const withFacts of world.facts.length > 0 ? [true, false] : [false]) {
      const search = await openFolderSearch({
        workspace,
        indexPath: join(workspace, ".tidemark", `index-${withFacts ? "facts" : "plain"}.sqlite`),
        timezone: "UTC",
        embedder,
        facts: withFacts ? { version: async () => "1", list: async () => world.facts } : undefined,
      });
      for (const setting of SETTINGS.filter((one) => (one.withFacts ?? false) === withFacts)) {
        const outcome = outcomes.get(setting) ?? { judged: [], answered: [], unanswered: [] };
        outcomes.set(setting, outcome);
        // Last of all: what was asked stays.
        if (setting.isAsked) await writeSessions(askedBefore(world), workspace);
        await askQuestions(search, world, setting, outcome);
      }
      await search.close();
    }
  } finally {
    await rm(workspace, { recursive: true });
  }
}

async function askQuestions(search: Search, world: World, { settings }: Setting, outcome: Outcome): Promise<void> {
  for (const { query, evidence } of world.queries) {
    const { results } = await recall(search, query, { limit: LIMIT, now: NOW, timezone: "UTC", settings });
    outcome.judged.push({ hits: results, evidence });
    (evidence.length > 0 ? outcome.answered : outcome.unanswered).push(results[0]?.score ?? 0);
  }
}

/** What SQLite alone gives: one message a row, terms OR-ed. */
function askPlainly(world: World): Judged[] {
  const database = new DatabaseSync(":memory:");
  database.exec("CREATE VIRTUAL TABLE said USING fts5 (text, tokenize = 'porter unicode61')");
  const insert = database.prepare("INSERT INTO said (rowid, text) VALUES (?, ?)");
  world.messages.forEach((message, index) => insert.run(index + 1, message.content));
  const find = database.prepare(`SELECT rowid FROM said WHERE said MATCH ? ORDER BY rank LIMIT ${LIMIT}`);
  return world.queries.map(({ query, evidence }) => {
    const words = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
    const telling = words.filter((word) => !isStopWord(word, "en"));
    const match = (telling.length > 0 ? telling : words).map((word) => `"${word}"`).join(" OR ");
    const rows = match === "" ? [] : find.all(match);
    const hits = rows.flatMap((found) => {
      const message = world.messages[Number(found["rowid"]) - 1];
      return message ? [{ messages: [message.id], text: message.content }] : [];
    });
    return { hits, evidence };
  });
}

function row(set: string, name: string, scores: RecallScores, outcome?: Outcome): string {
  const numbers = [scores.frac5, scores.frac10, scores.all10, scores.frac1000t, scores.frac2000t, scores.mrr];
  const hasUnanswered = outcome !== undefined && outcome.unanswered.length > 0;
  const area = hasUnanswered ? areaUnderCurve(outcome.answered, outcome.unanswered).toFixed(2) : "–";
  const cells = [set, name, scores.questions, ...numbers.map((number) => number.toFixed(3)), area];
  return `| ${cells.join(" | ")} |`;
}
