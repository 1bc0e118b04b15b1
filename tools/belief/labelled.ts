import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { z } from "zod";
import { splitClauses } from "../../src/language/split-clauses.ts";
import type { Clause } from "../../src/language/split-clauses.ts";
import { readLines, readSources } from "./sources.ts";

/** The code of a clause, taken apart. */
export interface Label {
  frame: string;
  whose: string | undefined;
  lasts: boolean | undefined;
  denied: boolean | undefined;
  topic: string | undefined;
  /** Whether a good memory keeps it. */
  keep: boolean;
}

/** A labelled message. */
export interface Labelled {
  id: string;
  source: string;
  lang: string;
  text: string;
  before: string | undefined;
  clauses: Clause[];
  labels: (Label | undefined)[];
}

const Spans = z.object({
  id: z.string(),
  all: z.string(),
  spans: z.array(z.tuple([z.number(), z.number(), z.string()])),
  to: z.number(),
});
const Written = z.object({
  id: z.string(),
  lang: z.string(),
  turns: z.array(z.object({ role: z.string(), content: z.string() })),
  clauses: z.array(z.object({ q: z.string(), code: z.string() })),
  all: z.string(),
});

/** The messages of others, of which the repository keeps ids, offsets and labels; their text comes from `shared`. */
export function readOthers(labelsFolder: string, shared: string): Labelled[] {
  const texts = new Map(readSources(shared).map((message) => [message.id, message]));
  const files = existsSync(labelsFolder)
    ? readdirSync(labelsFolder)
        .filter((name) => name.endsWith(".jsonl"))
        .toSorted()
    : [];
  return files.flatMap((name) =>
    readLines(join(labelsFolder, name), Spans).flatMap(({ id, all, spans, to }): Labelled[] => {
      const message = texts.get(id);
      if (message === undefined) return [];
      const { source, text, before } = message;
      const lang = source === "lifebench-zh" ? "zh" : "en";
      return [label({ id, source, lang, text, before }, all, spans, to)];
    }),
  );
}

/** Messages that were written for this, text and all. */
export function readWritten(folder: string, prefix: string): Labelled[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.startsWith(prefix) && name.endsWith(".jsonl"))
    .toSorted()
    .flatMap((name) => parseWritten(readFileSync(join(folder, name), "utf8"), basename(name, ".jsonl")));
}

function parseWritten(lines: string, source: string): Labelled[] {
  return lines.split("\n").flatMap((line): Labelled[] => {
    if (line.trim() === "") return [];
    const read = Written.safeParse(JSON.parse(line));
    if (!read.success) return [];
    const { id, lang, turns, clauses, all } = read.data;
    const at = turns.findLastIndex(({ role }) => role === "user");
    const text = turns[at]?.content ?? "";
    const before = turns.slice(0, at).findLast(({ role }) => role === "assistant")?.content;
    let from = 0;
    const spans = clauses.flatMap(({ q, code }): [number, number, string][] => {
      const found = text.indexOf(q, from);
      const start = found < 0 ? text.indexOf(q) : found;
      if (start < 0) return [];
      from = start + q.length;
      return [[start, start + q.length, code]];
    });
    return [label({ id: `${source}/${id}`, source, lang, text, before }, all, spans, text.length)];
  });
}

function label(
  message: Pick<Labelled, "id" | "source" | "lang" | "text" | "before">,
  all: string,
  spans: readonly (readonly [number, number, string])[],
  to: number,
): Labelled {
  const clauses = splitClauses(message.text);
  const labels = clauses.map((clause) => {
    if (clause.start >= to) return undefined;
    const found = spans
      .map(([start, end, code]) => ({ code, shared: Math.min(end, clause.end) - Math.max(start, clause.start) }))
      .toSorted((one, other) => other.shared - one.shared)[0];
    const isIts = found !== undefined && found.shared > 0.3 * (clause.end - clause.start);
    return parseCode(isIts ? found.code : all);
  });
  return { ...message, clauses, labels };
}

/** `aUL-health`, `aCPd-people`, `q`. */
export function parseCode(code: string): Label | undefined {
  const found = /^([aqwfjhosp])(?:([UCN])([LP])([-d])?-?(\w+)?)?/.exec(code.trim());
  if (!found) return undefined;
  const [, frame = "", whose, lasts, denied, topic] = found;
  const isFact = frame === "a" || frame === "s";
  return {
    frame,
    whose: isFact ? (whose ?? "N") : undefined,
    lasts: isFact ? lasts === "L" : undefined,
    denied: isFact ? denied === "d" : undefined,
    topic: isFact ? topic : undefined,
    keep: isFact && lasts === "L" && (whose === "U" || (whose === "C" && frame === "a")),
  };
}
