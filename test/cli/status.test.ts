// @module-tag stores
import { expect, it } from "vitest";
import { ofFolder, writeKept } from "../support/kept.ts";
import { saveMemory, startModel } from "../support/model-server.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { runJson, workspaceWithTalk } from "./run-cli.ts";
import { runInOne } from "./run-in-one.ts";

ofFolder("nothing tells of a workspace that is empty")("tells how a fresh workspace stands", async () => {
  const workspace = temporaryFolder();
  expect(await runJson(["status", "-w", workspace])).toMatchObject({
    workspace,
    model: null,
    sessions: [],
    memory: [{ scope: "", tokens: 0, budgetTokens: 4000, facts: 0 }],
    jobs: { pending: 0, leased: 0, dead: 0 },
    unfinished: 0,
    held: 0,
    spend: { tokens: 0, tokensPerDay: null, cost: null, models: [] },
    lastChange: null,
  });
  const { stdout } = await runInOne(["status", "-w", workspace]);
  expect(stdout).toContain("Model       none: digests are made by rules");
  expect(stdout).toContain("No sessions yet.");
});

it("shows what is due, what waits, what was spent and the last run", async () => {
  const workspace = await workspaceWithTalk(60);
  const due = await runJson<{ sessions: unknown[] }>(["status", "-w", workspace]);
  expect(due.sessions).toMatchObject([
    {
      key: "telegram:1",
      messages: 120,
      cursor: 0,
      waiting: 120,
      due: { from: 0, to: 70, cause: "count" },
      failures: 0,
    },
  ]);
  const model = await startModel(() => saveMemory("# Memory\n\n- Likes tea\n- Likes ships"));
  const prices = { "scripted/tide": { input: 1, output: 10 } };
  await writeKept(
    workspace,
    "config.json",
    JSON.stringify({ ...model.config, spend: { tokensPerDay: 1_000_000, prices } }),
  );
  expect(await runInOne(["consolidate", "-w", workspace])).toMatchObject({ code: 0 });
  const after = await runJson(["status", "-w", workspace]);
  expect(after).toMatchObject({
    model: "scripted/tide",
    sessions: [{ cursor: 70, waiting: 50, due: null }],
    memory: [{ facts: 2 }],
    spend: { tokens: 120, tokensPerDay: 1_000_000, cost: 0.0003, models: [{ model: "scripted/tide", calls: 1 }] },
    lastChange: { session: "telegram:1", from: 0, to: 70, outcome: "consolidated", by: "scripted/tide" },
  });
  const { stdout } = await runInOne(["status", "-w", workspace]);
  expect(stdout).toContain("Today       120 tokens of 1,000,000");
  expect(stdout).toMatch(/telegram:1 +120 +70 +50 +no/);
});

it("counts failures of a session and jobs that wait, and works on neither", async () => {
  const workspace = await workspaceWithTalk(2);
  const model = await startModel(() => ({ text: "no" }));
  await writeKept(workspace, "config.json", JSON.stringify(model.config));
  const ended = await runInOne(["sessions", "new", "telegram:1", "-w", workspace]);
  expect(ended).toMatchObject({ code: 0 });
  expect(ended.stderr).toContain("1 digest could not be made yet");
  const asked = model.requests.length;
  expect(asked).toBe(1);
  expect(await runJson(["status", "-w", workspace])).toMatchObject({ jobs: { pending: 1 } });
  expect(model.requests).toHaveLength(asked);
});

it("says that MEMORY.md is over its budget, in tokens", async () => {
  const workspace = await workspaceWithTalk(1);
  const facts = Array.from({ length: 50 }, (_, index) => `- Fact number ${index} about the harbour`).join("\n");
  await writeKept(workspace, "memory/MEMORY.md", `# Memory\n\n${facts}\n`);
  await writeKept(workspace, "config.json", '{"agents": {"defaults": {"memoryBudgetTokens": 100}}}');
  const { memory } = await runJson<{ memory: { tokens: number; facts: number }[] }>(["status", "-w", workspace]);
  expect(memory[0]?.facts).toBe(50);
  expect(memory[0]?.tokens).toBeGreaterThan(300);
  expect(memory[0]?.tokens).toBeLessThan(600);
  expect((await runInOne(["status", "-w", workspace])).stdout).toContain("of 100 tokens: over its budget");
});
