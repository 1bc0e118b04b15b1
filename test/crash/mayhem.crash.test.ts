import { EventEmitter, once } from "node:events";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../support/workspace.ts";
import { filesHolding, lookAtAll } from "./look-at-all.ts";
import { openPerson } from "./person.ts";
import { createRandom } from "./random.ts";
import { buildShim, startVictim } from "./victim.ts";
import type { Ground, Victim } from "./victim.ts";

// Kills and stops together; the long form is TIDEMARK_BLOWS=13500, of which 10,000 and more are kills.
const BLOWS = Number(process.env["TIDEMARK_BLOWS"] ?? 20);
// The short form is the same on every machine as far as our own choices go; the long one looks for something new.
const SEED = Number(process.env["TIDEMARK_SEED"] ?? (BLOWS > 20 ? Date.now() % 1_000_000_000 : 20_261_115));
// A workspace is looked at after so many, and the next ones fall on another: nothing grows without bound.
const ROUND = 100;
// So many work at once; the clocks of some of them are years ahead, or a day behind.
const CLOCK_HOURS = [0, 640_000, -30, 0, 0, 0];
const SLOW_MS = 30;
const IMPORT = "tidemark import";
const LONGEST_LIFE_MS = 60_000;
// So many come to forget; half of them are let be until they have. It takes as long as ten other lives.
const FORGETTERS = BLOWS > 20 ? 0.05 : 0.25;

const COUNTED = ["kills", "stops", "said", "facts", "undone", "edits", "forgotten", "digested"] as const;
type Tally = Record<(typeof COUNTED)[number], number>;
/** What the killed were doing, and at which step on the disk they were. */
type Hits = Record<"doing" | "step", Map<string, number>>;

describe("several at once, stopped, slowed down, killed, with clocks that jump, a person who edits, and forgetting", () => {
  it(
    `lose nothing, double nothing, and move no cursor in the wrong log, ${BLOWS} times`,
    { timeout: 300_000 + BLOWS * 10_000 },
    async () => {
      // Under a name that is given, what a failure leaves can be looked at.
      const root = process.env["TIDEMARK_KEEP"] ?? temporaryFolder();
      const folder = join(root, "at");
      mkdirSync(folder, { recursive: true });
      const field = openField({ folder, shim: buildShim(root), slowMs: SLOW_MS }, createRandom(SEED));
      onTestFinished(() => field.clear());
      const sums: Tally = { kills: 0, stops: 0, said: 0, facts: 0, undone: 0, edits: 0, forgotten: 0, digested: 0 };
      const hits: Hits = { doing: new Map(), step: new Map() };
      for (let round = 0; sums.kills + sums.stops < BLOWS; round++) {
        const workspace = join(folder, `w${round}`);
        const blows = Math.min(ROUND, BLOWS - sums.kills - sums.stops);
        const tally = await rage(workspace, field, blows, hits);
        for (const name of COUNTED) sums[name] += tally[name];
        console.log(JSON.stringify({ seed: SEED, ...sums, secondsAKill: processorSeconds() / sums.kills }));
        for (const [name, counts] of Object.entries(hits)) console.log(`${name} ${JSON.stringify(shares(counts))}`);
        rmSync(workspace, { recursive: true, force: true });
      }
      // Who is killed before it has begun shows nothing.
      expect(hits.doing.get("start") ?? 0).toBeLessThan(BLOWS / 10);
    },
  );
});

/** Where victims come from: some are started ahead, and have loaded everything when their turn comes. */
interface Field extends Ground {
  random: () => number;
  take(): Victim;
  startImport(workspace: string): Victim;
  clear(): void;
}

function openField(ground: Ground, random: () => number): Field {
  const all = new Set<Victim>();
  const start = (args: readonly string[]): Victim => {
    const victim = startVictim(ground, args, Math.floor(random() * 2 ** 31));
    all.add(victim);
    void victim.isGone.then(() => all.delete(victim));
    return victim;
  };
  const script = new URL("mayhem.mjs", import.meta.url).pathname;
  const spares = Array.from({ length: 2 }, () => start([script]));
  return {
    ...ground,
    random,
    take() {
      spares.push(start([script]));
      return spares.shift() ?? start([script]);
    },
    startImport(workspace) {
      const batch = `i${Math.floor(Date.now() / 2000) % 1_000_000}`;
      const lines = Array.from({ length: 6 }, (_, index) => {
        const role = index % 2 === 0 ? "user" : "assistant";
        return JSON.stringify({
          session: "cli:import",
          id: `${batch}-${index}`,
          role,
          content: `say ${batch}-${index}.`,
        });
      });
      const file = `${ground.folder}.${batch}.jsonl`;
      writeFileSync(file, `${lines.join("\n")}\n`);
      const program = new URL("../../bin/tidemark.js", import.meta.url).pathname;
      return Object.assign(start([program, "import", file, "-w", workspace]), { doing: IMPORT });
    },
    clear() {
      for (const { child } of all) child.kill("SIGKILL");
    },
  };
}

