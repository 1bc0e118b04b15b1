import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStaticEmbedder } from "../src/model/static-embedder.ts";
import { recall } from "../src/recall/recall.ts";
import { openFolderSearch } from "../test/support/folder-search.ts";
import { replaceSection } from "./recall-report.ts";
import { scoreRecall } from "./recall-score.ts";
import type { Judged } from "./recall-score.ts";
import { readWorlds, writeSessions } from "./recall-world.ts";

// Questions of the worlds in other languages, beside the same questions as they are. FILE has a line for each: the world's
// name, the question's id, the language and the translation, parted by tabs. Like the worlds it is not in the repository.
//   node bench/translated.ts WORLDS FILE [--print]

const LIMIT = 10;
const [folder = "", file = ""] = process.argv.slice(2);
const lines = (await readFile(file, "utf8"))
  .trim()
  .split("\n")
  .map((line) => line.split("\t"))
  .map(([world = "", id = "", language = "", question = ""]) => ({ world, id, language, question }));

const embedder = await openStaticEmbedder(join(import.meta.dirname, "../data"));
const outcomes = new Map<string, { english: Judged[]; translated: Judged[] }>();
for (const world of await readWorlds(folder, { quick: false })) {
  const own = lines.filter((line) => line.world === world.name);
  if (own.length === 0) continue;
  const workspace = await mkdtemp(join(tmpdir(), "tidemark-translated-"));
  await writeSessions(world, workspace);
  const indexPath = join(workspace, ".tidemark", "index.sqlite");
  const search = await openFolderSearch({ workspace, indexPath, timezone: "UTC", embedder });
  const ask = async (query: string) => {
    const now = new Date("2026-11-15T12:00:00Z");
    return (await recall(search, query, { limit: LIMIT, now, timezone: "UTC" })).results;
  };
  for (const { id, language, question } of own) {
    const asked = world.queries.find((query) => query.id === id);
    if (!asked) throw new Error(`${world.name} has no question ${id}`);
    const { evidence, category, query } = asked;
    const english = { hits: await ask(query), evidence };
    const translated = { hits: await ask(question), evidence };
    for (const group of ["all", language, category]) {
      const outcome = outcomes.get(group) ?? { english: [], translated: [] };
      outcome.english.push(english);
      outcome.translated.push(translated);
      outcomes.set(group, outcome);
    }
    const isLost = scoreRecall([translated]).frac10 < scoreRecall([english]).frac10;
    if (isLost && process.argv.includes("--print")) console.log(language, question, "→", translated.hits[0]?.text);
  }
  await search.close();
  await rm(workspace, { recursive: true });
}
await embedder.close();
const rows = [...outcomes].toSorted(([one], [other]) => one.length - other.length || one.localeCompare(other));
const table = [
  "| asked in, or kind | questions | frac@10 in English | frac@10 translated |",
  "|---|---|---|---|",
  ...rows.map(([group, { english, translated }]) => {
    const [as, then] = [english, translated].map((judged) => scoreRecall(judged).frac10.toFixed(3));
    return `| ${group} | ${english.length} | ${as} | ${then} |`;
  }),
].join("\n");
console.log(table);
if (!process.argv.includes("--print")) {
  const path = join(import.meta.dirname, "RESULTS.md");
  const head = `${lines.length} questions of the LoCoMo worlds, spread over their kinds, translated by hand into eight languages and asked of the same worlds (\`node bench/translated.ts WORLDS FILE\`; the translations are kept with the worlds, not in the repository).`;
  await writeFile(path, await replaceSection(path, "Translated questions", `${head}\n\n${table}`));
}
