import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openMemory } from "../src/index.ts";
import type { Memory } from "../src/index.ts";
import { parseFacts } from "../src/change/read-outline.ts";
import { openTokenizer } from "../src/model/tokens.ts";
import { startMonthModel } from "./month-model.ts";
import type { MonthModel } from "./month-model.ts";
import { reckon } from "./month-reckoning.ts";
import { createChance, createTalk } from "./month-talk.ts";

const { values: flags } = parseArgs({
  options: { quick: { type: "boolean", default: false }, seed: { type: "string", default: "7" } },
});
const DAYS = flags.quick ? 6 : 30;
const SESSIONS = 5;
const TURNS_A_DAY = 20;
const FAILURES = 0.2;
const FACT_SHARE = 0.12;
const MINUTE = 60_000;

/** How one day ended. */
interface Day {
  day: string;
  calls: number;
  tokens: number;
  memoryTokens: number;
  facts: number;
}

const started = performance.now();
const workspace = mkdtempSync(join(tmpdir(), "tidemark-month-"));
const model = await startMonthModel(createChance(Number(flags.seed) + 1), FAILURES);
const clock = { now: new Date("2026-11-01T08:00:00Z") };
const talk = createTalk(createChance(Number(flags.seed)), FACT_SHARE);
const days: Day[] = [];
const byHand: string[] = [];
try {
  for (let day = 0; day < DAYS; day++) days.push(await liveOneDay(day));
  const memory = await open();
  const reckoning = await reckon(memory, { said: talk.said(), planted: talk.planted, byHand });
  const runs = await memory.history.list({ last: 1_000_000 });
  await memory.close();
  const report = renderReport(reckoning, runs, model);
  console.log(report);
  if (!flags.quick) writeFileSync(new URL("MONTH.md", import.meta.url), report);
  if (!reckoning.isRight) process.exitCode = 1;
} finally {
  await model.close();
  rmSync(workspace, { recursive: true, force: true });
}

function open(): Promise<Memory> {
  return openMemory({
    workspace,
    now: () => clock.now,
    config: {
      agents: {
        defaults: {
          model: "scripted/month",
          timezone: "Europe/Lisbon",
          memoryWindow: 20,
          contextWindowTokens: 10_500,
          maxTokens: 4096,
          memoryBudgetTokens: 1500,
        },
      },
      providers: { scripted: { baseUrl: model.baseUrl } },
      consolidation: { idleMinutes: 90, timeoutSeconds: 1 },
      tools: { memoryFlush: { thresholdTokens: 3000 } },
    },
  });
}

/** Five sessions talk, one after the other; people edit, end sessions and go to bed; the process starts anew each day. */
async function liveOneDay(day: number): Promise<Day> {
  const memory = await open();
  const stamp = clock.now.toISOString().slice(0, 10);
  for (let chat = 0; chat < SESSIONS; chat++) {
    const key = `telegram:${chat}`;
    const session = await memory.session(key);
    for (let turn = 1; turn <= TURNS_A_DAY; turn++) {
      const [user, assistant] = talk.nextTurn(chat);
      await session.append({ role: "user", content: user });
      clock.now = new Date(clock.now.getTime() + MINUTE);
      await session.append({ role: "assistant", content: assistant });
      clock.now = new Date(clock.now.getTime() + MINUTE);
      if (turn % 5 === 0) await memory.settle({ retries: 0 });
    }
    if ((day + chat) % 6 === 5) await memory.startNew(key);
  }
  if (day % 5 === 4) editByHand(day);
  if (day % 10 === 9) await memory.tidy();
  // The night: silence, and time for what failed to be tried again.
  for (const minutes of [95, 1, 6, 31, 31]) {
    clock.now = new Date(clock.now.getTime() + minutes * MINUTE);
    await memory.settle({ retries: 0 });
  }
  const spent = await memory.queue.spendOn(stamp);
  const text = await memory.readMemory();
  const count = await openTokenizer();
  await memory.close();
  clock.now = new Date(Date.parse(`${stamp}T08:00:00Z`) + 24 * 60 * MINUTE);
  const sum = (pick: (each: (typeof spent)[number]) => number) => spent.reduce((total, each) => total + pick(each), 0);
  if (!flags.quick) process.stderr.write(`${stamp}\r`);
  return {
    day: stamp,
    calls: sum(({ calls }) => calls),
    tokens: sum(({ inputTokens, outputTokens }) => inputTokens + outputTokens),
    memoryTokens: count(text),
    facts: parseFacts(text).length,
  };
}