/** Deals out blows in a workspace of its own, and looks whether everything is there once. */
async function rage(workspace: string, field: Field, blows: number, hits: Hits): Promise<Tally> {
  const path = join(workspace, "memory/MEMORY.md");
  mkdirSync(join(workspace, "memory"), { recursive: true });
  writeFileSync(path, "# Memory\n\n- sails\n");
  const events = new EventEmitter();
  const person = openPerson(path, field.random, () => once(events, "kill"));
  const all: Victim[] = [];
  const living = new Set<Victim>();
  const dealt = { kills: 0, stops: 0 };
  const isOver = (): boolean => dealt.kills + dealt.stops >= blows;
  const lane = async (hours: number): Promise<void> => {
    while (!isOver()) {
      const isImport = field.random() < 0.04;
      const victim = isImport ? field.startImport(workspace) : field.take();
      const name = `t${all.push(victim)}`;
      if (!isImport) await victim.isReady;
      living.add(victim);
      const isForgetter = !isImport && field.random() < FORGETTERS;
      const fate = isForgetter ? chooseForgetterFate(field) : chooseFate(field, isImport);
      victim.setFate(fate);
      const order = { workspace, name, hours, isForgetter, seed: Math.floor(field.random() * 2 ** 31) };
      if (!isImport) victim.child.stdin?.end(`${JSON.stringify(order)}\n`);
      const isKilled = await outlive(victim, fate, field, living);
      // What an editor's window still shows comes back into MEMORY.md until the next look; at the end it is gone there, too.
      const left = filesHolding(workspace, victim.forgotten).filter(([, path]) => !path.includes("MEMORY.md"));
      expect(left, "forgotten words that are still there").toEqual([]);
      if (isKilled) {
        dealt.kills++;
        events.emit("kill");
        count(hits.doing, victim.doing);
        count(hits.step, describeStep(victim.lastStep().step));
      }
      living.delete(victim);
    }
  };
  const watch = watchStops(living, field.random, () => dealt.stops++);
  try {
    await Promise.all(CLOCK_HOURS.map(lane));
  } finally {
    watch.end();
    await person.leave();
  }
  const [said, facts, undone, forgotten] = (["said", "facts", "undone", "forgotten"] as const).map((kind) =>
    all.flatMap((victim) => victim[kind]),
  ) as [string[], string[], string[], string[]];
  const digested = await lookAtAll(workspace, { said, facts, undone, forgotten, lines: person.lines });
  return {
    ...dealt,
    said: said.length,
    facts: facts.length,
    undone: undone.length,
    edits: person.lines.length,
    forgotten: forgotten.length,
    digested,
  };
}

/** How a victim ends: at a step on the disk, or after a while; and at which step it stands still. 0 is never. */
interface Fate {
  dieAt: number;
  stopAt: number;
  lifeMs: number;
  /** Its life is counted from when it has forgotten something. */
  isSpared?: boolean;
}

function chooseFate({ random, shim }: Field, isImport: boolean): Fate {
  // Most things take a few dozen steps, and to forget takes some hundred.
  const span = isImport ? 20 : random() < 0.1 ? 400 : 70;
  const dieAt = shim !== undefined && random() < 0.7 ? 1 + Math.floor(random() * span) : 0;
  const stopAt = random() < 0.2 ? 1 + Math.floor(random() * (dieAt || span)) : 0;
  return { stopAt, dieAt, lifeMs: dieAt > 0 ? LONGEST_LIFE_MS : -Math.log(1 - random()) * 200 };
}

