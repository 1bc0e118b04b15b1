import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { openStaticEmbedder } from "../src/model/static-embedder.ts";
import { recall } from "../src/recall/recall.ts";
import { openFolderSearch } from "../test/support/folder-search.ts";
import { replaceSection } from "./recall-report.ts";
import { readWorlds, writeSessions } from "./recall-world.ts";

// Questions in eight languages about what was told in English (languages.jsonl, written for this), asked of a
// memory that holds a world of talk besides.
//   node bench/languages.ts WORLDS [--print]

const Line = z.object({ fact: z.string(), questions: z.record(z.string(), z.string()) });
const FIRST = 5;

const [folder = ""] = process.argv.slice(2);
const text = await readFile(join(import.meta.dirname, "languages.jsonl"), "utf8");
const lines = text
  .trim()
  .split("\n")
  .map((line) => Line.parse(JSON.parse(line)));
const worlds = await readWorlds(folder, { quick: true });
const around = worlds.find(({ set }) => set === "locomo") ?? worlds[0];
if (!around) throw new Error(`There is no world in ${folder}`);
const told = lines.map(({ fact }, index) => ({
  session: "told",
  id: `told-${index}`,
  role: "user" as const,
  content: fact,
  timestamp: `2023-06-${String((index % 28) + 1).padStart(2, "0")}T10:00:00`,
}));

const workspace = await mkdtemp(join(tmpdir(), "tidemark-languages-"));
try {
  await writeSessions({ ...around, messages: [...around.messages, ...told] }, workspace);
  const embedder = await openStaticEmbedder(join(import.meta.dirname, "../data"));
  const indexPath = join(workspace, ".tidemark", "index.sqlite");
  const search = await openFolderSearch({ workspace, indexPath, timezone: "UTC", embedder });
  const counts = new Map<string, { right: number; first: number; all: number }>();
  for (const [index, { questions }] of lines.entries()) {
    for (const [language, question] of Object.entries(questions)) {
      const now = new Date("2026-11-15T12:00:00Z");
      const { results } = await recall(search, question, { now, timezone: "UTC", limit: FIRST });
      const place = results.findIndex(({ messages }) => messages.includes(`told-${index}`));
      const count = counts.get(language) ?? { right: 0, first: 0, all: 0 };
      count.all++;
      if (place >= 0) count.right++;
      if (place === 0) count.first++;
      counts.set(language, count);
      if (place < 0 && process.argv.includes("--print")) console.log(language, question, "→", results[0]?.text);
    }
  }
  await search.close();
  await embedder.close();
  const rows = [...counts].toSorted(([one], [other]) => one.localeCompare(other));
  const total = rows.reduce((sum, [, { right }]) => sum + right, 0);
  const all = rows.reduce((sum, [, count]) => sum + count.all, 0);
  const firsts = rows.reduce((sum, [, { first }]) => sum + first, 0);
  const table = [
    `| asked in | questions | among the first ${FIRST} | first |`,
    "|---|---|---|---|",
    ...rows.map(([language, { right, first, all: count }]) => `| ${language} | ${count} | ${right} | ${first} |`),
    `| all | ${all} | ${total} | ${firsts} |`,
  ].join("\n");
  console.log(table);
  if (!process.argv.includes("--print")) {
    const path = join(import.meta.dirname, "RESULTS.md");
    const head = `Questions in other languages about ${lines.length} things that were told in English, among ${around.messages.length} other messages (\`node bench/languages.ts WORLDS\`).`;
    await writeFile(path, await replaceSection(path, "Other languages", `${head}\n\n${table}`));
  }
} finally {
  await rm(workspace, { recursive: true });
}
