import { execFileSync, spawn, spawnSync } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { openMemory } from "../../src/index.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { WAYS } from "./editors.ts";

// Kills and stops together; the long form is TIDEMARK_BLOWS=13500, of which 10,000 and more are kills.
const BLOWS = Number(process.env["TIDEMARK_BLOWS"] ?? 20);
// A workspace is looked at after so many, and the next ones fall on another.
const ROUND = 150;
const KILL_SHARE = 0.75;
const TALKERS = 3;
// The clocks of some of them are years ahead, or a day behind.
const CLOCK_HOURS = [0, 640_000, -30];
const hasCompiler = spawnSync("cc", ["--version"]).status === 0 && process.platform === "linux";

interface Talker {
  child: ChildProcess;
  acknowledged: string[];
  facts: string[];
  forgotten: string[];
}

function buildShim(): string | undefined {
  if (!hasCompiler) return undefined;
  const shim = join(temporaryFolder(), "slow.so");
  execFileSync("cc", ["-shared", "-fPIC", "-o", shim, new URL("slow.c", import.meta.url).pathname, "-ldl"]);
  return shim;
}

function start(workspace: string, name: string, hours: number, shim: string | undefined): Talker {
  const script = new URL("mayhem.mjs", import.meta.url).pathname;
  const slow = shim === undefined ? {} : { LD_PRELOAD: shim, SLOW_FOLDER: workspace, SLOW_MS: "30" };
  const child = spawn(process.execPath, [script, workspace, name, String(hours)], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, ...slow },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const talker: Talker = { child, acknowledged: [], facts: [], forgotten: [] };
  createInterface({ input: child.stdout }).on("line", (line) => {
    const [, kind, words] = /^(fact|forgot) (.+)$/.exec(line) ?? [];
    if (words !== undefined) (kind === "fact" ? talker.facts : talker.forgotten).push(words);
    else if (line !== "ready") talker.acknowledged.push(line);
  });
  return talker;
}

async function end({ child }: Talker): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGKILL");
  await once(child, "close");
}

/** What a log says, and how far it counts as digested. */
function readLog(path: string): { said: string[]; cursor: number } {
  const lines = readFileSync(path, "utf8").split("\n").filter(Boolean);
  const values = lines.map((line) => JSON.parse(line) as { content?: string; last_consolidated?: number });
  return {
    said: values.flatMap(({ content }) =>
      content === undefined ? [] : [/^say (.+)\.$/.exec(content)?.[1] ?? content],
    ),
    cursor: values.findLast((value) => value.last_consolidated !== undefined)?.last_consolidated ?? 0,
  };
}

/** A person who edits MEMORY.md all the while, each time in another way; tells the lines that were saved. */
function openPerson(path: string): { lines: string[]; leave: () => Promise<void> } {
  const lines: string[] = [];
  const leaving = new AbortController();
  const ways = Object.values(WAYS);
  const work = async () => {
    for (let count = 0; !leaving.signal.aborted; count++) {
      const line = `- line y${count}y by hand`;
      await ways[count % ways.length]?.(path, `${line}\n`);
      lines.push(line);
      await wait(100 + Math.random() * 400);
    }
  };
  const working = work();
  return {
    lines,
    async leave() {
      leaving.abort();
      await working;
    },
  };
}

/** Every file below a folder that holds a text. */
function filesHolding(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => {
    const path = join(folder, name);
    return statSync(path).isFile() && readFileSync(path, "latin1").includes(text);
  });
}

interface Tally {
  processes: number;
  kills: number;
  stops: number;
  messages: number;
  facts: number;
  edits: number;
  forgotten: number;
  digested: number;
}

describe("several at once, stopped, slowed down, killed, with clocks that jump, a person who edits, and forgetting", () => {
  it(
    `lose nothing, double nothing, and move no cursor in the wrong log, ${BLOWS} times`,
    { timeout: 300_000 + BLOWS * 10_000 },
    async () => {
      const shim = buildShim();
      const sums: Partial<Tally> = {};
      for (let done = 0; done < BLOWS; done += ROUND) {
        const tally = await rage(Math.min(ROUND, BLOWS - done), shim);
        for (const name of [
          "processes",
          "kills",
          "stops",
          "messages",
          "facts",
          "edits",
          "forgotten",
          "digested",
        ] as const)
          sums[name] = (sums[name] ?? 0) + tally[name];
        console.log(JSON.stringify(sums));
      }
    },
  );
});

