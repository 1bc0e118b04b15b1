import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { sentence, writeHistory } from "../../bench/growth-world.ts";
import { answerFromMemory } from "../../src/agent/answer-from-memory.ts";
import { findAnswers } from "../../src/agent/find-answers.ts";
import { openMemory } from "../../src/index.ts";

const workspace = mkdtempSync(join(tmpdir(), "tidemark-answers-"));
afterAll(() => rmSync(workspace, { recursive: true, force: true }));

const CHANGES = 500;
const STANDING = 200;

it("reads the records of facts that stand, and not those of all that ever were", async () => {
  writeHistory(workspace, CHANGES);
  const memory = await openMemory({ workspace });
  let read = 0;
  const listFacts: typeof memory.history.listFacts = async (...options) => {
    const rows = await memory.history.listFacts(...options);
    read += rows.length;
    return rows;
  };
  const history = { ...memory.history, listFacts };
  const found = await findAnswers(
    { ...memory, history },
    "cli:0",
    `Who keeps the bakery number ${CHANGES - 5} in order?`,
  );
  expect(found[0]?.shown).toContain(sentence(CHANGES - 5).split(" ")[0]);
  expect(found[0]?.source).toContain(`cli:${CHANGES - 5}`);
  expect(read).toBeLessThanOrEqual(STANDING + 20);
  await memory.close();
});

it.each([
  ["we chose Temporal for scheduling instead of cron", "scratch Temporal. too heavy. we went with Quartz", "Quartz"],
  ["the team books flights with Kayak every quarter", "no more Kayak. the fees! it is Skyscanner now", "Skyscanner"],
])("finds what gave up a thing since by its name alone: %s", async (old, change, now) => {
  const place = mkdtempSync(join(workspace, "changed-"));
  let time = Date.parse("2026-02-06T14:00:00Z");
  const memory = await openMemory({ workspace: place, now: () => new Date(time) });
  const say = async (day: string, words: readonly string[]) => {
    time = Date.parse(day);
    const session = await memory.session("cli:main");
    await session.appendAll(words.map((content) => ({ role: "user" as const, content })));
    await memory.startNew("cli:main");
    await memory.settle();
  };
  // What repeats the older statement, and what else was said that day, is nearer to its words than the change is.
  await say("2026-02-06T14:00:00Z", [
    old,
    "feature flags: we use Unleash",
    "our stack is Rust with Axum",
    "logs go to Loki",
  ]);
  await say("2026-03-03T11:00:00Z", [change, "standup moved to 10:00", "launch is 5 May", "my desk is 180 cm wide"]);
  const question = old.includes("scheduling") ? "what do we use for scheduling?" : "how does the team book flights?";
  expect((await findAnswers(memory, "cli:main", question))[0]?.text).toContain(now);
  await memory.close();
});

it.each([
  "The plumber we used last year, what was his name?",
  "Quick check: which bank holds my mortgage?",
  "Mi dentista, ¿cómo se llama?",
  "I work as a plumber in Ghent, what is my plumbing licence number?",
  "Le nom de mon dentiste, c'est quoi ?",
  "我的牙医叫什么名字",
])("does not answer a question with itself: %s", async (question) => {
  const memory = await openMemory({ workspace: mkdtempSync(join(workspace, "asked-")) });
  const ask = async () => answerFromMemory(memory, await memory.session("cli:main"), question, {});
  expect(await ask()).toMatchObject({
    kind: "recalled",
    found: [],
    text: expect.stringContaining("Nothing on record"),
  });
  if (!question.startsWith("I work")) expect(await ask()).toMatchObject({ kind: "recalled", found: [] });
  expect(await memory.readMemory("cli:main")).not.toContain(question);
  await memory.close();
});
