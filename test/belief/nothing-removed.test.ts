import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { open } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";

const PAIRS = readFileSync(join(import.meta.dirname, "../../bench/belief/pairs.jsonl"), "utf8")
  .trim()
  .split("\n")
  .map((line) => z.tuple([z.string(), z.string(), z.string()]).parse(JSON.parse(line)));

describe("a later sentence about something else", () => {
  it.each(PAIRS)("keeps %j after %j", async (first, then) => {
    const memory = await open({ workspace: temporaryFolder() });
    const session = await memory.session("cli:main");
    await session.append({ role: "user", content: first, timestamp: "2026-05-03T09:00:00Z" });
    await memory.consolidate("cli:main", { all: true });
    const before = factsOf(await memory.readMemory("cli:main"));
    await session.append({ role: "user", content: then, timestamp: "2026-05-04T09:00:00Z" });
    await memory.consolidate("cli:main", { all: true });
    expect(factsOf(await memory.readMemory("cli:main"))).toEqual(expect.arrayContaining(before));
  });
});

function factsOf(text: string): string[] {
  return text.split("\n").filter((line) => line.startsWith("- "));
}
