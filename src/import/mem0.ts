import { z } from "zod";
import { MemoryError } from "../errors.ts";
import { oneLine } from "../language/one-line.ts";
import { createFound, damaged, skip } from "./found.ts";
import type { Found, FoundFact } from "./found.ts";
import { kindOf, parseJson, readHead, readIfThere, readJsonLines } from "./read-source.ts";
import type { Source } from "./source.ts";

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

/** mem0: what `get_all` or an export returned, as JSON or JSON Lines. */
export const mem0: Source = {
  name: "mem0",
  title: "mem0",
  where: "what get_all returned, as a JSON file",
  addsText: false,
  async recognise(path) {
    if ((await kindOf(path)) !== "file") return false;
    const head = await readHead(path);
    return /^\s*[[{]/.test(head) && /"memory"\s*:\s*"/.test(head) && !/"role"\s*:/.test(head);
  },
  read: readMem0,
};

async function readMem0(path: string): Promise<Found> {
  const found = createFound();
  if ((await kindOf(path)) !== "file") throw new MemoryError("NOT_FOUND", `There is no file ${path}`);
  const list = List.safeParse(parseJson((await readIfThere(path)) ?? "")).data;
  const values: { number: number; value: unknown }[] =
    list?.map((value, index) => ({ number: index + 1, value })) ?? [];
  if (!list) for await (const line of readJsonLines(path)) values.push(line);
  for (const { number, value } of values) {
    const memory = Memory.safeParse(value).data;
    const fact = memory && toFact(memory);
    if (fact) found.facts.push(fact);
    else if (value === undefined) damaged(found, `${path}:${number}`, "line", "not valid JSON");
    else skip(found, path, "entry", "it holds no memory");
  }
  if (found.facts.length === 0) throw new MemoryError("IMPORT_INVALID", `There are no memories of mem0 in ${path}`);
  return found;
}

function toFact(memory: z.infer<typeof Memory>): FoundFact | undefined {
  const { id, user_id, agent_id, created_at, updated_at, categories } = memory;
  const words = oneLine(memory.memory ?? memory.text ?? "");
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
