import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { z } from "zod";
import { reviseBeliefs } from "../src/belief/revise-beliefs.ts";
import type { Heard } from "../src/belief/revise-beliefs.ts";
import { replaceSection } from "./recall-report.ts";

// What must hold on the repository's own lines: a little below what was reached, so that noise does not fail a run.
const FLOOR = { recall: 0.95, traps: 0.02 };
const SHARED_FLOOR = { recall: 0.85, traps: 0.02, right: 0.8 };

const Line = z.object({
  lang: z.string(),
  kind: z.string(),
  said: z.array(z.string()),
  want: z.array(z.string()),
  never: z.array(z.string()),
});
type Line = z.infer<typeof Line>;

const SAID_AT = Date.parse("2026-03-04T10:00:00Z");
const folder = join(import.meta.dirname, "belief");
const isVerbose = process.argv.includes("--verbose");
const lines = readFileSync(join(folder, "lines.jsonl"), "utf8")
  .split("\n")
  .filter((text) => text !== "")
  .map((text) => Line.parse(JSON.parse(text)));

interface Judged {
  line: Line;
  facts: string[];
  missed: string[];
  held: string[];
}

function judge(line: Line): Judged {
  const heard = line.said.map((text, index): Heard => {
    const isAssistant = text.startsWith("A: ");
    return {
      id: String(index),
      role: isAssistant ? "assistant" : "user",
      text: isAssistant ? text.slice(3) : text,
      speaker: "User",
      saidAt: new Date(SAID_AT + index * 60_000),
      timezone: "UTC",
    };
  });
  const facts = reviseBeliefs(heard, []).added.map(({ fact }) => fact);
  return {
    line,
    facts,
    missed: line.want.filter((want) => !facts.some((fact) => holds(fact, want))),
    held: line.never.filter((never) => facts.some((fact) => holds(fact, never))),
  };
}

/** `a & b ! c|d`: both are in the fact, and neither of the others. */
function holds(fact: string, set: string): boolean {
  const [all = "", unless = ""] = set.split(" ! ");
  const text = ` ${fact.toLowerCase()} `;
  return (
    all.split(" & ").every((word) => text.includes(word)) &&
    !unless.split("|").some((word) => word !== "" && text.includes(word))
  );
}

// The first reading compiles the patterns.
const warming = performance.now();
for (const line of lines) judge(line);
const warmMs = performance.now() - warming;
const started = performance.now();
const judged = lines.map((line) => judge(line));
const perMessageMs = (performance.now() - started) / lines.reduce((sum, { said }) => sum + said.length, 0);

function count(rows: readonly Judged[]) {
  const wanted = rows.reduce((sum, { line }) => sum + line.want.length, 0);
  const missed = rows.reduce((sum, row) => sum + row.missed.length, 0);
  const traps = rows.filter(({ line }) => line.never.length > 0);
  const held = traps.filter((row) => row.held.length > 0).length;
  return { items: rows.length, wanted, found: wanted - missed, traps: traps.length, held };
}

const groups = [
  ...Map.groupBy(judged, ({ line }) => line.lang),
  ...Map.groupBy(judged, ({ line }) => line.kind),
  ["all", judged] as const,
];
for (const [name, rows] of groups) {
  const { items, wanted, found, traps, held } = count(rows);
  console.log(
    `${name.padEnd(12)} ${String(items).padStart(4)} lines   found ${String(found).padStart(3)}/${String(wanted).padEnd(3)}   believed falsely ${held}/${traps}`,
  );
}
console.log(`${perMessageMs.toFixed(2)} ms a message (${warmMs.toFixed(0)} ms once, for all nine languages)`);
if (isVerbose) {
  for (const { line, facts, missed, held } of judged) {
    if (missed.length + held.length > 0) console.log(line.lang, line.said, "→", facts, "missed", missed, "held", held);
  }
}
const shared = join(import.meta.dirname, "../../shared/belief");
const below: string[] = [];
if (existsSync(join(shared, "score.mjs")) && !process.argv.includes("--own")) {
  const dist = join(import.meta.dirname, "../dist/index.js");
  const score = (mode: "lines" | "people", data: string, ...more: string[]) =>
    spawnSync(process.execPath, [join(shared, "score.mjs"), mode, join(shared, data), "--dist", dist, ...more], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
    }).stdout;
  const Counts = z.record(z.string(), z.number());
  const Total = z.object({ total: Counts, kinds: z.record(z.string(), Counts) });
  for (const [mode, data] of [
    ["lines", "lines-dev.jsonl"],
    ["people", "people-dev"],
  ] as const) {
    const { total, kinds } = Total.parse(JSON.parse(score(mode, data, "--json")));
    const share = (part: string, whole: string) => (total[part] ?? 0) / Math.max(1, total[whole] ?? 0);
    console.log(`${data}: ${JSON.stringify(total)}`);
    if (mode === "people" && share("right", "asked") < SHARED_FLOOR.right)
      below.push(`${data}: too few answers are right`);
    if (mode === "people") await reportPeople({ ...kinds, all: total });
    if (mode === "people") continue;
    if (share("found", "expected") < SHARED_FLOOR.recall) below.push(`${data}: too few facts are found`);
    if (share("falsely", "traps") > SHARED_FLOOR.traps) below.push(`${data}: too many traps are believed`);
  }
}
/** What is asked of made-up people, by kind; `other` is asked in another language than it was told in. */
async function reportPeople(kinds: Readonly<Record<string, Readonly<Record<string, number>>>>): Promise<void> {
  const columns = ["asked", "right", "stale", "wrong", "silent"];
  const rows = Object.entries(kinds).map(([kind, counts]) => [kind, ...columns.map((name) => counts[name] ?? 0)]);
  const table = [["kind", ...columns], ["---", ...columns.map(() => "---")], ...rows].map(
    (row) => `| ${row.join(" | ")} |`,
  );
  console.log(table.join("\n"));
  if (!process.argv.includes("--write")) return;
  const path = join(import.meta.dirname, "RESULTS.md");
  const head =
    "Questions to five made-up people through `tidemark chat` without a model (`npm run bench:belief -- --write`); `other` is asked in another language than it was told in.";
  writeFileSync(path, await replaceSection(path, "Questions to people", `${head}\n\n${table.join("\n")}`));
}

const all = count(judged);
if (all.found / all.wanted < FLOOR.recall) below.push(`lines.jsonl: ${all.found} of ${all.wanted} facts found`);
if (all.held / all.traps > FLOOR.traps) below.push(`lines.jsonl: ${all.held} of ${all.traps} traps believed`);
for (const reason of below) console.error(`Below what was reached: ${reason}`);
if (below.length > 0) process.exitCode = 1;
