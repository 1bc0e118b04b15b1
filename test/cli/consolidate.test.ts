// @module-tag stores
import { expect, it } from "vitest";
import { isKept, ofFolder, readKept, writeKept } from "../support/kept.ts";
import { saveMemory, startModel } from "../support/model-server.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { expectOneLine, linesFile, runJson, workspaceWithTalk } from "./run-cli.ts";
import { runInOne } from "./run-in-one.ts";

interface Outcomes {
  outcomes: { kind: string; session: string; from?: number; to?: number; reason?: string }[];
}

it("digests what is due, and all that waits with --all", async () => {
  const workspace = await workspaceWithTalk(60);
  const due = await runJson<Outcomes>(["consolidate", "-w", workspace]);
  expect(due.outcomes).toMatchObject([{ kind: "consolidated", session: "telegram:1", from: 0, to: 70 }]);
  const nothing = await runInOne(["consolidate", "telegram:1", "-w", workspace]);
  expect(nothing).toEqual({ code: 0, stdout: "telegram:1: nothing is due\n", stderr: "" });
  const all = await runJson<Outcomes>(["consolidate", "telegram:1", "--all", "-w", workspace]);
  expect(all.outcomes).toMatchObject([{ kind: "consolidated", from: 70, to: 120 }]);
  expect(await readKept(workspace, "memory/HISTORY.md")).toContain("50 messages");
});

it("takes every session when none is named", async () => {
  const workspace = await workspaceWithTalk(1);
  const other = linesFile([{ session: "cli:main", role: "user", content: "I prefer coffee." }]);
  expect(await runInOne(["import", other, "-w", workspace])).toMatchObject({ code: 0 });
  const { outcomes } = await runJson<Outcomes>(["consolidate", "--all", "-w", workspace]);
  expect(outcomes.map(({ session, kind }) => [session, kind])).toEqual([
    ["cli:main", "consolidated"],
    ["telegram:1", "consolidated"],
  ]);
});

ofFolder("nothing tells of a workspace that is empty")("takes none in an empty folder", async () => {
  expect(await runInOne(["consolidate", "-w", temporaryFolder()])).toMatchObject({
    code: 0,
    stdout: "No sessions yet.\n",
  });
});

it("shows in a dry run what would be digested and what would come of it, and writes nothing", async () => {
  const workspace = await workspaceWithTalk(1);
  const session = await readKept(workspace, "sessions/telegram_1.jsonl");
  const shown = await runInOne(["consolidate", "--all", "--dry-run", "-w", workspace]);
  expect(shown).toMatchObject({ code: 0, stderr: "" });
  expect(shown.stdout).toContain("telegram:1: 2 messages (0–1) would be digested, by all");
  expect(shown.stdout).toContain("(u0) [2026-10-01 10:00] USER: I prefer tea number 0.");
  expect(shown.stdout).toMatch(/MEMORY\.md:\n {2}\+ .*tea number 0/);
  expect(await readKept(workspace, "sessions/telegram_1.jsonl")).toBe(session);
  expect(await isKept(workspace, "memory/MEMORY.md")).toBe(false);
  expect(await isKept(workspace, "memory/HISTORY.md")).toBe(false);
  const { lastChange } = await runJson<{ lastChange: unknown }>(["status", "-w", workspace]);
  expect(lastChange).toBeNull();
  const notDue = await runInOne(["consolidate", "--dry-run", "-w", workspace]);
  expect(notDue.stdout).toBe("telegram:1: nothing is due\n");
});

it("asks the configured model, but not in a dry run", async () => {
  const workspace = await workspaceWithTalk(2);
  const model = await startModel(() => saveMemory("# Memory\n\n- Likes tea"));
  await writeKept(workspace, "config.json", JSON.stringify(model.config));
  const { previews } = await runJson<{ previews: { due: { messages: unknown[] }; plan?: unknown }[] }>([
    "consolidate",
    "--all",
    "--dry-run",
    "-w",
    workspace,
  ]);
  expect(previews).toHaveLength(1);
  expect(previews[0]?.due.messages).toHaveLength(4);
  expect(previews[0]).not.toHaveProperty("plan");
  expect(model.requests).toHaveLength(0);
  const done = await runInOne(["consolidate", "--all", "-w", workspace]);
  expect(done.stdout).toContain("telegram:1: 4 messages (0–3) digested by scripted/tide; facts: 1 added");
  expect(model.requests).toHaveLength(1);
  expect(await readKept(workspace, "memory/MEMORY.md")).toContain("Likes tea");
});

it("exits 1 when the model's answer is refused, with nothing changed", async () => {
  const workspace = await workspaceWithTalk(2);
  const model = await startModel(() => ({ text: "I would rather not." }));
  await writeKept(workspace, "config.json", JSON.stringify(model.config));
  const refused = await runInOne(["consolidate", "--all", "-w", workspace]);
  expect(refused.code).toBe(1);
  expect(refused.stdout).toMatch(/^telegram:1: refused, nothing changed: [^\n]+\n$/);
  expect(await isKept(workspace, "memory/HISTORY.md")).toBe(false);
});

it("says in one line that there is no such session, and begins none", async () => {
  const workspace = await workspaceWithTalk(1);
  for (const more of [[], ["--dry-run"]]) {
    const line = expectOneLine(await runInOne(["consolidate", "telegram:2", ...more, "-w", workspace]), 1);
    expect(line).toContain("There is no session telegram:2; did you mean telegram:1?");
  }
  expect(await isKept(workspace, "sessions/telegram_2.jsonl")).toBe(false);
});