/** Deals out blows in a workspace of its own, and looks whether everything is there once. */
async function rage(blows: number, shim: string | undefined): Promise<Tally> {
  const workspace = temporaryFolder();
  const path = join(workspace, "memory/MEMORY.md");
  mkdirSync(join(workspace, "memory"), { recursive: true });
  writeFileSync(path, "# Memory\n\n- sails\n");
  const person = openPerson(path);
  const all: Talker[] = [];
  let [kills, stops] = [0, 0];
  const begin = (index: number): Talker => {
    const talker = start(workspace, `t${all.length}`, CLOCK_HOURS[index % CLOCK_HOURS.length] ?? 0, shim);
    all.push(talker);
    return talker;
  };
  const living = Array.from({ length: TALKERS }, (_, index) => begin(index));
  for (let blow = 0; blow < blows; blow++) {
    const index = Math.floor(Math.random() * TALKERS);
    const victim = living[index];
    if (!victim) continue;
    const said = victim.acknowledged.length;
    const enough = 1 + Math.floor(Math.random() * 6);
    // Counted in messages: on a busy machine a life by the clock would end before anything happened.
    for (let patience = 0; victim.acknowledged.length < said + enough && patience < 600; patience++) {
      expect(victim.child.exitCode).toBe(null);
      await wait(20);
    }
    await wait(Math.random() * 60);
    if (Math.random() < KILL_SHARE) {
      await end(victim);
      living[index] = begin(index);
      kills++;
    } else {
      victim.child.kill("SIGSTOP");
      await wait(Math.random() * 500);
      victim.child.kill("SIGCONT");
      stops++;
    }
  }
  await person.leave();
  for (const talker of living) await end(talker);
  const counted = await lookAtAll(workspace, all, person.lines);
  return { processes: all.length, kills, stops, edits: person.lines.length, ...counted };
}

/** Everything that was acknowledged is there once; what was forgotten is nowhere. */
async function lookAtAll(workspace: string, all: readonly Talker[], lines: readonly string[]) {
  const [acknowledged, facts, forgotten] = [
    all.flatMap((talker) => talker.acknowledged),
    all.flatMap((talker) => talker.facts),
    all.flatMap((talker) => talker.forgotten),
  ];
  const memory = await openMemory({
    workspace,
    config: {
      agents: { defaults: { memoryWindow: 0, memoryBudgetTokens: 1_000_000, contextWindowTokens: 4_000_000 } },
      tools: { sessionMemory: { enabled: false } },
    },
  });
  await memory.settle();
  const sessions = join(workspace, "sessions");
  const live = join(sessions, "cli_crash.jsonl");
  const archive = join(sessions, "archive");
  const ended = existsSync(archive) ? readdirSync(archive).map((name) => join(archive, name)) : [];
  const logs = [...ended.filter((each) => statSync(each).ino !== statSync(live).ino), live].map(readLog);
  const said = logs.flatMap((log) => log.said);
  expect(said.toSorted()).toEqual([...new Set(said)].toSorted());
  expect(acknowledged.filter((words) => !said.includes(words))).toEqual([]);
  const diary = existsSync(join(workspace, "memory/HISTORY.md"))
    ? readFileSync(join(workspace, "memory/HISTORY.md"), "utf8")
    : "";
  const covered = [...diary.matchAll(/covers ([\w,-]+)\./g)].flatMap(([, list = ""]) => list.split(","));
  // Nothing was digested twice, and what lies behind a cursor was not digested at all.
  expect(covered.toSorted()).toEqual([...new Set(covered)].toSorted());
  for (const { said: words, cursor } of logs)
    expect(words.slice(cursor).filter((each) => covered.includes(each))).toEqual([]);
  // What lies before a cursor has an entry: a run of its own stands for each stretch.
  const runs = await memory.state.listRuns({ limit: 100_000 });
  const digested = runs.filter((run) => run.outcome !== "refused").reduce((sum, run) => sum + run.to - run.from, 0);
  expect(digested).toBe(logs.reduce((sum, log) => sum + log.cursor, 0));
  const text = await memory.readMemory();
  const units = text.match(/^- Unit x\S+x/gm) ?? [];
  expect(new Set(units).size).toBe(units.length);
  // What is remembered is there once, and so is each line that was saved by hand.
  const timesOf = (words: string) => text.split(words).length - 1;
  const lost = facts.filter((words) => timesOf(`Thing ${words} `) === 0);
  const told = await Promise.all(lost.map((words) => memory.trust.why(`Thing ${words} was remembered`)));
  expect(told.map((stories) => stories.map(({ fact, history }) => ({ fact, history })))).toEqual([]);
  expect(lines.filter((line) => timesOf(`${line}\n`) === 0)).toEqual([]);
  expect(facts.filter((words) => timesOf(`Thing ${words} `) > 1)).toEqual([]);
  expect(lines.filter((line) => timesOf(`${line}\n`) > 1)).toEqual([]);
  expect((await memory.trust.ledger()).lost).toEqual([]);
  expect(await memory.state.pendingScopes()).toEqual([]);
  expect(await memory.state.listAside()).toEqual([]);
  expect((await memory.state.listJobs()).filter(({ kind }) => kind !== "tidy")).toEqual([]);
  await memory.close();
  for (const words of forgotten) expect([words, filesHolding(workspace, words)]).toEqual([words, []]);
  return { messages: acknowledged.length, facts: facts.length, forgotten: forgotten.length, digested: covered.length };
}
