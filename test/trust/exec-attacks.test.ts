import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { COMMAND_LINES, openTarget } from "./attacks/run-command-lines.ts";

type Target = Awaited<ReturnType<typeof openTarget>>;

it("knows many hostile command lines", () => {
  expect(COMMAND_LINES.length).toBeGreaterThan(500);
});

describe.each(["default", "whole"] as const)("hostile command lines in the %s shell", (shell) => {
  let target: Target;

  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "tidemark-"));
    target = await openTarget(folder, shell);
    return async () => {
      await target.close();
      rmSync(folder, { recursive: true, force: true });
    };
  });

  it.each(COMMAND_LINES.map(({ kind, command }) => [kind, command] as const))(
    "%s: %j gets nothing, writes nothing, runs nothing",
    async (_, command) => {
      expect(await target.attack(command)).toEqual([]);
    },
    20_000,
  );

  it("keep nobody else from being served", async () => {
    const order: string[] = [];
    await Promise.all([
      target.attack("while :; do :; done; while :; do sleep 9; done").then(() => order.push("attack")),
      target.memory.readMemory().then(() => order.push("other")),
    ]);
    expect(order).toEqual(["other", "attack"]);
  });
});
