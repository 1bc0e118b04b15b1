import { readFile } from "node:fs/promises";
import { text as readText } from "node:stream/consumers";
import { z } from "zod";
import { describeError, MemoryError } from "../errors.ts";
import type { Recall, SearchRequest } from "../recall/create-recall.ts";
import { showJson } from "../visible-text.ts";
import { note } from "./print.ts";

const Query = z.looseObject({ id: z.union([z.string(), z.number()]), query: z.string() });

/** Answers each line {"id", "query"} of a file, or of stdin (-), with a line {"id", "results"}. */
export async function answerQueries(
  recall: Pick<Recall, "search">,
  path: string,
  request: SearchRequest,
  minScore: number,
): Promise<void> {
  const told = new Set<string>();
  for (const { id, query } of await readQueries(path)) {
    const { results, notes } = await recall.search(query, request);
    for (const text of notes) {
      if (!told.has(text)) note(text);
      told.add(text);
    }
    const shown = results.filter(({ score }) => score >= minScore);
    process.stdout.write(`${showJson(JSON.stringify({ id, results: shown }))}\n`);
  }
}

async function readQueries(path: string): Promise<z.infer<typeof Query>[]> {
  const reading = path === "-" ? readText(process.stdin) : readFile(path, "utf8");
  const text = await reading.catch((error: unknown) => {
    throw new MemoryError("FILE_UNREADABLE", `Cannot read the questions in ${path}: ${describeError(error)}`, {
      cause: error,
    });
  });
  const lines = text.split("\n");
  return lines.flatMap((line, index) => {
    if (line.trim() === "") return [];
    try {
      return [Query.parse(JSON.parse(line))];
    } catch (error) {
      const place = `${path}:${index + 1}`;
      throw new MemoryError("QUERY_INVALID", `${place} is not {"id", "query"}: ${describeError(error)}`, {
        cause: error,
      });
    }
  });
}
