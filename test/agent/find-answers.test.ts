import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { sentence, writeHistory } from "../../bench/growth-world.ts";
import { findAnswers } from "../../src/agent/find-answers.ts";
import { openMemory } from "../../src/index.ts";

const workspace = mkdtempSync(join(tmpdir(), "tidemark-answers-"));
afterAll(() => rmSync(workspace, { recursive: true, force: true }));

const RUNS = 1_000;
const STANDING = 200;

it("reads the records of facts that stand, and not those of all that ever were", async () => {
  writeHistory(workspace, RUNS);
  const memory = await openMemory({ workspace });
  let read = 0;
  const listFacts: typeof memory.state.listFacts = async (...options) => {
    const rows = await memory.state.listFacts(...options);
    read += rows.length;
    return rows;
  };
  const state = { ...memory.state, listFacts };
  const found = await findAnswers({ ...memory, state }, "cli:0", `Who keeps the bakery number ${RUNS - 5} in order?`);
  expect(found[0]?.shown).toContain(sentence(RUNS - 5).split(" ")[0]);
  expect(found[0]?.source).toContain(`cli:${RUNS - 5}`);
  expect(read).toBeLessThanOrEqual(STANDING + 20);
  await memory.close();
});
