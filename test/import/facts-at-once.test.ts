import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { importFrom } from "../../src/import/import-from.ts";
import type { Memory } from "../../src/index.ts";
import { open } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";

const now = () => new Date("2026-12-01T09:00:00Z");
const KEY = "import:mem0";
const openAt = (workspace: string) => open({ workspace, passive: true, now });
const bring = (memory: Memory, path: string) => importFrom(memory, { from: "mem0", path, dryRun: false, now });

function fileOf(boats: readonly number[]): string {
  const path = join(temporaryFolder(), "mem0.json");
  const results = boats.map((boat) => ({ id: `m${boat}`, memory: `The user owns boat number ${boat}` }));
  writeFileSync(path, JSON.stringify({ results }));
  return path;
}

it("stores and proposes each fact once when it is imported several times at once", async () => {
  const workspace = temporaryFolder();
  const path = fileOf([1, 2, 3, 4]);
  const memories = await Promise.all([1, 2, 3].map(() => openAt(workspace)));
  await Promise.all(memories.map((memory) => bring(memory, path)));
  const memory = await openAt(workspace);
  const session = await memory.session(KEY);
  expect(session.messages().map(({ content }) => content)).toEqual(
    [1, 2, 3, 4].map((boat) => `The user owns boat number ${boat}`),
  );
  expect(session.cursor).toBe(4);
  expect((await memory.review()).map(({ items }) => items.length)).toEqual([4]);
});

it("marks what was stored as proposed also when the import was killed before it did", async () => {
  const [path, more] = [fileOf([1, 2]), fileOf([1, 2, 3])];
  const whole = await openAt(temporaryFolder());
  await bring(whole, path);
  const said = (await whole.session(KEY)).messages();
  const memory = await openAt(temporaryFolder());
  const session = await memory.session(KEY);
  for (const { id, content = null } of said) await session.append({ role: "system", id, content });
  expect(await bring(memory, path)).toMatchObject({ facts: { proposed: 0, known: 2 } });
  expect(await memory.session(KEY)).toMatchObject({ length: 2, cursor: 2 });
  expect(await bring(memory, more)).toMatchObject({ facts: { proposed: 1, known: 2 } });
  expect(await memory.session(KEY)).toMatchObject({ length: 3, cursor: 3 });
});