/** To forget takes some hundred steps, and some seconds where others want the same locks. */
function chooseForgetterFate({ random, shim }: Field): Fate {
  const isSpared = shim === undefined || random() < 0.5;
  const dieAt = isSpared ? 0 : 1 + Math.floor(random() * 400);
  const stopAt = random() < 0.2 ? 1 + Math.floor(random() * 300) : 0;
  return { stopAt, dieAt, lifeMs: isSpared ? random() * 200 : LONGEST_LIFE_MS, isSpared };
}

/** Waits for the end of a victim, or brings it about; false if it had done its work before. */
async function outlive(
  victim: Victim,
  { lifeMs, isSpared = false }: Fate,
  { random }: Field,
  living: ReadonlySet<Victim>,
): Promise<boolean> {
  const { child, isGone } = victim;
  const isImport = victim.doing === IMPORT;
  const life = new AbortController();
  // Not from its start on: on a busy machine a life by the clock would end before anything happened.
  const isAtWork = isSpared ? Promise.race([victim.hasForgotten, wait(LONGEST_LIFE_MS)]) : victim.isAtWork;
  const begun = lifeMs === LONGEST_LIFE_MS || isImport ? Promise.resolve() : isAtWork;
  const end = begun
    .then(() => wait(lifeMs, undefined, { signal: life.signal }))
    .then(
      () => {
        // Now and then all of them at once, as when the power fails.
        const those = random() < 0.1 ? living : [victim];
        for (const each of those) each.child.kill("SIGKILL");
      },
      () => undefined,
    );
  await isGone;
  life.abort();
  await end;
  if (child.signalCode === "SIGKILL") return true;
  const isFine = child.exitCode === 0 || victim.errors.includes("gave up after");
  expect([child.exitCode, victim.doing, isFine ? "" : victim.errors]).toEqual([child.exitCode, victim.doing, ""]);
  expect(victim.doing).toBe(IMPORT);
  return false;
}

/** Stops some from outside, and lets whoever stands still go on after a while, or kills it in its sleep. */
function watchStops(living: ReadonlySet<Victim>, random: () => number, onStop: () => void): { end: () => void } {
  const asleep = new Set<Victim>();
  const timer = setInterval(() => {
    for (const victim of living) {
      if (asleep.has(victim)) continue;
      if (!isStopped(victim)) {
        if (random() < 0.002) victim.child.kill("SIGSTOP");
        continue;
      }
      asleep.add(victim);
      onStop();
      setTimeout(() => {
        victim.child.kill(random() < 0.15 ? "SIGKILL" : "SIGCONT");
        asleep.delete(victim);
      }, random() * 300);
    }
  }, 20);
  return { end: () => clearInterval(timer) };
}

function isStopped({ child }: Victim): boolean {
  try {
    return /\) T /.test(readFileSync(`/proc/${child.pid}/stat`, "utf8"));
  } catch {
    // Gone, or a system without /proc: then nobody is found to be stopped.
    return false;
  }
}

/** What this process and those that it has seen end took of the processors, where that is told. */
function processorSeconds(): number {
  if (process.platform !== "linux") return 0;
  const [, fields = ""] = /\) (.*)/.exec(readFileSync("/proc/self/stat", "utf8")) ?? [];
  const ticks = fields.split(" ").slice(11, 15).map(Number);
  return ticks.reduce((sum, each) => sum + each, 0) / 100;
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

/** A step on the disk without what differs each time. */
function describeStep(step: string): string {
  const [, what = "none", path = ""] = /^(\w+) \/?[^/]*\/?(.*)$/.exec(step) ?? [];
  const kinds: [RegExp, string][] = [
    [/\.was\.draft$|\.late\.draft$/, "a copy held"],
    [/\.draft$|\.tmp$/, "a draft"],
    [/^sessions\/archive/, "the archive"],
    [/^sessions/, "the session"],
    [/state\.sqlite/, "the state"],
    [/index\.sqlite/, "the index"],
    [/locks/, "a lock"],
    [/^memory\/(\w+\.md)$/, "MEMORY.md or HISTORY.md"],
  ];
  return `${what} ${kinds.find(([pattern]) => pattern.test(path))?.[1] ?? path.replaceAll(/[0-9a-f-]{8,}|\d+/g, "*")}`;
}

function shares(counts: ReadonlyMap<string, number>): Record<string, number> {
  return Object.fromEntries([...counts].toSorted(([, one], [, other]) => other - one));
}
