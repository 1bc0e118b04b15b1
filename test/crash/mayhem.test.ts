import { execFileSync, spawn, spawnSync } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { openMemory } from "../../src/index.ts";
import { temporaryFolder } from "../support/workspace.ts";

const BLOWS = Number(process.env["TIDEMARK_BLOWS"] ?? 10);
const TALKERS = 3;
// One clock is right, one is ahead by years, one behind by a day.
const CLOCK_HOURS = [0, 640_000, -30];
const hasCompiler = spawnSync("cc", ["--version"]).status === 0 && process.platform === "linux";

interface Talker {
  child: ChildProcess;
  acknowledged: string[];
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
  const acknowledged: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => void (line !== "ready" && acknowledged.push(line)));
  return { child, acknowledged };
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

describe("several at once, stopped, slowed down, killed, with clocks that disagree", () => {
  it(
    `lose nothing, double nothing, and move no cursor in the wrong log, ${BLOWS} times`,
    { timeout: 1_200_000 },
    async () => {
      const workspace = temporaryFolder();
      const shim = buildShim();
      const all: Talker[] = [];
      const begin = (index: number): Talker => {
        const talker = start(workspace, `t${all.length}`, CLOCK_HOURS[index % CLOCK_HOURS.length] ?? 0, shim);
        all.push(talker);
        return talker;
      };
      const living = Array.from({ length: TALKERS }, (_, index) => begin(index));
      for (let blow = 0; blow < BLOWS; blow++) {
        const index = Math.floor(Math.random() * TALKERS);
        const victim = living[index];
        if (!victim) continue;
        const said = victim.acknowledged.length;
        // Counted in messages: on a busy machine a life by the clock would end before anything happened.
        for (let patience = 0; victim.acknowledged.length < said + 3 && patience < 600; patience++) {
          expect(victim.child.exitCode).toBe(null);
          await wait(20);
        }
        if (Math.random() < 0.6) {
          victim.child.kill("SIGSTOP");
          await wait(Math.random() * 500);
          victim.child.kill("SIGCONT");
        } else {
          await end(victim);
          living[index] = begin(index);
        }
      }
      for (const talker of living) await end(talker);
      const acknowledged = all.flatMap((talker) => talker.acknowledged);
      expect(acknowledged.length).toBeGreaterThan(BLOWS);

      const notices: string[] = [];
      const memory = await openMemory({
        workspace,
        config: {
          agents: { defaults: { memoryWindow: 0, memoryBudgetTokens: 100_000 } },
          tools: { sessionMemory: { enabled: false } },
        },
        onNotice: (text) => notices.push(text),
      });
      await memory.settle();
      const sessions = join(workspace, "sessions");
      const live = join(sessions, "cli_crash.jsonl");
      const archive = join(sessions, "archive");
      const ended = existsSync(archive) ? readdirSync(archive).map((name) => join(archive, name)) : [];
      const logs = [...ended.filter((path) => statSync(path).ino !== statSync(live).ino), live].map(readLog);
      const said = logs.flatMap((log) => log.said);
      expect(said.toSorted()).toEqual([...new Set(said)].toSorted());
      expect(acknowledged.filter((words) => !said.includes(words))).toEqual([]);
      const diary = readFileSync(join(workspace, "memory/HISTORY.md"), "utf8");
      const covered = [...diary.matchAll(/covers ([\w,-]+)\./g)].flatMap(([, list = ""]) => list.split(","));
      // Nothing was digested twice, and what lies behind a cursor was not digested at all.
      expect(covered.toSorted()).toEqual([...new Set(covered)].toSorted());
      for (const { said: words, cursor } of logs)
        expect(words.slice(cursor).filter((each) => covered.includes(each))).toEqual([]);
      // What lies before a cursor has an entry: a run of its own stands for each stretch.
      const runs = await memory.state.listRuns({ limit: 100_000 });
      const digested = runs.filter((run) => run.outcome !== "refused").reduce((sum, run) => sum + run.to - run.from, 0);
      expect(digested).toBe(logs.reduce((sum, log) => sum + log.cursor, 0));
      const facts = (await memory.readMemory()).match(/^- Unit x\S+x/gm) ?? [];
      expect(new Set(facts).size).toBe(facts.length);
      expect(await memory.state.pendingScopes()).toEqual([]);
      expect((await memory.state.listJobs()).filter(({ kind }) => kind !== "tidy")).toEqual([]);
      await memory.close();
      console.log(
        `${all.length} processes, ${acknowledged.length} messages, ${logs.length} logs, ${covered.length} digested by the model`,
      );
    },
  );
});
