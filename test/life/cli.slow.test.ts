import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it, onTestFinished } from "vitest";
import { runCli, runJson, workspaceWithTalk } from "../cli/run-cli.ts";
import { saveMemory, startModel } from "../support/model-server.ts";

const BIN = join(import.meta.dirname, "../../bin/tidemark.js");

/** Starts `tidemark work` and waits until it says so. */
async function startWork(workspace: string, ...args: string[]) {
  const child = spawn(process.execPath, [BIN, "work", "-w", workspace, ...args], {
    env: { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent", TZ: "UTC" },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => lines.push(line));
  let stderr = "";
  child.stderr.on("data", (text: Buffer) => (stderr += text.toString()));
  while (!stderr.includes("working in")) await once(child.stderr, "data");
  return { child, lines, stderr: () => stderr };
}

async function until(isTrue: () => boolean): Promise<void> {
  for (let round = 0; round < 400 && !isTrue(); round++) await new Promise((resolve) => setTimeout(resolve, 50));
  expect(isTrue()).toBe(true);
}

const historyOf = (workspace: string) => {
  const path = join(workspace, "memory", "HISTORY.md");
  return existsSync(path) ? readFileSync(path, "utf8") : "";
};

async function configure(workspace: string, script: Parameters<typeof startModel>[0], more: object = {}) {
  const model = await startModel(script);
  writeFileSync(join(workspace, "config.json"), JSON.stringify({ ...model.config, ...more }));
  return model;
}

describe("tidemark work", () => {
  it("does what another process left, tells of it, and ends well on SIGTERM", async () => {
    const workspace = await workspaceWithTalk(3);
    await configure(workspace, (request) =>
      request.tools?.[0]?.function.name === "save_memory"
        ? saveMemory("# Memory\n\n- Likes tea\n", "[2026-10-01 10:05] Tea.")
        : { call: "create_session_memory", arguments: { slug: "tea", summary: "Tea." } },
    );
    const { child, lines, stderr } = await startWork(workspace, "--json");
    // Left by a process that only rotated, as one that was killed right after it.
    const ended = await runCli(["sessions", "new", "telegram:1", "-w", workspace]);
    expect(ended).toMatchObject({ code: 0 });
    await until(() => historyOf(workspace).includes("Tea.") && existsSync(join(workspace, "memory")));
    child.kill("SIGTERM");
    expect(await once(child, "exit")).toEqual([0, null]);
    expect(stderr()).toContain("SIGTERM: stopping");
    for (const line of lines) expect(JSON.parse(line)).toHaveProperty("type");
    expect(await runJson(["status", "-w", workspace])).toMatchObject({ jobs: { pending: 0, leased: 0, dead: 0 } });
  });

  it("that must stop leaves a job that takes too long to the next start", async () => {
    const workspace = await workspaceWithTalk(3);
    const model = await configure(workspace, () => ({ hang: true }), { tools: { sessionMemory: { enabled: false } } });
    const rotate = spawn(process.execPath, [BIN, "sessions", "new", "telegram:1", "-w", workspace], {
      stdio: "ignore",
    });
    await until(() => model.requests.length > 0);
    rotate.kill("SIGKILL");
    await once(rotate, "exit");
    const { child } = await startWork(workspace, "--wait", "1");
    await until(() => model.requests.length > 1);
    child.kill("SIGTERM");
    expect(await once(child, "exit")).toEqual([0, null]);
    expect(await runJson(["status", "-w", workspace])).toMatchObject({ jobs: { pending: 1, leased: 0 } });
    model.script = () => saveMemory("# Memory\n", "[2026-10-01 10:05] At last.");
    expect(await runCli(["work", "--once", "-w", workspace])).toMatchObject({ code: 0 });
    expect(historyOf(workspace)).toBe("[2026-10-01 10:05] At last.\n\n");
    expect(await runJson(["status", "-w", workspace])).toMatchObject({ jobs: { pending: 0 } });
  });

  it("digests sessions in which nobody speaks any more, without a model too", async () => {
    const workspace = await workspaceWithTalk(3);
    writeFileSync(join(workspace, "config.json"), JSON.stringify({ consolidation: { idleMinutes: 5 } }));
    const { child, lines } = await startWork(workspace);
    await until(() => lines.includes("telegram:1: consolidated"));
    child.kill("SIGINT");
    expect(await once(child, "exit")).toEqual([0, null]);
    expect(historyOf(workspace)).toContain("Extract without a model, 6 messages");
    expect(await runJson(["status", "-w", workspace])).toMatchObject({ sessions: [{ cursor: 6, waiting: 0 }] });
  });

  it("--once says what failed, and status and doctor show it", async () => {
    const workspace = await workspaceWithTalk(3);
    await configure(workspace, () => ({ text: "no" }), { tools: { sessionMemory: { enabled: false } } });
    await runCli(["sessions", "new", "telegram:1", "-w", workspace]);
    const worked = await runCli(["work", "--once", "-w", workspace]);
    expect(worked.code).toBe(0);
    expect(worked.stderr).toContain("1 job failed and will be tried again");
    expect(await runJson(["status", "-w", workspace])).toMatchObject({
      jobs: { pending: 1 },
      trouble: [{ kind: "digest-archive", state: "pending", lastError: expect.stringContaining("save_memory") }],
    });
    expect((await runCli(["status", "-w", workspace])).stdout).toMatch(/digest-archive failed \d×, next try at 20/);
  });
});

describe("tidemark tidy", () => {
  it("shows in a dry run what it then does", async () => {
    const workspace = await workspaceWithTalk(1);
    const path = join(workspace, "memory", "MEMORY.md");
    writeFileSync(path, "# Memory\n\n- Likes tea\n- likes tea\n- Plays chess\n");
    const planned = await runCli(["tidy", "--dry-run", "-w", workspace]);
    expect(planned.stdout).toBe(
      "MEMORY.md: 1 would be merged, 0 would be dated, 0 would be moved\n- likes tea\n  (told by: Likes tea)\n",
    );
    expect(readFileSync(path, "utf8")).toContain("- likes tea");
    expect(await runJson(["tidy", "-w", workspace])).toMatchObject({
      dryRun: false,
      tidied: [{ scope: "", merged: [{ dropped: "likes tea", kept: "Likes tea" }], moved: [] }],
    });
    expect(readFileSync(path, "utf8")).toBe("# Memory\n\n- Likes tea\n- Plays chess\n");
    expect((await runCli(["tidy", "-w", workspace])).stdout).toBe("MEMORY.md: in order\n");
  });
});
