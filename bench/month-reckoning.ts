import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Memory } from "../src/index.ts";
import type { Planted } from "./month-talk.ts";

/** What was said and stated, to be found again. */
export interface Said {
  said: number;
  planted: readonly Planted[];
  byHand: readonly string[];
}

/** Looks for every message and every fact in the files; the memory's own account of itself is not asked. */
export async function reckon(memory: Memory, { said, planted, byHand }: Said) {
  const folder = join(memory.workspace, "memory");
  const read = (name: string) => readFileSync(join(folder, name), "utf8");
  const notes = readdirSync(folder)
    .filter((name) => /^\d{4}-\d{2}-\d{2}.*\.md$/.test(name))
    .map(read);
  const entries = read("HISTORY.md")
    .split("\n\n")
    .filter((entry) => entry.trim() !== "");
  const rawEntries = entries.filter((entry) => /^\[[^\]]*\] \[RAW\]/.test(entry));
  const sections = notes.flatMap((note) => note.split(/^(?=## )/m));
  const overflow = sections.filter((section) => section.startsWith("## Raw archive"));
  const digested = entries
    .filter((entry) => !rawEntries.includes(entry))
    .flatMap((entry) => [...entry.matchAll(/\bm(\d+)\b/g)].map(([, number]) => Number(number)));
  const raw = [...rawEntries, ...overflow].flatMap((text) =>
    [...text.matchAll(/: m(\d+)\. /g)].map(([, number]) => Number(number)),
  );
  const waitingTexts = await afterCursors(memory);
  const waiting = waitingTexts.map((text) => Number(/^m(\d+)/.exec(text)?.[1]));
  const times = new Map<number, number>();
  for (const number of [...digested, ...raw, ...waiting]) times.set(number, (times.get(number) ?? 0) + 1);
  const all = Array.from({ length: said }, (_, number) => number);
  const messages = {
    digested: digested.length,
    raw: raw.length,
    waiting: waiting.length,
    nowhere: all.filter((number) => !times.has(number)),
    twice: all.filter((number) => (times.get(number) ?? 0) > 1),
  };
  const text = await memory.readMemory();
  const noteText = notes.join("\n");
  const standing = planted.filter(({ isRetracted }) => !isRetracted);
  const places = standing.map(({ words }) =>
    placeOf(words, { text, noteText, raw: rawEntries.join("\n"), waiting: waitingTexts.join("\n") }),
  );
  const count = (place: string) => places.filter((each) => each === place).length;
  const moved = sections.filter((section) => section.startsWith("## Moved from MEMORY.md")).join("\n");
  const facts = {
    moved: standing.filter(({ words }, index) => places[index] === "notes" && moved.includes(words)).length,
    standing: standing.length,
    inMemory: count("memory"),
    inNotes: count("notes"),
    inRaw: count("raw"),
    waiting: count("waiting"),
    lost: standing.filter((_, index) => places[index] === "lost").map(({ words }) => words),
    unretracted: planted
      .filter(({ isRetracted, name }) => isRetracted && text.includes(`crate ${name} holds`))
      .map(({ name }) => name),
    lostByHand: byHand.filter((line) => !`${text}\n${noteText}`.includes(line)),
  };
  const jobs = (await memory.queue.listJobs()).length;
  const unfinished = (await memory.history.scopesWithTail()).length;
  const isRight =
    messages.nowhere.length + messages.twice.length + facts.lost.length + facts.lostByHand.length + unfinished === 0 &&
    messages.digested + messages.raw + messages.waiting === said;
  return { messages, facts, jobs, unfinished, isRight };
}

function placeOf(
  words: string,
  { text, noteText, raw, waiting }: { text: string; noteText: string; raw: string; waiting: string },
): string {
  if (text.includes(words)) return "memory";
  if (noteText.includes(words)) return "notes";
  if (raw.includes(words)) return "raw";
  return waiting.includes(words) ? "waiting" : "lost";
}

/** What stands after the cursors, in the sessions and in what /new moved away, read from the files. */
async function afterCursors(memory: Memory): Promise<string[]> {
  const folder = join(memory.workspace, "sessions");
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".jsonl"));
  return paths.flatMap((name) => {
    const lines = readFileSync(join(folder, name), "utf8").trimEnd().split("\n").map(parseObject);
    const messages = lines.filter((line) => "role" in line).map(({ content }) => String(content));
    const cursor = lines.findLast((line) => line["_type"] === "metadata")?.["last_consolidated"];
    return messages.slice(typeof cursor === "number" ? cursor : 0);
  });
}

function parseObject(line: string): Record<string, unknown> {
  const value: Record<string, unknown> = JSON.parse(line);
  return value;
}
