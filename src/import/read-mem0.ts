import { z } from "zod";
import { MemoryError } from "../errors.ts";
import { oneLine } from "../language/one-line.ts";
import { createFound } from "./found.ts";
import type { Found, FoundFact } from "./found.ts";
import { parseJson, readIfThere, readJsonLines } from "./read-source.ts";

const Memory = z.looseObject({
  id: z.union([z.string(), z.number()]).optional(),
  memory: z.string().optional(),
  text: z.string().optional(),
  user_id: z.string().nullish(),
  agent_id: z.string().nullish(),
  created_at: z.string().nullish().catch(undefined),
  updated_at: z.string().nullish().catch(undefined),
  categories: z.array(z.string()).nullish().catch(undefined),
});
const List = z.union([
  z.array(z.unknown()),
  z.looseObject({ results: z.array(z.unknown()) }).transform(({ results }) => results),
  z.looseObject({ memories: z.array(z.unknown()) }).transform(({ memories }) => memories),
]);

/** Reads memories of mem0: what `get_all` or an export returned, as JSON or JSON Lines. */
export async function readMem0(path: string): Promise<Found> {
  const found = createFound();
  for (const value of await readList(path)) {
    const memory = Memory.safeParse(value).data;
    const fact = memory && toFact(memory);
    if (fact) found.facts.push(fact);
    else found.skipped.push({ what: "1 entry", why: "it holds no memory" });
  }
  return found;
}

async function readList(path: string): Promise<unknown[]> {
  const text = await readIfThere(path);
  if (text === undefined) throw new MemoryError("NOT_FOUND", `There is no file ${path}`);
  const list = List.safeParse(parseJson(text)).data;
  if (list) return list;
  const lines: unknown[] = [];
  for await (const { number, value } of readJsonLines(path)) {
    if (value === undefined) throw new MemoryError("IMPORT_INVALID", `${path}:${number} is no JSON`);
    lines.push(value);
  }
  return lines;
}

function toFact({
  id,
  memory,
  text,
  user_id,
  agent_id,
  created_at,
  updated_at,
  categories,
}: z.infer<typeof Memory>): FoundFact | undefined {
  const words = oneLine(memory ?? text ?? "");
  if (words === "") return undefined;
  const who = [user_id && `user ${user_id}`, agent_id && `agent ${agent_id}`].filter(Boolean).join(", ");
  const timestamp = updated_at ?? created_at ?? undefined;
  return {
    text: words,
    heading: categories?.[0] ?? (user_id ? `About ${user_id}` : "From mem0"),
    source: `mem0 ${id ?? ""}${who ? ` (${who})` : ""}`.trim(),
    ...(timestamp === undefined ? {} : { timestamp }),
  };
}
