import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";

const Message = z.looseObject({
  id: z.string(),
  name: z.string().default(""),
  content: z.string(),
  timestamp: z.string().default(""),
});
const Question = z.looseObject({ id: z.string(), query: z.string(), evidence: z.array(z.string()) });

/** One conversation and the questions that are asked about it. */
export interface World {
  readonly name: string;
  readonly messages: readonly z.infer<typeof Message>[];
  readonly questions: readonly z.infer<typeof Question>[];
}

/** Reads every world of a folder; the questions that nothing on record answers are left out. */
export async function readWorlds(folder: string): Promise<World[]> {
  const names = (await readdir(folder)).toSorted();
  return Promise.all(
    names.map(async (name) => ({
      name,
      messages: await readLines(join(folder, name, "messages.jsonl"), Message),
      questions: (await readLines(join(folder, name, "queries.jsonl"), Question)).filter(
        (question) => question.evidence.length > 0,
      ),
    })),
  );
}

async function readLines<T>(path: string, schema: z.ZodType<T>): Promise<T[]> {
  const text = await readFile(path, "utf8");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => schema.parse(JSON.parse(line)));
}
