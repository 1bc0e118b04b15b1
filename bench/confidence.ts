import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Embedder } from "../src/model/embedder.ts";
import { openStaticEmbedder } from "../src/model/static-embedder.ts";
import { DOUBTFUL } from "../src/recall/doubtful.ts";
import { recall } from "../src/recall/recall.ts";
import { openFolderSearch } from "../test/support/folder-search.ts";
import { replaceSection } from "./recall-report.ts";
import { areaUnderCurve } from "./recall-score.ts";
import { readWorlds, writeSessions } from "./recall-world.ts";
import type { World } from "./recall-world.ts";

// How well the confidence tells what is on record from what is not: the questions of the first worlds of each set, those of other
// worlds asked of them, and single lines among the pages of docs/ as notes. By words and meaning, and by words alone.
//   node bench/confidence.ts WORLDS [--print]

const NOW = new Date("2026-11-15T12:00:00Z");
const MOST_WORLDS = 4;
const MOST_ASKED = 60;
const LINES = `- Invoice INV-88213 of Acme was paid on 3 February by card
- The boiler in the cellar was repaired by Mr Meier
- Our daughter Lena plays the cello on Thursdays
- We parked the caravan at the campsite near Annecy
- Tom is allergic to penicillin
- The key of the shed hangs behind the door
- Grandma's recipe for plum cake needs 300 g of flour
`;
const ANSWERED = `INV-88213
When was invoice INV-88213 paid?
who repaired the boiler in the cellar?
Which instrument does Lena play?
Where did we park the caravan?
What is Tom allergic to?
where is the shed key
how much flour does the plum cake need?`;
const UNANSWERED = `what is my blood type?
how do penguins sleep?
who won the chess match?
Where did we park the motorbike?
What is Anna allergic to?
When was invoice INV-99999 paid?
What did the dentist say?
Which school does Lena attend?
Who repaired the roof?
what is the wifi password of the cabin?`;

/** A memory, and the questions that it has an answer to, has none to, and that belong elsewhere. */
interface Asked {
  readonly set: string;
  readonly fill: (workspace: string) => Promise<void>;
  readonly answered: readonly string[];
  readonly unanswered: readonly string[];
  readonly foreign: readonly string[];
}

const [folder = ""] = process.argv.slice(2);
const worlds = await readWorlds(folder, { quick: false });
const table = await openStaticEmbedder(join(import.meta.dirname, "../data"));
const asked = [...[...new Set(worlds.map(({ set }) => set))].flatMap((set) => worldsOf(set)), notes()];
const rows = [
  "| set | by | with an answer | without one | of another world | AUC without one | AUC of another world |",
];
rows.push("|---|---|---|---|---|---|---|");
for (const set of new Set(asked.map((one) => one.set))) {
  const those = asked.filter((one) => one.set === set);
  rows.push(await describe(set, "words and meaning", those, table), await describe(set, "words", those, undefined));
}
await table.close();
const text =
  `The share of questions whose confidence is below ${DOUBTFUL} (\`node bench/confidence.ts WORLDS\`): for those with an answer it should be low, ` +
  `for the others high. AUC: how well the confidence tells them apart. At most ${MOST_WORLDS} worlds a set and ${MOST_ASKED} questions a world; the ` +
  `curve has seen these worlds. Notes are the pages of docs/ with ${LINES.trim().split("\n").length} lines about other things among them.\n\n${rows.join("\n")}`;
const path = join(import.meta.dirname, "RESULTS.md");
if (process.argv.includes("--print")) console.log(text);
else await writeFile(path, await replaceSection(path, "Confidence", text));

function worldsOf(set: string): Asked[] {
  const kind = set.replace(/-.*/, "");
  const others = worlds.filter((world) => !world.set.startsWith(kind) && !world.set.endsWith("-zh"));
  const foreign = spread(others.flatMap(({ queries }) => queries.map(({ query }) => query)));
  return worlds
    .filter((world) => world.set === set)
    .slice(0, MOST_WORLDS)
    .map((world) => ({
      set,
      fill: (workspace: string) => writeSessions(world, workspace),
      answered: spread(questionsOf(world, true)),
      unanswered: questionsOf(world, false),
      foreign,
    }));
}

function questionsOf({ queries }: World, hasAnswer: boolean): string[] {
  return queries.filter(({ evidence }) => evidence.length > 0 === hasAnswer).map(({ query }) => query);
}

function notes(): Asked {
  const pages = join(import.meta.dirname, "../docs");
  return {
    set: "notes",
    async fill(workspace) {
      await mkdir(join(workspace, "memory"), { recursive: true });
      for (const name of await readdir(pages))
        if (name.endsWith(".md")) await writeFile(join(workspace, "memory", name), await readFile(join(pages, name)));
      await writeFile(join(workspace, "memory", "2026-02-01.md"), LINES);
    },
    answered: ANSWERED.split("\n"),
    unanswered: UNANSWERED.split("\n"),
    foreign: spread(
      worlds.filter(({ set }) => !set.endsWith("-zh")).flatMap(({ queries }) => queries.map(({ query }) => query)),
    ),
  };
}

/** So many of them, evenly. */
function spread(questions: readonly string[]): string[] {
  const step = Math.max(1, questions.length / MOST_ASKED);
  return questions.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step));
}

async function describe(
  set: string,
  by: string,
  those: readonly Asked[],
  embedder: Embedder | undefined,
): Promise<string> {
  const found = { answered: [] as number[], unanswered: [] as number[], foreign: [] as number[] };
  for (const one of those) {
    const workspace = await mkdtemp(join(tmpdir(), "tidemark-confidence-"));
    await one.fill(workspace);
    const indexPath = join(workspace, ".tidemark", "index.sqlite");
    const search = await openFolderSearch({
      workspace,
      indexPath,
      timezone: "UTC",
      embedder,
      watch: { intervalMs: 600_000 },
    });
    for (const kind of ["answered", "unanswered", "foreign"] as const)
      for (const question of one[kind])
        found[kind].push((await recall(search, question, { now: NOW, timezone: "UTC", limit: 10 })).confidence);
    await search.close();
    await rm(workspace, { recursive: true });
  }
  const below = (values: readonly number[]) =>
    values.length === 0
      ? "–"
      : `${Math.round((100 * values.filter((value) => value < DOUBTFUL).length) / values.length)} % of ${values.length}`;
  const area = (values: readonly number[]) =>
    values.length === 0 ? "–" : areaUnderCurve(found.answered, values).toFixed(2);
  const { answered, unanswered, foreign } = found;
  const cells = [set, by, below(answered), below(unanswered), below(foreign), area(unanswered), area(foreign)];
  return `| ${cells.join(" | ")} |`;
}