/** A person adds a line of their own, while the process runs. */
function editByHand(day: number): void {
  const line = `The harbour master wrote line ${day} by hand`;
  byHand.push(line);
  const path = join(workspace, "memory", "MEMORY.md");
  appendFileSync(path, `- ${line}\n`);
}

function renderReport(
  reckoning: Awaited<ReturnType<typeof reckon>>,
  changes: Awaited<ReturnType<Memory["history"]["list"]>>,
  { calls, faults }: MonthModel,
): string {
  const outcomes = Map.groupBy(changes, ({ cause, outcome }) => `${cause}: ${outcome}`);
  const list = (entries: Iterable<[string, number]>) =>
    [...entries]
      .toSorted((one, other) => other[1] - one[1])
      .map(([name, number]) => `${name} ${number}`)
      .join(", ");
  const total = (pick: (day: Day) => number) => days.reduce((sum, day) => sum + pick(day), 0).toLocaleString("en-US");
  const notes = readdirSync(join(workspace, "memory")).filter((name) => name.startsWith("2026-"));
  const diary = readFileSync(join(workspace, "memory", "HISTORY.md"), "utf8");
  return `# A month

\`npm run bench:month\`: ${DAYS} days, ${SESSIONS} sessions, ${talk.said().toLocaleString("en-US")} messages, a model over HTTP that fails at
${FAILURES * 100} % of its calls and forgets old facts at another 10 %, a new process each day, edits by hand, /new, idle nights, tidying. Seed ${flags.seed}.

## The reckoning: ${reckoning.isRight ? "it adds up" : "IT DOES NOT ADD UP"}

| messages | |
|---|---|
| said | ${talk.said()} |
| in exactly one diary entry | ${reckoning.messages.digested} |
| in exactly one raw archive | ${reckoning.messages.raw} |
| after a cursor | ${reckoning.messages.waiting} |
| nowhere | ${reckoning.messages.nowhere.length} |
| twice | ${reckoning.messages.twice.length} |

| facts | |
|---|---|
| planted and never taken back | ${reckoning.facts.standing} |
| in MEMORY.md | ${reckoning.facts.inMemory} |
| in a dated note, not in MEMORY.md | ${reckoning.facts.inNotes}; ${reckoning.facts.moved} of them moved there by the budget |
| in a raw archive of the diary alone | ${reckoning.facts.inRaw} |
| still waiting after a cursor | ${reckoning.facts.waiting} |
| lost | ${reckoning.facts.lost.length} ${reckoning.facts.lost.join("; ")} |
| taken back, but still in MEMORY.md | ${reckoning.facts.unretracted.length} ${reckoning.facts.unretracted.join("; ")} |
| written by hand | ${byHand.length}, lost ${reckoning.facts.lostByHand.length} |

Every message is looked for in the diary's entries, in raw archives and after the cursors; every fact, as it holds at the end, in
MEMORY.md, then in the dated notes. A fact that stands only in a raw archive (the third failure in a row) is on record word for
word, but in neither; it is counted apart.

Jobs left: ${reckoning.jobs}. Changes half-done: ${reckoning.unfinished}.

## What it took

Calls: ${list(calls)}. Faults: ${list(faults)}.
Changes: ${list([...outcomes].map(([name, each]) => [name, each.length]))}.
Files: ${notes.length} dated notes, diary of ${(diary.length / 1024).toFixed(0)} kB. Time: ${((performance.now() - started) / 1000).toFixed(0)} s.

| day | answered calls | tokens | MEMORY.md, tokens (of 1,500) | facts in it |
|---|---|---|---|---|
${days.map(({ day, calls, tokens, memoryTokens, facts }) => `| ${day} | ${calls} | ${tokens} | ${memoryTokens} | ${facts} |`).join("\n")}
| all | ${total(({ calls }) => calls)} | ${total(({ tokens }) => tokens)} | | |
`;
}
