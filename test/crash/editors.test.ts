import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { openMemory } from "../../src/index.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { WAYS } from "./editors.ts";

// Lives of the process that remembers; in each of them a person saves a few times.
const LIVES = Math.ceil(Number(process.env["TIDEMARK_KILLS"] ?? 15) / 5);
const SAVES = 8;

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

describe("what a person saves while facts are remembered and the process is killed", () => {
  for (const [way, save] of Object.entries(WAYS))
    it(`by ${way} is not lost, and neither is a fact`, { timeout: 600_000 }, async () => {
      const workspace = temporaryFolder();
      const path = join(workspace, "memory", "MEMORY.md");
      mkdirSync(join(workspace, "memory"));
      writeFileSync(path, "# Memory\n\n- sails\n");
      const lines: string[] = [];
      const facts: number[] = [];
      for (let life = 0; life < LIVES; life++) {
        const saved = async () => {
          for (let count = 0; count < SAVES; count++) {
            const line = `- line y${lines.length}y by hand\n`;
            await save(path, line);
            lines.push(line.trim());
            await sleep(Math.random() * 40);
          }
        };
        facts.push(...(await rememberDuring(workspace, life * 10_000, saved)));
      }
      const memory = await openMemory({ workspace });
      await memory.retire("cli:a", "nothing of the kind", "test");
      const text = await memory.readMemory();
      const timesOf = (words: string) => text.split(words).length - 1;
      const found = [...lines, ...facts.map((number) => `Unit x${number}x`)].map((words) => [words, timesOf(words)]);
      expect(found.filter(([, times]) => times !== 1)).toEqual([]);
      expect((await memory.trust.ledger()).lost).toEqual([]);
      await memory.close();
    });
});
