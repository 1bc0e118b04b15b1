import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { openSession } from "../src/store/files/session-folder.ts";
import type { DrawnFact } from "../src/search/drawn-fact.ts";

const WorldMessage = z.looseObject({
  session: z.string(),
  id: z.string(),
  role: z.enum(["user", "assistant", "tool", "system"]),
  name: z.string().optional(),
  content: z.string(),
  timestamp: z.string().optional(),
});
const WorldQuery = z.looseObject({
  id: z.string(),
  query: z.string(),
  evidence: z.array(z.string()),
  category: z.string().default(""),
});
const WorldFact = z.looseObject({ session: z.string(), fact: z.string(), evidence: z.array(z.string()) });

/** One memory, and what is asked of it. */
export interface World {
  readonly set: string;
  readonly name: string;
  readonly messages: readonly z.infer<typeof WorldMessage>[];
  readonly queries: readonly z.infer<typeof WorldQuery>[];
  readonly facts: readonly DrawnFact[];
}

/** Reads the worlds of all sets in a folder; quick takes one world of each. */
export async function readWorlds(folder: string, options: { quick: boolean }): Promise<World[]> {
  const worlds: World[] = [];
  for (const set of (await readdir(folder)).toSorted()) {
    if (!existsSync(join(folder, set)) || set.includes(".")) continue;
    const names = (await readdir(join(folder, set))).toSorted();
    for (const name of options.quick ? names.slice(0, 1) : names) worlds.push(await readWorld(folder, set, name));
  }
  return worlds;
}

async function readWorld(folder: string, set: string, name: string): Promise<World> {
  const path = join(folder, set, name);
  const facts = await readLines(join(path, "facts.jsonl"), WorldFact);
  return {
    set,
    name,
    messages: await readLines(join(path, "messages.jsonl"), WorldMessage),
    queries: await readLines(join(path, "queries.jsonl"), WorldQuery),
    facts: facts.flatMap(({ session, fact, evidence }) =>
      evidence.map((message) => ({ session: `world:${session}`, message, text: fact })),
    ),
  };
}

/** Writes what was said in a world into session files, as an import does. */
export async function writeSessions(world: World, workspace: string): Promise<void> {
  const folder = {
    path: join(workspace, "sessions"),
    lockFolder: join(workspace, ".tidemark", "locks"),
    setting: {
      timezone: "UTC",
      timestamp: () => "2026-01-01T00:00:00.000+00:00",
      newId: () => randomUUID(),
      onDamage: ({ reason }: { reason: string }) => console.error(reason),
    },
  };
  for (const [session, messages] of Map.groupBy(world.messages, (message) => message.session)) {
    const log = await openSession(folder, `world:${session}`);
    // An import has no time of its own to give: a message without one stays without one.
    await log.append(messages.map((message) => ({ ...message, session: undefined })));
  }
}

/** Every question of a world as a user's message in a session of its own, answered with a stock phrase. */
export function askedBefore(world: World): World {
  const messages = world.queries.flatMap(({ id, query }, index) => [
    { session: `asked-${id}`, id: `asked-${id}`, role: "user" as const, content: query },
    {
      session: `asked-${id}`,
      id: `answered-${id}`,
      role: "assistant" as const,
      content: STOCK_PHRASES[index % STOCK_PHRASES.length] ?? "",
    },
  ]);
  return { ...world, messages };
}

const STOCK_PHRASES = ["Found in memory: sessions/cli_main.jsonl:12", "Nothing on record answers this.", "Kept."];

async function readLines<T>(path: string, schema: z.ZodType<T>): Promise<T[]> {
  if (!existsSync(path)) return [];
  const lines = (await readFile(path, "utf8")).split("\n").filter((line) => line !== "");
  return lines.map((line) => schema.parse(JSON.parse(line)));
}
