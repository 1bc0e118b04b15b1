// @module-tag postgres
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { openMemory } from "../../src/index.ts";
import { openStore } from "../../src/open-store.ts";
import { isAddress } from "../../src/store/address.ts";
import { CRASH_PLACES } from "./crash-places.ts";

const KILLS = Number(process.env["TIDEMARK_KILLS"] ?? 15);

/** Runs the talker, kills it at a random instant, and tells what it had acknowledged. */
async function talkAndDie(workspace: string, first: number): Promise<number> {
  const talker = new URL("talker.mjs", import.meta.url).pathname;
  const child = spawn(process.execPath, [talker, workspace, String(first)], { stdio: ["ignore", "pipe", "inherit"] });
  let acknowledged = first - 1;
  const target = first - 1 + Math.floor(Math.random() * 30);
  createInterface({ input: child.stdout }).on("line", (line) => {
    if (line !== "ready") acknowledged = Number(line);
    // Counted in messages first: on a busy machine a life by the clock alone would end before anything happened.
    if (line === "ready" ? target === first - 1 : acknowledged === target)
      setTimeout(() => child.kill("SIGKILL"), Math.random() * 60);
  });
  const [code, signal] = (await once(child, "close")) as [number | null, string | null];
  expect([code, signal]).toEqual([null, "SIGKILL"]);
  return acknowledged;
}

function saidInFolder(workspace: string): number[] {
  const sessions = join(workspace, "sessions");
  const archive = readdirSync(sessions).includes("archive")
    ? readdirSync(join(sessions, "archive")).map((name) => join(sessions, "archive", name))
    : [];
  const live = join(sessions, "cli_crash.jsonl");
  // Killed in the middle of /new, one file has two names; the next start takes the second one back.
  const ended = archive.filter((path) => statSync(path).ino !== statSync(live, { throwIfNoEntry: false })?.ino);
  return [...ended.toSorted(), live].flatMap((path) => saidIn(path));
}

async function saidInRows(workspace: string): Promise<number[]> {
  const { store } = await openStore(workspace, console.error);
  const heads = [...(await store.logs.heads("archived")), ...(await store.logs.heads("present"))];
  const texts = await Promise.all(heads.map(({ path }) => store.logs.readLines(path)));
  await store.close();
  return texts.flatMap((text) => [...(text ?? "").matchAll(/"say (\d+)\."/g)].map(([, number]) => Number(number)));
}

function saidIn(path: string): number[] {
  // Killed between the move to the archive and the first line of the new file: a session that nobody has begun.
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  const messages = lines
    .map((line) => JSON.parse(line) as { content?: string })
    .filter(({ content }) => content !== undefined);
  return messages.map(({ content }) => Number(/^say (\d+)\.$/.exec(content ?? "")?.[1]));
}

describe.each(CRASH_PLACES)("killed at any instant, in $name", ({ create }) => {
  it(`loses nothing and repeats nothing, ${KILLS} times (case 44)`, async () => {
    const workspace = create();
    let next = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      const acknowledged = await talkAndDie(workspace, next);
      const said = isAddress(workspace) ? await saidInRows(workspace) : saidInFolder(workspace);
      // Every acknowledged message is on the disk, once and in order; one more may have been written, not acknowledged.
      expect(said).toEqual(Array.from({ length: said.length }, (_, index) => index));
      expect(said.length - 1 - acknowledged).toBeGreaterThanOrEqual(0);
      expect(said.length - 1 - acknowledged).toBeLessThanOrEqual(1);
      next = said.length;
    }
    const memory = await openMemory({ workspace, config: { agents: { defaults: { memoryWindow: 0 } } } });
    const waiting = (await memory.session("cli:crash")).messages().slice((await memory.session("cli:crash")).cursor);
    await memory.settle();
    // What the last one that was killed had in hand is its own until its lease is over.
    for (let tries = 0; tries < 60 && (await memory.queue.listJobs()).length > 0; tries++) {
      await wait(500);
      await memory.settle();
    }
    const { documents } = memory.store;
    const entries = ((await documents.read("memory/HISTORY.md")) ?? "").split("\n\n").filter((entry) => entry !== "");
    const covered = entries.flatMap((entry) => {
      const digest = [...entry.matchAll(/say (\d+)\./g)].map(([, number]) => Number(number));
      const scripted = /covers ([\d,]+)\.$/.exec(entry)?.[1]?.split(",").map(Number);
      return scripted ?? digest;
    });
    const after = waiting.map(({ content }) => Number(/(\d+)/.exec(String(content))?.[1]));
    const scripted = entries.filter((entry) => entry.includes("covers"));
    const runs = await memory.history.list({ last: 100_000 });
    // Stretches that the last opening digested without a model name only some of their messages; their runs name them all.
    expect(runs.reduce((sum, run) => sum + run.to - run.from, 0) + after.length).toBe(next);
    // Notes of ended sessions are runs too, but cover no stretch.
    expect(runs.filter((run) => run.to > run.from)).toHaveLength(entries.length);
    expect(new Set(covered).size).toBe(covered.length);
    const facts = (await memory.readMemory()).match(/^- Unit x(\d+)x/gm) ?? [];
    expect(new Set(facts).size).toBe(facts.length);
    // What outgrew the budget of MEMORY.md was moved to the day's notes; nothing of it is lost.
    const notes = (await documents.list("memory")).filter(({ path }) => /\/\d{4}-\d{2}-\d{2}\.md$/.test(path));
    const texts = await Promise.all(notes.map(({ path }) => documents.read(path)));
    const moved = texts.flatMap((text) => text?.match(/^- Unit x(\d+)x/gm) ?? []);
    expect(new Set([...facts, ...moved]).size).toBe(scripted.length);
    expect(await memory.queue.listJobs()).toEqual([]);
    expect(await memory.history.scopesWithTail()).toEqual([]);
    expect(scripted.length).toBeGreaterThan(KILLS / 2);
    await memory.close();
  }, 1_800_000);
});
