import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { COMMAND_LINES, openTarget } from "./attacks/run-command-lines.ts";
import type { Attack } from "./attacks/run-command-lines.ts";

let attack: Attack;

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-"));
  const target = await openTarget(folder);
  attack = target.attack;
  return async () => {
    await target.close();
    rmSync(folder, { recursive: true, force: true });
  };
});

describe("hostile command lines", () => {
  it("are many", () => {
    expect(COMMAND_LINES.length).toBeGreaterThan(150);
  });

  it.each(COMMAND_LINES.map(({ kind, command }) => [kind, command] as const))(
    "%s: %j gets nothing, writes nothing, runs nothing",
    async (_, command) => {
      let ticks = 0;
      const timer = setInterval(() => ticks++, 20);
      const begun = performance.now();
      const got = await attack(command);
      const took = performance.now() - begun;
      clearInterval(timer);
      expect(got).toEqual([]);
      // Whatever it does, others are served meanwhile.
      if (took > 500) expect(ticks).toBeGreaterThan(took / 20 / 10);
    },
    20_000,
  );
});
