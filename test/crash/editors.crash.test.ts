import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { openMemory } from "../../src/index.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { WAYS } from "./editors.ts";

// By each way; the long form is TIDEMARK_SAVES=10000.
const SAVES = Number(process.env["TIDEMARK_SAVES"] ?? 24);
// In each life of the process that remembers a person saves a few times.
const SAVES_IN_A_LIFE = SAVES > 1000 ? 40 : 8;
// Then it is looked at, and the next ones go to another workspace: nothing grows without bound.
const SAVES_IN_A_ROUND = 5 * SAVES_IN_A_LIFE;

/** Lets it remember while `work` is done, then kills it; tells what it had acknowledged. */
async function rememberDuring(workspace: string, first: number, work: () => Promise<void>): Promise<number[]> {
  const program = new URL("rememberer.mjs", import.meta.url).pathname;
  const child = spawn(process.execPath, [program, workspace, String(first)], { stdio: ["ignore", "pipe", "inherit"] });
  const acknowledged: number[] = [];
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    if (line !== "ready") acknowledged.push(Number(line));
    if (acknowledged.length === 2) begin();
  });
  await begun;
  await work();
  child.kill("SIGKILL");
  await once(child, "close");
  return acknowledged;
}

/** Saves again and again while facts are remembered; nothing may be missing, and nothing may be there twice. */
async function saveMeanwhile(save: (path: string, line: string) => void | Promise<void>, count: number): Promise<void> {
  const workspace = temporaryFolder();
  const path = join(workspace, "memory", "MEMORY.md");
  mkdirSync(join(workspace, "memory"));
  writeFileSync(path, "# Memory\n\n- sails\n");
  const lines: string[] = [];
  const facts: number[] = [];
  const saveSome = async (): Promise<void> => {
    for (const end = Math.min(count, lines.length + SAVES_IN_A_LIFE); lines.length < end;) {
      const line = `- line y${lines.length}y by hand\n`;
      await save(path, line);
      lines.push(line.trim());
      await sleep(Math.random() * 40);
    }
  };
  while (lines.length < count) facts.push(...(await rememberDuring(workspace, lines.length * 10_000, saveSome)));
  const memory = await openMemory({ workspace });
  await memory.retire("cli:a", "nothing of the kind", "test");
  const text = await memory.readMemory();
  const timesOf = (words: string) => text.split(words).length - 1;
  // What a save from an old window left out waits for a person.
  const waiting = (await memory.review()).flatMap(({ items }) => items.map(({ fact }) => fact)).join("\n");
  const isWaiting = (words: string) => timesOf(words) === 0 && waiting.includes(words.replace(/^- /, ""));
  const told = [...lines, ...facts.map((number) => `Unit x${number}x`)].filter((words) => !isWaiting(words));
  const found = told.map((words) => [words, timesOf(words)]);
  expect(found.filter(([, times]) => times !== 1)).toEqual([]);
  expect((await memory.trust.ledger()).lost).toEqual([]);
  await memory.close();
  rmSync(workspace, { recursive: true, force: true });
}

describe("what a person saves while facts are remembered and the process is killed", () => {
  for (const [way, save] of Object.entries(WAYS))
    it(
      `by ${way} is not lost, and neither is a fact, ${SAVES} times`,
      { timeout: 600_000 + SAVES * 1000 },
      async () => {
        for (let done = 0; done < SAVES; done += SAVES_IN_A_ROUND)
          await saveMeanwhile(save, Math.min(SAVES_IN_A_ROUND, SAVES - done));
      },
    );
});
